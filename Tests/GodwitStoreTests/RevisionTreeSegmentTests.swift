//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

@Suite("Segments of older ancestry")
struct RevisionTreeSegmentTests {
    /// Returns a trunk of `count` revisions, with a second branch of `branchLength` from generation `fork` on.
    private func tree(_ count: Int, fork: Int? = nil, branchLength: Int = 1) -> RevisionTree {
        var tree = RevisionTree()
        func path(_ hash: String, _ count: Int) -> [RevisionID] {
            (1...count).reversed().map { generation in
                let isTrunk = generation <= (fork ?? .max)
                return RevisionID(generation: generation, hash: .text(isTrunk ? "t" : hash))
            }
        }
        _ = tree.graft(path("t", count), isDeleted: false)
        if let fork { _ = tree.graft(path("u", fork + branchLength), isDeleted: true) }
        return tree
    }

    @Test("Removing segments and restoring them gives the same tree", arguments: [33, 48, 49, 100, 1_000])
    func inverse(count: Int) {
        for fork in [nil, count - 1, count - 16] as [Int?] {
            let whole = tree(count, fork: fork)
            var part = whole
            var older: [RevisionTree.Node] = []
            while let segment = part.takeSegment() {
                #expect(segment.count == StoreLimits.segmentRevisions)
                older += segment
                #expect(part.olderCount == older.count)
                #expect(part.leaves == whole.leaves)
            }
            #expect(!older.isEmpty)
            #expect(older.map(\.revision) == Array(whole.nodes.prefix(older.count)).map(\.revision))
            part.restore(older: older)
            #expect(part == whole)
        }
    }

    @Test("A deletion in the ancestry is kept")
    func deletions() {
        var whole = tree(1)
        for generation in 2...64 {
            let revision = RevisionID(generation: generation, hash: .text("t"))
            whole.append(revision, parent: generation - 2, isDeleted: generation % 5 == 0)
        }
        var part = whole
        var older: [RevisionTree.Node] = []
        while let segment = part.takeSegment() { older += segment }
        part.restore(older: older)
        #expect(part == whole)
    }

    @Test("A short tree and one that branches early stay complete")
    func nothingToTake() {
        for (count, fork) in [(1, nil), (32, nil), (60, 1), (60, 15), (60, 16)] as [(Int, Int?)] {
            var tree = tree(count, fork: fork)
            let before = tree
            #expect(tree.takeSegment() == nil)
            #expect(tree == before)
        }
        var twoRoots = tree(50)
        _ = twoRoots.graft([RevisionID(generation: 40, hash: .text("stem"))], isDeleted: false)
        #expect(twoRoots.takeSegment() == nil)
    }

    @Test("A trunk can be moved up to the revision before its first fork")
    func forkAtTheEdge() {
        for fork in 17...20 {
            var tree = tree(60, fork: fork)
            let leaves = tree.leaves
            #expect(tree.takeSegment() != nil)
            #expect(tree.takeSegment() == nil)
            #expect(tree.leaves == leaves)
        }
    }

    @Test("A path that meets only older ancestry requests it, and changes nothing")
    func needsOlder() throws {
        var part = tree(100)
        var older: [RevisionTree.Node] = []
        while let segment = part.takeSegment() { older += segment }
        let before = part
        let path = [RevisionID(generation: 6, hash: .text("new")), RevisionID(generation: 5, hash: .text("t"))]
        #expect(part.graft(path, isDeleted: false) == .needsOlder)
        #expect(part == before)
        part.restore(older: older)
        #expect(part.graft(path, isDeleted: false) == .added)
        #expect(part.leaves.map(\.revision.description) == ["100-t", "6-new"])
        #expect(part.takeSegment() == nil)
    }
}
