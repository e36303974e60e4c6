//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

/// Tests documents of different owners in one shared database.
@Suite("Scopes")
struct ScopeTests {
    private func owners(_ store: Datastore) throws -> (ana: Datastore, ben: Datastore) {
        (store.scoped(to: try .owner("ana")), store.scoped(to: try .owner("b/e%n")))
    }

    @Test("Two owners have documents with the same id, and cannot see each other's")
    func separation() async throws {
        try await withDatastore { store in
            let (ana, ben) = try owners(store)
            _ = try await ana.create(Document(id: "a", body: ["of": "ana"]))
            _ = try await ben.create(Document(id: "a", body: ["of": "ben"]))
            _ = try await store.create(Document(id: "a", body: ["of": "all"]))
            #expect(try ana.document("a").body["of"] == "ana")
            #expect(try ben.document("a").body["of"] == "ben")
            #expect(try store.document("a").body["of"] == "all")
            #expect(try ana.allDocuments().map(\.id) == ["a"])
            #expect(try store.allDocuments().map(\.id) == ["_owner/ana/a", "_owner/b%2Fe%25n/a", "a"])
            #expect(try store.document("_owner/ana/a").body["of"] == "ana")
            #expect(try [ana.documentCount, ben.documentCount, store.documentCount] == [1, 1, 3])
        }
    }

    @Test("Changes, counters, conflicts, ranges and local documents are the owner's own")
    func everythingElse() async throws {
        try await withDatastore { store in
            let (ana, ben) = try owners(store)
            for id in ["a", "b", "c"] {
                _ = try await ana.create(Document(id: id, body: [:]))
                _ = try await ben.create(Document(id: id, body: [:]))
            }
            try await ana.delete("b")
            try await ben.graft("a", "x")
            #expect(try ana.changes(after: 0, detail: .leaves).rows.map(\.id) == ["a", "c", "b"])
            #expect(try ben.changes(after: 0, detail: .bodies).rows.map(\.id) == ["b", "c", "a"])
            #expect(try ana.read { try $0.countChanges(after: 3) } == 2)
            let info = try ana.info()
            #expect(info.documentCount == 2 && info.deletedCount == 1 && info.updateSequence.number == 7)
            #expect(try ana.conflictedIDs() == [] && ben.conflictedIDs() == ["a"])
            #expect(try store.conflictedIDs() == ["_owner/b%2Fe%25n/a"])
            #expect(try ana.documents(in: IDRange(lower: "b"), limit: 10).map(\.id) == ["c"])
            #expect(try ben.documents(limit: 2, descending: true).map(\.id) == ["c", "b"])
            _ = try await ana.transact { try $0.saveLocal(id: "checkpoint", previous: 0, body: Array("{}".utf8)) }
            #expect(try ana.read { try $0.local(id: "checkpoint") } != nil)
            #expect(try ben.read { try $0.local(id: "checkpoint") } == nil)
            #expect(try store.read { try $0.local(id: "checkpoint") } == nil)
            try await ana.purge("a")
            #expect(try ana.info().documentCount == 1)
        }
    }

    @Test("A live feed of an owner gives that owner's changes alone")
    func feed() async throws {
        try await withDatastore { store in
            let (ana, ben) = try owners(store)
            let seen = Task {
                var ids: [String] = []
                for try await change in ana.changes(limit: 3) { ids.append(change.id) }
                return ids
            }
            for n in 0..<3 {
                _ = try await ben.create(Document(id: "\(n)", body: [:]))
                _ = try await ana.create(Document(id: "a\(n)", body: [:]))
            }
            #expect(try await seen.value == ["a0", "a1", "a2"])
        }
    }

    @Test("In a shared database, an owner's name has limits", arguments: [0, 513])
    func names(length: Int) {
        #expect(throws: StoreError.self) { try Scope.owner(String(repeating: "x", count: length)) }
    }

    @Test("An empty database without owners has no table for them")
    func noTables() async throws {
        try await withDatastore { store in
            let ana = store.scoped(to: try .owner("ana"))
            #expect(try ana.documentCount == 0)
            #expect(try ana.changes(after: 0, detail: .bodies).rows.isEmpty)
            #expect(try store.read { try $0.has(.owners) } == false)
        }
    }
}
