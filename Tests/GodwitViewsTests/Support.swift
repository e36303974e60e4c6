//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitPlaces
import GodwitQuery
import TestKit
import Testing

@testable import GodwitStore
@testable import GodwitViews

/// Runs `body` with a new datastore that supports views, checks the invariants afterwards, and removes it.
func withDatastore(
    _ scripts: ScriptEngine = .inProcess(), limits: ViewLimits = ViewLimits(), _ body: (Datastore) async throws -> Void
) async throws {
    try await withManager(scripts, limits: limits) { manager in
        let store = try await manager.datastore(named: "test")
        try await body(store)
        #expect(try await store.check().isEmpty)
    }
}

/// Runs `body` with a manager in a new directory, whose databases support views, and removes the directory.
func withManager(
    _ scripts: ScriptEngine = .inProcess(), limits: ViewLimits = ViewLimits(),
    _ body: (DatastoreManager) async throws -> Void
) async throws {
    let path = NSTemporaryDirectory() + "godwit-views-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    GeospatialQueries.enable()
    let manager = try DatastoreManager(
        directory: path, durability: .normal, limits: .default, key: testKey,
        indexes: QueryKinds.all + ScriptedKinds.all(scripts, limits: limits))
    do {
        try await body(manager)
    } catch {
        await manager.close()
        throw error
    }
    await manager.close()
}

extension Datastore {
    /// Writes a design document with views `[name: (map, reduce)]`.
    func define(in design: String = "_design/d", _ views: [String: (map: String, reduce: String?)]) async throws {
        var members = JSONObject()
        for (name, view) in views {
            var functions: JSONObject = ["map": .string(view.map)]
            if let reduce = view.reduce { functions["reduce"] = .string(reduce) }
            members[name] = .object(functions)
        }
        if var document = try? self.document(design) {
            document.body["views"] = .object(members)
            _ = try await update(document)
        } else {
            _ = try await create(Document(id: design, body: ["views": .object(members)]))
        }
    }

    /// Returns the rows of a query, as `id key value`.
    func lines(
        _ view: String, of design: String = "_design/d", _ change: (inout ViewQuery) -> Void = { _ in }
    ) async throws -> [String] {
        var query = ViewQuery()
        change(&query)
        let plan = try await plan(query, view: view, design: design)
        var lines: [String] = []
        if plan.reduces {
            var cursor = GroupCursor(plan)
            while let groups = try readTogether({ try cursor.next(from: $0) }) {
                for row in try await cursor.reduce(groups) {
                    let texts = [row.key, try row.value.get()].map { String(decoding: $0, as: UTF8.self) }
                    lines.append(texts.joined(separator: " "))
                }
            }
        } else {
            var cursor = ViewCursor(plan)
            while let rows = try readTogether({ try cursor.next(from: $0) }) {
                lines += rows.map {
                    "\($0.id) \(String(decoding: $0.key, as: UTF8.self)) \(String(decoding: $0.value, as: UTF8.self))"
                }
            }
        }
        return lines
    }
}
