//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore
import GodwitSync
import Testing

@Suite("A selection with an index")
struct IndexedSelectionTests {
    /// Returns all changes of a feed with a selection, page by page.
    private func all(_ selection: ReplicationSelection, of store: Datastore, after: String? = nil) async throws
        -> [RevisionsOfDocument]
    {
        let endpoint = LocalEndpoint(store)
        var query = ChangesQuery(after: after, limit: 7, selection: selection)
        var changes: [RevisionsOfDocument] = []
        while true {
            let page = try await endpoint.changes(query)
            changes += page.changes
            #expect(page.changes.count <= 7)
            if page.isLast { return changes }
            query.after = page.lastSequence
        }
    }

    @Test("It is the result of a scan: edits, deletions with and without members, from any position")
    func agreement() async throws {
        try await withManager { manager in
            let store = try await manager.datastore(named: "trips")
            try await store.transact { transaction in
                for number in 0..<3_000 {
                    _ = try transaction.create(Document(id: "d\(number)", body: ["n": .integer(Int64(number % 100))]))
                }
            }
            for number in stride(from: 5, to: 3_000, by: 300) { try await store.delete("d\(number)") }
            try await store.transact { transaction in
                let kept = try transaction.document("d105")
                _ = try transaction.apply(
                    IncomingDocument(
                        parsing: Array(#"{"_id":"d105","_rev":"\#(kept.revision!)","_deleted":true,"n":5}"#.utf8),
                        purpose: .edit, limits: .default))
            }
            let selections = try [["n": 5], ["n": ["$in": [5, 6]]], ["$or": [["n": 5], ["_id": "d7"]]]].map {
                try ReplicationSelection.matching($0)
            }
            let places: [String?] = [nil, store.sequence(500).description, store.updateSequence.description]
            var plain: [[RevisionsOfDocument]] = []
            for selection in selections {
                for position in places { plain.append(try await all(selection, of: store, after: position)) }
            }
            #expect(plain[0].count == 20)
            try await store.ensureIndex(["n"], named: "n")
            for index in try store.indexDescriptions() { #expect(try await store.catchUp(index)) }
            let candidates = try #require(try store.changeCandidates(for: Selector(parsing: ["n": 5]), after: 0))
            #expect(candidates.sequences.count < 60)
            for (number, selection) in selections.enumerated() {
                for (other, position) in places.enumerated() {
                    let indexed = try await all(selection, of: store, after: position)
                    // The index's own design document does not match the selection.
                    #expect(indexed.map(\.id) == plain[number * places.count + other].map(\.id))
                }
            }
        }
    }
}
