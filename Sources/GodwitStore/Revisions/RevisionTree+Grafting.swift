//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension RevisionTree {
    /// What grafting a path did to the tree.
    package enum Graft: Equatable, Sendable {
        /// The revision was there already; nothing changed.
        case known
        /// The revision was there already; the path told of ancestors that were not known, or joined it to them.
        case extended
        /// The revision is new.
        case added
        /// The path meets no revision here; the older ancestry must be read before it can be judged.
        case needsOlder
    }

    /// Joins a revision with its history to the tree.
    ///
    /// - Parameters:
    ///   - path: The revision and its ancestors, the youngest first, each one generation below the one before.
    ///   - isDeleted: Whether the revision is a deletion.
    /// - Returns: What became of it. After ``Graft/needsOlder`` the tree is unchanged.
    /// - Complexity: O(*p* · *n*) for a path of *p* revisions and a tree of *n*; the youngest are looked at first.
    package mutating func graft(_ path: [RevisionID], isDeleted: Bool) -> Graft {
        if olderCount > 0, !path.contains(where: { index(of: $0) != nil }) { return .needsOlder }
        let isNew = index(of: path[0]) == nil
        var isExtended = false
        var child: (place: Int, isKnown: Bool)?
        for (turn, revision) in path.enumerated() {
            if let known = child, known.isKnown, nodes[known.place].parent != nil || olderCount > 0 {
                // Above the root of the stored part the path can only repeat what the segments hold; and what the tree
                // knows stands against a path that says otherwise.
                guard let parent = nodes[known.place].parent, nodes[parent].revision == revision else { break }
                child = (parent, true)
                continue
            }
            let found = index(of: revision)
            let here = found ?? append(revision, isDeleted: turn == 0 && isDeleted)
            if let child {
                nodes[child.place].parent = here
                isExtended = true
            }
            child = (here, found != nil)
        }
        restoreOrder()
        return isNew ? .added : isExtended ? .extended : .known
    }

    /// Adds a child to the leaf at `parent`, or a first revision when `parent` is `nil`.
    package mutating func append(_ revision: RevisionID, parent: Int?, isDeleted: Bool) {
        nodes.append(Node(revision: revision, parent: parent, isDeleted: isDeleted))
        restoreOrder()
    }

    private mutating func append(_ revision: RevisionID, isDeleted: Bool) -> Int {
        nodes.append(Node(revision: revision, parent: nil, isDeleted: isDeleted))
        return nodes.count - 1
    }

    /// Puts parents before children again after nodes were appended.
    private mutating func restoreOrder() {
        let isOrdered = zip(nodes, nodes.dropFirst()).allSatisfy { $0.revision.generation <= $1.revision.generation }
        guard !isOrdered else { return }
        let order = nodes.indices.sorted {
            (nodes[$0].revision.generation, $0) < (nodes[$1].revision.generation, $1)
        }
        var placeAfter = [Int](repeating: 0, count: nodes.count)
        for (after, before) in order.enumerated() { placeAfter[before] = after }
        nodes = order.map { before in
            var node = nodes[before]
            node.parent = node.parent.map { placeAfter[$0] }
            return node
        }
    }
}
