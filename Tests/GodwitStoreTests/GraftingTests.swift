//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Replicated revisions")
struct GraftingTests {
    @Test("The leaves of every tree in every order give the same document")
    func everyOrder() async throws {
        try await withDatastore { store in
            var jobs: [(id: String, world: TreeWorld)] = []
            for (number, world) in TreeWorld.allWithDeletions(nodesMax: 4).enumerated() {
                for (turn, order) in permutations(world.leafIndices).enumerated() {
                    let id = "\(number)-\(turn)"
                    jobs.append((id, world))
                    let documents = order.map { position in
                        IncomingDocument(
                            id: id, revision: world.revisions[position], isDeleted: world.deleted.contains(position),
                            path: world.path(position), body: Array(#"{"at":"\#(world.revisions[position])"}"#.utf8))
                    }
                    let areNew = try await store.transact { transaction in
                        try (documents + documents).map { try transaction.graft($0) }
                    }
                    #expect(areNew == documents.map { _ in true } + documents.map { _ in false })
                }
            }
            for (id, world) in jobs {
                let row = try store.row(id)
                #expect(row.leaves == world.leaves, "\(world)")
                for leaf in world.leaves {
                    #expect(try store.body(id, at: leaf.revision) == #"{"at":"\#(leaf.revision)"}"#, "\(world)")
                }
            }
            #expect(try store.documentCount == jobs.count { !$0.world.leaves[0].isDeleted })
        }
    }

    @Test("A document with hundreds of leaves")
    func manyLeaves() async throws {
        let count = 500
        let revisions = (0..<count).compactMap { RevisionID("1-a\($0)") }
        try await withDatastore { store in
            let newCount = try await store.transact { transaction in
                try revisions.count { revision in
                    try transaction.graft(
                        IncomingDocument(
                            id: "a", revision: revision, isDeleted: false, path: [revision], body: Array("{}".utf8)))
                }
            }
            #expect(newCount == count)
            let row = try store.row("a")
            #expect(row.leaves.map(\.revision) == revisions.sorted(by: >))
            // One edit replaces its parent alone.
            let edit = try #require(RevisionID("2-b"))
            _ = try await store.transact { transaction in
                try transaction.graft(
                    IncomingDocument(
                        id: "a", revision: edit, isDeleted: false, path: [edit, revisions[7]], body: Array("{}".utf8)))
            }
            #expect(try store.row("a").leaves.count == count)
            #expect(try store.row("a").winner.revision == edit)
        }
    }

    @Test("A revision that arrives twice changes nothing")
    func twice() async throws {
        try await withDatastore { store in
            let isNew = try await store.graft("a", "cba")
            #expect(isNew)
            let sequence = store.updateSequence
            #expect(try await !store.graft("a", "cba"))
            #expect(try await !store.graft("a", "cb", start: 3))
            #expect(store.updateSequence == sequence)
            #expect(try store.body("a", at: revision("3-c")) == #"{"at":"cba"}"#)
        }
    }

    @Test("The body of an ancestor that arrives late is kept, and arrives once")
    func lateBody() async throws {
        try await withDatastore { store in
            try await store.graft("a", "cba")
            #expect(try await !store.graft("a", "ba"))
            #expect(try store.body("a", at: revision("2-b")) == #"{"at":"ba"}"#)
            #expect(try store.body("a", at: revision("3-c")) == #"{"at":"cba"}"#)
            let sequence = store.updateSequence
            #expect(try await !store.graft("a", "ba"))
            #expect(store.updateSequence == sequence)
            #expect(try store.row("a").leaves.map(\.revision.description) == ["3-c"])
            // Attachments that cannot be stored are no reason to refuse a known revision, and leave no bytes behind: the
            // invariants are checked at the end.
            let stub = #"{"stub":true,"digest":"md5-XUFAKrxLKna5cZ2REBfFkg==","length":5}"#
            try await store.graft(
                #"{"_id":"a","_rev":"1-a","_attachments":{"a":{"data":"aGVsbG8gd29ybGQ="},"b":"# + stub + "}}")
            await expectFailure(.notFound) { _ = try store.document("a", at: revision("1-a")) }
        }
    }

    @Test("An ancestor that arrived without a body has none")
    func bodilessAncestors() async throws {
        try await withDatastore { store in
            try await store.graft("a", "cba")
            await expectFailure(.notFound) { _ = try store.document("a", at: revision("2-b")) }
            #expect(try store.row("a").tree().nodes.count == 3)
        }
    }

    @Test("A revision with only _rev is a root")
    func revisionAlone() async throws {
        try await withDatastore { store in
            try await store.graft(#"{"_id":"a","_rev":"7-x","n":1}"#)
            #expect(try store.document("a").revision?.description == "7-x")
            #expect(try store.row("a").tree().nodes.count == 1)
            await expectFailure(.invalidRevision) { try await store.graft(#"{"_id":"a"}"#) }
            await expectFailure(.invalidDocumentID) { try await store.graft(#"{"_rev":"1-a"}"#) }
        }
    }

    @Test("When the complete path of a known revision arrives, separate parts are joined")
    func lateAncestry() async throws {
        try await withDatastore { store in
            try await store.graft("a", "c", start: 3, deleted: true)
            try await store.graft("a", "a")
            #expect(try store.leafTexts("a") == ["1-a", "3-c*"])
            try await store.checkInvariants()
            let before = store.updateSequence.number
            #expect(try await !store.graft("a", "cba", deleted: true))
            #expect(try store.leafTexts("a") == ["3-c*"])
            #expect(store.updateSequence.number == before + 1)
            try await store.checkInvariants()
            #expect(try await !store.graft("a", "cba", deleted: true))
            #expect(store.updateSequence.number == before + 1)
        }
    }

    @Test("An edit continues from a replicated revision")
    func editAfterGraft() async throws {
        try await withDatastore { store in
            try await store.graft("a", "ba")
            try await store.graft("a", "ca")
            let edited = try await store.update(store.document("a"))
            #expect(try store.leafTexts("a") == ["\(try #require(edited.revision))", "2-b"])
            let loser = try await store.save(#"{"_id":"a","_rev":"2-b","n":1}"#)
            #expect(try store.row("a").leaves.map(\.revision.generation) == [3, 3])
            #expect(try store.body("a", at: loser) == #"{"n":1}"#)
        }
    }

    @Test("One failed revision in a transaction undoes all of them")
    func atomicity() async throws {
        try await withDatastore { store in
            try await store.graft("a", "ba")
            await expectFailure(.conflict) {
                _ = try await store.transact { transaction in
                    try transaction.graft(incoming(#"{"_id":"b","_rev":"1-x"}"#, purpose: .replication))
                    return try transaction.apply(incoming(#"{"_id":"a"}"#))
                }
            }
            #expect(try store.changedIDs() == ["a"])
            #expect(store.updateSequence.number == 1)
        }
    }
}
