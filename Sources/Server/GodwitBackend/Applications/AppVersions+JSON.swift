//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension AppVersions {
    /// Parses the rules of a declaration.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication``.
    init(_ value: JSONValue) throws(AccountError) {
        let members = try Members(
            value, "versions",
            known: ["first", "blocked", "required", "warned", "warned_before", "refusal", "warning"])
        self.init(first: try members.text("first"), blocked: Set(try members.texts("blocked") ?? []))
        if let flag = try members.flag("required") { areRequired = flag }
        warned = Set(try members.texts("warned") ?? [])
        firstWithoutWarning = try members.text("warned_before")
        refusal = try Notice(members, "refusal") ?? refusal
        warning = try Notice(members, "warning") ?? warning
    }

    /// The rules as JSON, which ``init(_:)`` parses.
    var json: JSONObject {
        var object: JSONObject = [
            "required": .bool(areRequired), "refusal": .object(refusal.json), "warning": .object(warning.json),
        ]
        if let first { object["first"] = .string(first) }
        if !blocked.isEmpty { object["blocked"] = .array(blocked.sorted().map { .string($0) }) }
        if !warned.isEmpty { object["warned"] = .array(warned.sorted().map { .string($0) }) }
        if let firstWithoutWarning { object["warned_before"] = .string(firstWithoutWarning) }
        return object
    }
}

extension AppVersions.Notice {
    /// Parses a notice; `nil` when the rules have no notice of this name.
    fileprivate init?(_ rules: Members, _ name: String) throws(AccountError) {
        guard let members = try rules.object(name, known: ["message", "url"]) else { return nil }
        guard let message = try members.text("message") else {
            throw .invalidApplication("versions.\(name) has no message")
        }
        self.init(message, url: try members.text("url"))
    }

    /// The notice as JSON, as declarations and responses contain it.
    var json: JSONObject {
        var object: JSONObject = ["message": .string(message)]
        if let url { object["url"] = .string(url) }
        return object
    }
}
