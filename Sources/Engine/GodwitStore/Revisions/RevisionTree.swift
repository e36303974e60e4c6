//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The revisions of a document are a forest, in which each revision refers to its parent. Replication grafts branches
// from other databases. If the forest has several live leaves, the document is in conflict. Every replica must follow
// these rules of CouchDB exactly:
//
// - The winner is the greatest leaf. A leaf that is not deleted is greater than a deleted leaf. If both leaves are
//   deleted, or both are not deleted, the leaf with the higher generation is greater. If the generations are also
//   equal, the leaf with the bytewise greater hash is greater. The winner depends only on the set of leaves, never on
//   the order in which they arrived.
// - An incoming path is connected at its youngest revision that is in the tree. The revisions of the path that were not
//   in the tree are stored without a body, except the new leaf.
//
// The tree is a flat array with parents before children. A generation is always one more than the parent's, so sorting
// by generation keeps parents before children. An index in the array identifies a parent. A tree of references was
// rejected, because a row has at most a few dozen revisions, and decoding a flat array costs only one allocation.

/// The revisions of one document and their ancestry.
package struct RevisionTree: Equatable, Sendable {
    /// One revision.
    package struct Node: Equatable, Sendable {
        /// The id of the revision.
        package let revision: RevisionID
        /// The index of the parent; `nil` for a root. The parent of a root is not in this array.
        package var parent: Int?
        /// Whether the revision is a deletion.
        package var isDeleted: Bool
        /// The key of the row of the table `superseded` that has the revision's body; 0 if the body was never stored in
        /// this table.
        var position: Int64 = 0
    }

    /// The revisions, parents before children.
    package internal(set) var nodes: [Node]

    /// The number of older revisions that are not in `nodes`, but in rows of the table `ancestry`, the segments. If
    /// there are such revisions, `nodes` has only one root, and these revisions are the ancestors of this root.
    package internal(set) var olderCount = 0

    /// Creates a tree from its revisions, parents before children; by default an empty tree.
    package init(nodes: [Node] = []) { self.nodes = nodes }

    /// A revision without descendants.
    package struct Leaf: Hashable, Sendable {
        /// The id of the revision.
        package let revision: RevisionID
        /// Whether the revision is a deletion.
        package let isDeleted: Bool

        /// Creates a leaf from its revision, and whether the revision is a deletion.
        package init(revision: RevisionID, isDeleted: Bool) {
            self.revision = revision
            self.isDeleted = isDeleted
        }

        /// Whether this leaf takes precedence over another leaf.
        package func wins(over other: Leaf) -> Bool {
            isDeleted == other.isDeleted ? revision > other.revision : !isDeleted
        }
    }

    /// The leaves in the order of precedence, the winner first.
    package var leaves: [Leaf] {
        var hasChild = [Bool](repeating: false, count: nodes.count)
        for node in nodes { if let parent = node.parent { hasChild[parent] = true } }
        return nodes.indices.lazy.filter { !hasChild[$0] }
            .map { Leaf(revision: nodes[$0].revision, isDeleted: nodes[$0].isDeleted) }
            .sorted { $0.wins(over: $1) }
    }

    /// The index of a revision; `nil` if it is not in this part of the tree.
    package func index(of revision: RevisionID) -> Int? {
        // The search begins at the end, because most look-ups are for young revisions.
        nodes.lastIndex { $0.revision == revision }
    }

    /// Whether the revision at `index` has no descendants.
    package func isLeaf(_ index: Int) -> Bool { !nodes.contains { $0.parent == index } }

    /// The revision at `index` and its ancestors in this part of the tree, the youngest first.
    package func path(from index: Int) -> [RevisionID] {
        var path: [RevisionID] = []
        var nextIndex: Int? = index
        while let nodeIndex = nextIndex {
            path.append(nodes[nodeIndex].revision)
            nextIndex = nodes[nodeIndex].parent
        }
        return path
    }
}
