//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension RevisionTree {
    /// The effect on the tree when a path is grafted. A path is a revision with its ancestors.
    package enum Graft: Equatable, Sendable {
        /// The revision was known; nothing changed.
        case known
        /// The revision was known; the path added unknown ancestors, or connected the revision to known ancestors.
        case extended
        /// The revision is new.
        case added
        /// The path contains no revision of the stored part of the tree, so the older ancestry must be read first.
        case needsOlder
    }

    /// Adds a revision and its history to the tree.
    ///
    /// - Parameters:
    ///   - path: The revision and its ancestors, the youngest first. The path has at least one revision. The generation
    ///     of each revision is one less than the generation of the revision before it.
    ///   - isDeleted: Whether the revision is a deletion.
    /// - Returns: The effect. After ``Graft/needsOlder`` the tree is unchanged.
    /// - Complexity: O(*p* · *n*) for a path of *p* revisions and a tree of *n* revisions. The search for known
    ///   revisions begins at the youngest revision of the path.
    package mutating func graft(_ path: [RevisionID], isDeleted: Bool) -> Graft {
        invariant(!path.isEmpty, "a path has a revision")
        invariant(
            path.last.map { path[0].generation - $0.generation == path.count - 1 } ?? true,
            "a path descends by one generation")
        let previousCount = nodes.count
        if olderCount > 0, !path.contains(where: { index(of: $0) != nil }) { return .needsOlder }
        let isNew = index(of: path[0]) == nil
        var isExtended = false
        var child: (position: Int, isKnown: Bool)?
        for (depth, revision) in path.enumerated() {
            if let knownChild = child, knownChild.isKnown, nodes[knownChild.position].parent != nil || olderCount > 0 {
                // From here on, the path should only repeat known ancestors, in the tree or in segments. If the path
                // contradicts the tree, the tree takes precedence.
                guard let parent = nodes[knownChild.position].parent, nodes[parent].revision == revision else { break }
                child = (parent, true)
                continue
            }
            let knownIndex = index(of: revision)
            let nodeIndex = knownIndex ?? append(revision, isDeleted: depth == 0 && isDeleted)
            if let child {
                let generation = nodes[child.position].revision.generation
                invariant(nodes[child.position].parent == nil, "a revision has one parent")
                invariant(revision.generation + 1 == generation, "a parent is one generation older")
                nodes[child.position].parent = nodeIndex
                isExtended = true
            }
            child = (nodeIndex, knownIndex != nil)
        }
        restoreOrder()
        invariant(index(of: path[0]) != nil, "a grafted revision is in the tree")
        invariant(isNew || isExtended || nodes.count == previousCount, "a known path adds no revision")
        return isNew ? .added : isExtended ? .extended : .known
    }

    /// Adds a child of the node at `parent`, or a root if `parent` is `nil`.
    package mutating func append(_ revision: RevisionID, parent: Int?, isDeleted: Bool) {
        invariant(
            parent.map { nodes[$0].revision.generation + 1 == revision.generation } ?? true,
            "a parent is one generation older")
        invariant(parent != nil || olderCount == 0, "a tree with segments has one root")
        nodes.append(Node(revision: revision, parent: parent, isDeleted: isDeleted))
        restoreOrder()
    }

    private mutating func append(_ revision: RevisionID, isDeleted: Bool) -> Int {
        nodes.append(Node(revision: revision, parent: nil, isDeleted: isDeleted))
        return nodes.count - 1
    }

    /// Sorts the nodes so that parents precede children, after nodes were appended.
    private mutating func restoreOrder() {
        let isOrdered = zip(nodes, nodes.dropFirst()).allSatisfy { $0.revision.generation <= $1.revision.generation }
        guard !isOrdered else { return }
        let order = nodes.indices.sorted {
            (nodes[$0].revision.generation, $0) < (nodes[$1].revision.generation, $1)
        }
        var newIndexes = [Int](repeating: 0, count: nodes.count)
        for (newIndex, oldIndex) in order.enumerated() { newIndexes[oldIndex] = newIndex }
        nodes = order.map { oldIndex in
            var node = nodes[oldIndex]
            node.parent = node.parent.map { newIndexes[$0] }
            return node
        }
    }
}
