//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
package import GodwitJSON
import GodwitKeys
package import GodwitQuery
package import GodwitStore
package import GodwitText
import TestKit
import Testing

/// Runs `body` with a new datastore that supports indexes, checks the invariants afterwards, and removes it.
package func withDatastore(limits: StoreLimits = .default, _ body: (Datastore) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "godwit-query-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    let manager = try DatastoreManager(directory: path, durability: .normal, limits: limits, key: testKey)
    do {
        let store = try await manager.datastore(named: "test")
        try await body(store)
        try await store.checkInvariants()
    } catch {
        await manager.close()
        throw error
    }
    await manager.close()
}

/// Returns the value of a JSON text.
package func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

/// Returns the object of a JSON text.
package func object(_ text: String) throws -> JSONObject { try json(text).objectValue ?? [:] }

extension Datastore {
    package func checkInvariants() async throws { #expect(try await check() == []) }

    /// Defines an index as a client of CouchDB does, and waits until it is built.
    package func defineIndex(_ name: String, fields: [QueryField], where filter: JSONObject? = nil) async throws {
        var map: JSONObject = [
            "fields": .object(JSONObject(fields.map { ($0.name, $0.isDescending ? "desc" : "asc") }))
        ]
        if let filter { map["partial_filter_selector"] = .object(filter) }
        _ = try await create(
            Document(id: "_design/\(name)", body: ["language": "query", "views": [name: ["map": .object(map)]]]))
        try await catchUpAll()
    }

    /// Waits until all indexes are built.
    package func catchUpAll() async throws {
        for index in try indexDescriptions() { #expect(try await catchUp(index)) }
    }

    /// Defines a text index named `text`.
    package func defineTextIndex(_ definition: TextIndexDefinition) async throws {
        _ = try await create(
            Document(
                id: "_design/text", body: ["language": "query", "indexes": ["text": definition.designJSON]]))
    }

    /// Returns the ids of all documents that match a selector, page by page.
    package func ids(_ selector: JSONObject, sort: [QueryField] = [], index: [String] = [], limit: Int = 1_000)
        async throws
        -> [String]
    {
        var query = FindQuery(selector: selector, sort: sort, limit: limit, index: index)
        var ids: [String] = []
        while true {
            let page = try await find(query)
            ids += page.documents.compactMap(\.id)
            guard page.documents.count == limit else { return ids }
            query.bookmark = page.bookmark
        }
    }
}
