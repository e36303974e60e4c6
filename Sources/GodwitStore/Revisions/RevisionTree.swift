//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A document's history is a forest: each revision knows its parent, replication grafts branches that were made
// elsewhere, and several leaves are a conflict. CouchDB's rules, which every replica must follow to the letter:
//
// - The winner is the greatest leaf: one that is not deleted before one that is, then the higher generation, then the
//   bytewise greater hash. It depends on the set of leaves alone, never on the order in which they arrived.
// - A path that arrives is joined where it meets the tree; what is missing in between is remembered without a body.
//
// The tree is a flat array with parents before children. A generation is always one more than the parent's, so sorting
// by generation keeps that order, and an index is enough to name a parent. A pointer tree was rejected: a row holds at
// most a few dozen revisions, and decoding a flat array costs one allocation.

/// The revisions of one document and how they descend from each other.
package struct RevisionTree: Equatable, Sendable {
    /// One revision.
    package struct Node: Equatable, Sendable {
        package let revision: RevisionID
        /// The index of the parent; `nil` for a root, whose own parent is unknown here.
        package var parent: Int?
        package var isDeleted: Bool
        /// Where its body lies among those of revisions that have a child (`superseded`); 0 when it never lay there.
        var place: Int64 = 0
    }

    /// The revisions, parents before children.
    package internal(set) var nodes: [Node]

    /// Revisions before the only root that live in segments, not here.
    package internal(set) var olderCount = 0

    package init(nodes: [Node] = []) { self.nodes = nodes }

    /// A revision that nothing descends from.
    package struct Leaf: Hashable, Sendable {
        package let revision: RevisionID
        package let isDeleted: Bool

        package init(revision: RevisionID, isDeleted: Bool) {
            self.revision = revision
            self.isDeleted = isDeleted
        }

        /// Whether this leaf wins over another.
        package func wins(over other: Leaf) -> Bool {
            isDeleted == other.isDeleted ? revision > other.revision : !isDeleted
        }
    }

    /// The leaves, the winner first, the others in the order in which they would win.
    package var leaves: [Leaf] {
        var hasChild = [Bool](repeating: false, count: nodes.count)
        for node in nodes { if let parent = node.parent { hasChild[parent] = true } }
        return nodes.indices.lazy.filter { !hasChild[$0] }
            .map { Leaf(revision: nodes[$0].revision, isDeleted: nodes[$0].isDeleted) }
            .sorted { $0.wins(over: $1) }
    }

    /// The place of a revision; `nil` when it is not in this part of the tree.
    package func index(of revision: RevisionID) -> Int? {
        // What is looked for is nearly always young.
        nodes.lastIndex { $0.revision == revision }
    }

    /// Whether nothing descends from the revision at `index`.
    package func isLeaf(_ index: Int) -> Bool { !nodes.contains { $0.parent == index } }

    /// The revision at `index` and its ancestors here, the youngest first.
    package func path(from index: Int) -> [RevisionID] {
        var path: [RevisionID] = []
        var next: Int? = index
        while let place = next {
            path.append(nodes[place].revision)
            next = nodes[place].parent
        }
        return path
    }
}
