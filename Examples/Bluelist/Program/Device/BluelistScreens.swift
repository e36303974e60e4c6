//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluelistCore
import DeviceKit
import GodwitDatabase
import ProgramKit

/// The screens of Bluelist on a device, for a browser.
struct BluelistScreens: DeviceApp {
    /// See ``DeviceApp/name``.
    let name = "bluelist"
    /// See ``DeviceApp/files``.
    let files = EmbeddedFiles("bluelist")

    private static let pageLimit = 200
    private static let pageMax = 10_000

    private let model: BluelistModel

    /// Creates the screens of an app. Call ``BluelistModel/start()`` before.
    init(_ model: BluelistModel) { self.model = model }

    /// See ``DeviceApp/state()``.
    func state() async -> JSONValue { await model.screens() }

    /// See ``DeviceApp/changes()``.
    func changes() -> AsyncStream<Void> { .changes { [model] in _ = model.screens() } }

    /// See ``DeviceApp/content(_:_:)``.
    func content(_ path: String, _ query: [String: String]) async throws(DeviceError) -> DeviceContent? {
        guard path == "/items" else { return nil }
        let limit = min(max(query["limit"].flatMap { Int($0) } ?? Self.pageLimit, 1), Self.pageMax)
        return DeviceContent(await model.items(limit: limit))
    }

    /// See ``DeviceApp/perform(_:_:)``.
    func perform(_ action: String, _ arguments: JSONObject) async throws(DeviceError) -> JSONObject {
        switch action {
        case "unlock": try await model.unlock(try arguments.text("passphrase"))
        case "register", "signIn":
            try await model.signIn(
                try arguments.text("name"), password: try arguments.text("password"), registering: action == "register")
        case "later": try await model.signInLater()
        case "welcome": try await model.showSignIn()
        case "signOut": try await model.signOut()
        case "removeList": try await model.removeList()
        case "refresh": try await model.refresh()
        default: try await edit(action, arguments)
        }
        return [:]
    }

    private func edit(_ action: String, _ arguments: JSONObject) async throws(DeviceError) {
        switch action {
        case "add":
            let name = try arguments.text("name")
            let importance = try BluelistScreens.priority(arguments["priority"])
            try await model.edit { (list) throws(DeviceError) in try await list.add(name, importance: importance) }
        case "rename":
            let (id, name) = (try arguments.text("id"), try arguments.text("name"))
            try await model.edit { (list) throws(DeviceError) in try await list.rename(id, to: name) }
        case "tap":
            let id = try arguments.text("id")
            try await model.edit { (list) throws(DeviceError) in try await list.tapPriority(id) }
        case "done":
            let id = try arguments.text("id")
            guard let isDone = arguments["isDone"]?.boolValue else {
                throw DeviceError(.input, "isDone must be true or false.")
            }
            try await model.edit { (list) throws(DeviceError) in try await list.setDone(id, isDone) }
        case "delete":
            let id = try arguments.text("id")
            try await model.edit { (list) throws(DeviceError) in try await list.delete(id) }
        case "undo": try await model.edit { (list) throws(DeviceError) in try await list.undo() }
        case "filter":
            guard let filter = TodoFilter(rawValue: try arguments.text("filter")) else {
                throw DeviceError(.input, "The filter must be all, medium or high.")
            }
            await model.show(filter)
        default: throw DeviceError(.notFound, "There is no action \(action).")
        }
    }

    private static func priority(_ value: JSONValue?) throws(DeviceError) -> TodoItem.Priority {
        guard let value else { return .low }
        guard let priority = value.intValue.flatMap({ TodoItem.Priority(rawValue: $0) }) else {
            throw DeviceError(.input, "The priority must be 0, 1 or 2.")
        }
        return priority
    }
}

extension BluelistModel {
    /// Returns the state of the screens as JSON.
    fileprivate func screens() -> JSONValue {
        let text = { (value: String?) in value.map { JSONValue.string($0) } ?? .null }
        return [
            "stage": .string(stage.rawValue), "user": text(user), "server": .string(server), "busy": text(busy),
            "logins": [["id": "password", "kind": "password", "title": "password"]], "challenge": .null,
            "loginFailure": .null, "unlockFailure": text(unlockFailure), "isEncrypted": .bool(isEncrypted),
            "filter": .string((list?.filter ?? .all).rawValue), "canUndo": .bool(list?.canUndo ?? false),
            "listVersion": .integer(Int64(list?.version ?? 0)), "isReplicating": .bool(isReplicating),
            "isSent": .bool(isSent), "trouble": text(trouble), "notice": notice?.screen ?? .null,
        ]
    }

    /// Returns the first items that the current filter shows, the number of all these items, and the number of items
    /// for each filter.
    fileprivate func items(limit: Int) -> JSONValue {
        guard let list else { return ["items": [], "total": 0, "counts": [:]] }
        let items = list.items
        var counts = JSONObject()
        for filter in TodoFilter.allCases {
            counts[filter.rawValue] = .integer(Int64(list.all.count { filter.shows($0.value) }))
        }
        let page = items.prefix(limit).map { item -> JSONValue in
            [
                "id": .string(item.id), "name": .string(item.value.name),
                "priority": .integer(Int64(item.value.importance.rawValue)), "isDone": .bool(item.value.isDone),
            ]
        }
        return [
            "items": .array(page), "total": .integer(Int64(items.count)),
            "counts": .object(counts),
        ]
    }

    fileprivate func show(_ filter: TodoFilter) { list?.filter = filter }
}
