//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
package import GodwitJSON
import GodwitQuery
package import GodwitStore
package import GodwitText
import TestKit
package import Testing

/// Whether an analyzer is available with the libraries that are linked: the words of three languages are in ICU's dictionary.
package func isLinked(_ analyzer: String) -> Bool {
    #if SystemLibraries
        true
    #else
        !["chinese", "japanese", "thai"].contains(analyzer)
    #endif
}

/// Runs `body` with a datastore that has a text index `text` with the given definition.
package func withTextStore(
    _ definition: JSONValue = [:], documents: [(String, JSONValue)] = [],
    _ body: (TextStore) async throws -> Void
) async throws {
    let path = NSTemporaryDirectory() + "godwit-text-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let manager = try DatastoreManager(directory: path, durability: .normal, key: testKey, indexes: [TextIndex()])
    do {
        let store = TextStore(
            store: try await manager.datastore(named: "test"), definition: try TextIndexDefinition(parsing: definition))
        try await store.store.defineTextIndex(store.definition)
        try await store.store.catchUpAll()
        try await store.add(documents)
        try await body(store)
        await manager.close()
    } catch {
        await manager.close()
        throw error
    }
}

package struct TextStore: Sendable {
    package let store: Datastore
    package let definition: TextIndexDefinition

    package init(store: Datastore, definition: TextIndexDefinition) {
        (self.store, self.definition) = (store, definition)
    }

    package func add(_ documents: [(String, JSONValue)]) async throws {
        for (id, body) in documents {
            _ = try await store.create(Document(id: id, body: body.objectValue ?? [:]))
        }
    }

    package func search<Result>(_ text: String, _ body: (TextSearch) throws -> Result) throws -> Result {
        guard let index = try store.indexDescriptions().first(where: { $0.name == "text" }) else { throw NoIndex() }
        let query = try TextQuery(parsing: text)
        return try store.readTogether { table in
            Swift.Result { try body(TextSearch(query, in: index, definition, on: table.connection)) }
        }.get()
    }

    package struct NoIndex: Error {}

    /// Returns the ids of all hits, sorted.
    package func ids(_ text: String) throws -> [String] {
        let hits = try search(text) { search in
            let page = try search.page(limit: 1_000)
            guard try search.count() == page.hits.count else { throw NoIndex() }
            return page.hits
        }
        return hits.map(\.storedID).sorted()
    }

    /// Expects that a query matches exactly these documents.
    package func expect(_ text: String, _ ids: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try self.ids(text)
        #expect(found == ids, "\(text)", sourceLocation: sourceLocation)
    }

    /// Returns the ids in the order of the hits, from pages of a given length.
    package func ranked(_ text: String, by limit: Int = 100) throws -> [String] {
        var (ids, position): ([String], TextPosition?) = ([], nil)
        while true {
            let page = try search(text) { try $0.page(after: position, limit: limit) }
            ids += page.hits.map(\.storedID)
            guard let last = page.hits.last else { return ids }
            position = try TextPosition(bytes: page.position(after: last).bytes)
        }
    }

    package func edit(_ id: String, _ body: JSONValue) async throws {
        var document = try store.document(id)
        document.body = body.objectValue ?? [:]
        _ = try await store.update(document)
    }

    package func delete(_ id: String) async throws { try await store.delete(store.document(id)) }
}
