//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

/// Documents whose history is longer than the part that is stored in their row.
@Suite("Long histories")
struct AncestryTests {
    /// Updates a document until it has `count` revisions, and returns them, the oldest first.
    private func makeHistory(_ store: Datastore, _ count: Int) async throws -> [RevisionID] {
        try await store.transact { transaction in
            var revisions: [RevisionID] = []
            for n in 0..<count {
                let edit = IncomingDocument(
                    id: "a", revision: revisions.last, isDeleted: n % 10 == 9, body: Array(#"{"n":\#(n)}"#.utf8))
                revisions.append(try transaction.apply(edit))
            }
            return revisions
        }
    }

    /// Returns a path of invented revisions, the youngest first.
    private func chain(_ generations: ClosedRange<Int>) -> [RevisionID] {
        generations.reversed().map { RevisionID(generation: $0, hash: .text("h\($0)")) }
    }

    private func tree(_ store: Datastore) throws -> RevisionTree {
        try store.readTogether { table in try table.fullTree(of: try #require(try table.row(id: "a"))) }
    }

    @Test("The complete history can be read, and the row stays short", arguments: [31, 32, 33, 48, 49, 100, 1_000])
    func history(count: Int) async throws {
        try await withDatastore { store in
            let revisions = try await makeHistory(store, count)
            let tree = try tree(store)
            #expect(tree.path(from: tree.nodes.count - 1) == revisions.reversed())
            #expect(tree.nodes.map(\.isDeleted) == (0..<count).map { $0 % 10 == 9 })
            let row = try store.row("a")
            #expect(try row.tree().nodes.count <= StoreLimits.recentRevisionsMax)
            #expect((row.storedTree?.count ?? 0) < 650)
            for position in [0, 9, count / 2, count - 1] {
                let document = try store.document("a", at: revisions[position])
                #expect(document.body["n"]?.intValue == position)
                #expect(document.isDeleted == (position % 10 == 9))
            }
            await expectFailure(.conflict) { try await store.save(#"{"_id":"a","_rev":"\#(revisions[0])"}"#) }
        }
    }

    @Test(
        "A path that meets the history within a segment is joined there", arguments: [1, 15, 16, 17, 50, 68, 69, 99])
    func graftIntoSegment(parent: Int) async throws {
        try await withDatastore { store in
            let revisions = try await makeHistory(store, 101)
            let path =
                [RevisionID(generation: parent + 1, hash: .text("x"))] + revisions[..<parent].suffix(3).reversed()
            #expect(try await store.graft("a", path: path))
            #expect(try await !store.graft("a", path: path))
            let tree = try tree(store)
            #expect(tree.nodes.count == 102)
            #expect(tree.leaves.map(\.revision) == [revisions[100], path[0]])
            let branch = try #require(tree.index(of: path[0]))
            #expect(tree.path(from: branch).dropFirst() == revisions[..<parent].reversed()[...])
            try await store.checkInvariants()

            let next = try await store.save(#"{"_id":"a","_rev":"\#(revisions[100])"}"#)
            #expect(try store.row("a").winner.revision == next)
        }
    }

    @Test("A revision in a segment may arrive again: it is known, and the history stays")
    func knownInSegment() async throws {
        try await withDatastore { store in
            let revisions = try await makeHistory(store, 101)
            let sequence = store.updateSequence
            for generation in [1, 5, 16, 17, 60, 101] {
                let path = Array(revisions[..<generation].reversed())
                #expect(try await !store.graft("a", path: path))
                #expect(try tree(store).nodes.map(\.revision) == revisions)
            }
            #expect(store.updateSequence == sequence)
        }
    }

    @Test("A long path arrives at once, and a part of it later")
    func longPath() async throws {
        try await withDatastore { store in
            let path = chain(1...1_000)
            try await store.graft("a", path: path)
            #expect(try tree(store).nodes.map(\.revision) == path.reversed())
            #expect(try store.row("a").tree().nodes.count <= StoreLimits.recentRevisionsMax)
            let stem = [RevisionID(generation: 1_001, hash: .text("next"))] + path.prefix(5)
            #expect(try await store.graft("a", path: stem))
            #expect(try tree(store).nodes.count == 1_000)
        }
    }

    @Test("A stem without a common revision is stored separately until its path arrives")
    func stemBesideHistory() async throws {
        try await withDatastore { store in
            let revisions = try await makeHistory(store, 60)
            let stem = chain(31...40)
            #expect(try await store.graft("a", path: stem))
            #expect(try tree(store).nodes.count == 70)
            #expect(try store.row("a").leaves.count == 2)
            let whole = stem + revisions[..<30].reversed()
            #expect(try await !store.graft("a", path: whole))
            let tree = try tree(store)
            #expect(tree.nodes.count == 70)
            let joined = try #require(tree.index(of: stem[0]))
            #expect(tree.path(from: joined) == whole)
        }
    }
}
