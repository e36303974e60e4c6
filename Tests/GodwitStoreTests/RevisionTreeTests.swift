//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

/// Compares the tree with a short reference implementation, for every small history and every order of arrival.
@Suite("Revision trees")
struct RevisionTreeTests {
    @Test("Every order in which leaves arrive gives the same leaves, winner and parents")
    func leavesInEveryOrder() throws {
        var worlds = 0
        for world in TreeWorld.allWithDeletions(nodesMax: 6) {
            let (leaves, edges) = (world.leaves, world.edges)
            for order in permutations(world.leafIndices) {
                worlds += 1
                var tree = RevisionTree()
                let isNew = order.allSatisfy { tree.graft($0, of: world) == .added }
                let isKnown = order.allSatisfy { tree.graft($0, of: world) == .known }
                guard isNew, isKnown, tree.leaves == leaves, tree.edges == edges else {
                    Issue.record("\(world) in order \(order): \(tree)")
                    return
                }
            }
        }
        #expect(worlds > 5_000)
    }

    @Test("Revisions that arrive one by one, ancestors last, give the same tree")
    func everyRevisionInEveryOrder() throws {
        for world in TreeWorld.all(nodesMax: 5) {
            let (leaves, edges) = (world.leaves, world.edges)
            for order in permutations(Array(world.parents.indices)) {
                var tree = RevisionTree()
                for position in order { tree.graft(position, of: world) }
                guard tree.leaves == leaves, tree.edges == edges else {
                    Issue.record("\(world) in order \(order): \(tree)")
                    return
                }
            }
        }
    }

    @Test("Truncated paths are joined when the complete ones arrive")
    func stemmedPaths() throws {
        for world in TreeWorld.allWithDeletions(nodesMax: 5) {
            let (leaves, edges) = (world.leaves, world.edges)
            for length in 1...TreeWorld.depthMax {
                for order in permutations(world.leafIndices) {
                    var tree = RevisionTree()
                    for (turn, position) in order.enumerated() {
                        tree.graft(position, of: world, length: length + turn % 2)
                    }
                    for position in order.reversed() { tree.graft(position, of: world) }
                    let isKnown = order.allSatisfy { tree.graft($0, of: world) == .known }
                    guard isKnown, tree.leaves == leaves, tree.edges == edges else {
                        Issue.record("\(world) cut to \(length) in order \(order): \(tree)")
                        return
                    }
                }
            }
        }
    }

    @Test("Joining a stem reports a change of the tree, although the revision was known")
    func extended() throws {
        let path = try [revision("3-c"), revision("2-b"), revision("1-a")]
        var tree = RevisionTree()
        #expect(tree.graft([path[0]], isDeleted: false) == .added)
        #expect(tree.graft([path[2]], isDeleted: false) == .added)
        #expect(tree.leaves.map(\.revision.description) == ["3-c", "1-a"])
        #expect(tree.graft(path, isDeleted: false) == .extended)
        #expect(tree.leaves.map(\.revision.description) == ["3-c"])
        #expect(tree.graft(path, isDeleted: false) == .known)
    }

    @Test(
        "CouchDB's winners",
        arguments: [
            (["4-a", "3-z"], "4-a"), (["2-a", "2-b"], "2-b"), (["5-a*", "2-a"], "2-a"), (["5-a*", "6-a*"], "6-a"),
            (["2-a*", "2-b*"], "2-b"), (["9-x", "10-a"], "10-a"), (["1-a", "1-A"], "1-a"),
        ])
    func winners(leaves: [String], winner: String) throws {
        for order in permutations(leaves) {
            var tree = RevisionTree()
            for text in order {
                _ = tree.graft([try revision(String(text.prefix { $0 != "*" }))], isDeleted: text.hasSuffix("*"))
            }
            #expect(tree.leaves[0].revision.description == winner)
        }
    }
}
