//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitStore

@Suite("Indexes")
struct IndexTests {
    private func withIndexed(
        _ kinds: [any IndexKind] = [MemberIndex()], directory: TemporaryDirectory,
        _ body: (Datastore) async throws -> Void
    ) async throws {
        let manager = try DatastoreManager(directory: directory.path, durability: .normal, indexes: kinds)
        do {
            let store = try await manager.datastore(named: "test")
            try await body(store)
            try await store.checkInvariants()
            await manager.close()
        } catch {
            await manager.close()
            throw error
        }
    }

    @Test("A complete index follows every write: edits, deletions, conflicts, purges, rolled-back writes")
    func following() async throws {
        try await withDirectory { directory in
            try await withIndexed(directory: directory) { store in
                try await store.defineIndex("by-n", on: "n")
                try await store.waitUntilComplete("by-n")
                var a = try await store.create(Document(id: "a", body: ["n": 1]))
                _ = try await store.create(Document(id: "b", body: ["n": 2]))
                _ = try await store.create(Document(id: "c", body: ["m": 3]))
                #expect(try store.indexRows("by-n") == ["a=1", "b=2"])
                a.body["n"] = 5
                a = try await store.update(a)
                #expect(try store.indexRows("by-n") == ["a=5", "b=2"])
                try await store.graft(#"{"_id":"b","_revisions":{"start":9,"ids":["z"]},"n":7}"#)
                #expect(try store.indexRows("by-n") == ["a=5", "b=7"])
                try await store.purge("b", revisions: [try revision("9-z")])
                #expect(try store.indexRows("by-n") == ["a=5", "b=2"])
                try await store.delete(a)
                try await store.purge("b")
                #expect(try store.indexRows("by-n") == [])
                try? await store.write { transaction in
                    _ = try transaction.create(Document(id: "d", body: ["n": 1]))
                    throw StoreError.missing(id: "")
                }
                #expect(try store.indexRows("by-n") == [])
            }
        }
    }

    @Test("An index is built during writes, and the build continues after a restart")
    func building() async throws {
        try await withDirectory { directory in
            try await withIndexed(directory: directory) { store in
                try await store.transact { transaction in
                    for n in 0..<3_000 {
                        _ = try transaction.create(Document(id: "\(n)", body: ["n": .integer(Int64(n % 10))]))
                    }
                }
                try await store.defineIndex("by-n", on: "n")
                for n in 3_000..<3_050 { _ = try await store.create(Document(id: "\(n)", body: ["n": 1])) }
            }
            try await withIndexed(directory: directory) { store in
                try await store.waitUntilComplete("by-n")
                #expect(try store.indexRows("by-n").count == 3_050)
                // A design document with the same definition leaves the index unchanged, one with another definition
                // creates a new index.
                var design = try store.document("_design/by-n")
                design.body["more"] = true
                design = try await store.update(design)
                #expect(try store.indexed("by-n")?.number == 1)
                design.body["members"] = ["by-n": "m"]
                design = try await store.update(design)
                try await store.waitUntilComplete("by-n")
                #expect(try store.indexed("by-n")?.number == 2)
                #expect(try store.indexRows("by-n") == [])
            }
        }
    }

    @Test("An index of an unknown kind falls behind, and is updated when the kind is known again")
    func unknownKind() async throws {
        try await withDirectory { directory in
            try await withIndexed(directory: directory) { store in
                try await store.defineIndex("by-n", on: "n")
                for id in ["a", "b", "c"] { _ = try await store.create(Document(id: id, body: ["n": 1])) }
                try await store.waitUntilComplete("by-n")
            }
            try await withIndexed([], directory: directory) { store in
                _ = try await store.update(try changed(store.document("a")))
                try await store.purge("b")
                _ = try await store.create(Document(id: "d", body: ["n": 4]))
                #expect(try store.indexed("by-n")?.state == .behind)
                try await store.defineIndex("by-m", on: "m")
                #expect(try store.indexed("by-m") == nil)
            }
            try await withIndexed(directory: directory) { store in
                try await store.waitUntilComplete("by-m")
                #expect(try await store.catchUp("by-n"))
                #expect(try store.indexRows("by-n") == ["a=2", "c=1", "d=4"])
                try await store.delete("_design/by-n")
                #expect(try store.indexDescriptions().map(\.name) == ["by-m"])
                #expect(try await !store.catchUp("by-n"))
            }
        }
    }

    private func changed(_ document: Document) -> Document {
        var document = document
        document.body["n"] = 2
        return document
    }

    @Test("After more purges than are recorded the index is rebuilt")
    func forgottenPurges() async throws {
        try await withDirectory { directory in
            var limits = StoreLimits()
            limits.purgesRememberedMax = 2
            let manager = try DatastoreManager(
                directory: directory.path, durability: .normal, limits: limits,
                indexes: [MemberIndex(followsWrites: false)])
            let store = try await manager.datastore(named: "test")
            for n in 0..<10 { _ = try await store.create(Document(id: "\(n)", body: ["n": 1])) }
            try await store.defineIndex("by-n", on: "n")
            #expect(try await store.catchUp("by-n"))
            #expect(try store.indexRows("by-n").count == 10)
            for n in 0..<5 { try await store.purge("\(n)") }
            #expect(try store.indexed("by-n")?.state == .behind)
            #expect(try await store.catchUp("by-n"))
            #expect(try store.indexRows("by-n") == (5..<10).map { "\($0)=1" })
            await manager.close()
        }
    }
}
