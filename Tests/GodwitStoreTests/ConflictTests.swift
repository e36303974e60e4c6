//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Conflicts")
struct ConflictTests {
    /// Creates a document with three live leaves (2-d wins) and a deleted one.
    private func makeConflict(_ store: Datastore) async throws {
        try await store.graft("doc", "ba")
        try await store.graft("doc", "ca")
        try await store.graft("doc", "da")
        try await store.graft("doc", "ea", deleted: true)
        #expect(try store.leafTexts("doc") == ["2-d", "2-c", "2-b", "2-e*"])
    }

    @Test("Deleting one leaf promotes the next, with its body and the counters")
    func deletingTheWinner() async throws {
        try await withDatastore { store in
            try await makeConflict(store)
            for (winner, left) in [("d", ["2-c", "2-b"]), ("c", ["2-b"]), ("b", [])] {
                let before = try store.document("doc")
                #expect(before.revision?.hashText == winner)
                #expect(before.body["at"]?.stringValue == "\(winner)a")
                try await store.delete(before)
                #expect(try store.leaves(of: "doc").map(\.description) == left)
                try await store.checkInvariants()
            }
            await expectFailure(.deleted) { _ = try store.document("doc") }
            #expect(try store.row("doc").winner.revision.generation == 3)
            #expect(try store.row("doc").leaves.count == 4)
        }
    }

    @Test("Deleting and updating a losing leaf do not change the winner")
    func losingSides() async throws {
        try await withDatastore { store in
            try await makeConflict(store)
            let loser = try store.document("doc", at: revision("2-b"))
            #expect(loser.body["at"] == "ba" && !loser.isDeleted)
            try await store.delete(loser)
            #expect(try store.leaves(of: "doc").map(\.description) == ["2-d", "2-c"])
            #expect(try store.document("doc").body["at"] == "da")
            try await store.checkInvariants()
            let updated = try await store.update(store.document("doc", at: revision("2-c")))
            #expect(try store.document("doc").revision == updated.revision)
            #expect(try store.document("doc").body["at"] == "ca")
        }
    }

    @Test("Resolving leaves one live leaf, in one commit, and ignores deleted ones")
    func resolve() async throws {
        try await withDatastore { store in
            try await makeConflict(store)
            var winner = try store.document("doc")
            winner.body["merged"] = true
            let resolved = try await store.resolve(winner)
            #expect(resolved.revision?.generation == 3)
            #expect(resolved.body["merged"] == true && resolved.body["at"] == "da")
            #expect(try store.leaves(of: "doc") == [resolved.revision])
            #expect(try store.row("doc").leaves.filter(\.isDeleted).map(\.revision.generation) == [3, 3, 2])
            #expect(try store.changedIDs() == ["doc"])
            #expect(try store.changes(after: 4, detail: .leaves).rows.count == 1)
        }
    }

    @Test("The remaining leaf may have a new attachment with one of the winner's")
    func resolveWithAttachments() async throws {
        try await withDatastore { store in
            for hash in ["b", "c"] {
                try await store.graft(#"{"_id":"doc","_rev":"2-\#(hash)","_attachments":{"\#(hash)":{"data":"QUJD"}}}"#)
            }
            var winner = try store.document("doc")
            #expect(winner.attachments.keys.sorted() == ["c"])
            winner.attachments["new"] = .data([1, 2], contentType: "t/n")
            let resolved = try await store.resolve(winner)
            #expect(resolved.attachments.keys == ["c", "new"])
            #expect(resolved.attachments.values.map(\.length) == [3, 2])
            #expect(try store.row("doc").attachments.map(\.revisionPosition) == [2, 3])
            #expect(try store.leaves(of: "doc") == [resolved.revision])
        }
    }

    @Test("Resolving without a conflict is an update")
    func resolveWithoutConflict() async throws {
        try await withDatastore { store in
            let document = try await store.create(Document(id: "a", body: ["n": 1]))
            let resolved = try await store.resolve(document)
            #expect(try store.leaves(of: "a") == [resolved.revision])
            await expectFailure(.conflict) { _ = try await store.resolve(document) }
            #expect(store.updateSequence.number == 2)
        }
    }

    @Test("Resolving with an outdated winner is a conflict, and deletes nothing")
    func resolveTooLate() async throws {
        try await withDatastore { store in
            try await makeConflict(store)
            let seen = try store.document("doc")
            try await store.graft("doc", "xca")
            let before = try store.leafTexts("doc")
            #expect(before == ["3-x", "2-d", "2-b", "2-e*"])
            await expectFailure(.conflict) { _ = try await store.resolve(seen) }
            #expect(try store.leafTexts("doc") == before)
        }
    }

    @Test("Two replicas with the same resolution have the same revisions")
    func resolutionConverges() async throws {
        try await withDatastore { left in
            try await withDatastore { right in
                try await makeConflict(left)
                for hashes in ["da", "ba", "ca"] { try await right.graft("doc", hashes) }
                try await right.graft("doc", "ea", deleted: true)
                _ = try await left.resolve(left.document("doc"))
                _ = try await right.resolve(right.document("doc"))
                #expect(try left.leafTexts("doc") == right.leafTexts("doc"))
            }
        }
    }
}
