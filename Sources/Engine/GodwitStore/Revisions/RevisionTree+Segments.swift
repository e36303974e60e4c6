//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension RevisionTree {
    /// Removes the oldest revisions from a tree that is too long for its row.
    ///
    /// Only revisions of the trunk are removed. The trunk is the chain that begins at the only root and ends before the
    /// first revision with two children.
    ///
    /// - Returns: The revisions of one segment, the oldest first; `nil` if the tree is short or has a branch too close
    ///   to its root.
    mutating func takeSegment() -> [Node]? {
        let count = StoreLimits.segmentRevisions
        guard nodes.count > StoreLimits.recentRevisionsMax, isTrunk(count + 1) else { return nil }
        let segment = Array(nodes.prefix(count))
        nodes.removeFirst(count)
        for index in nodes.indices {
            nodes[index].parent = nodes[index].parent.flatMap { $0 >= count ? $0 - count : nil }
        }
        invariant(nodes[0].parent == nil, "the oldest revision of a row is its root")
        invariant(
            segment[count - 1].revision.generation + 1 == nodes[0].revision.generation,
            "a segment ends one generation before the root of its row")
        invariant(
            segment[count - 1].revision.generation - segment[0].revision.generation == count - 1,
            "a segment has successive generations")
        olderCount += count
        return segment
    }

    /// Whether the first `count` revisions are a chain, and all other revisions descend from the last revision of this
    /// chain.
    private func isTrunk(_ count: Int) -> Bool {
        for index in nodes.indices {
            switch index {
            case 0: if nodes[index].parent != nil { return false }
            case ..<count: if nodes[index].parent != index - 1 { return false }
            default: if (nodes[index].parent ?? 0) < count - 1 { return false }
            }
        }
        return true
    }

    /// Inserts the older ancestry before the root.
    ///
    /// - Parameter older: All revisions of the segments, the oldest first.
    mutating func restore(older: [Node]) {
        invariant(older.count == olderCount, "a row counts the revisions in its segments")
        invariant(
            older.last.map { $0.revision.generation == nodes[0].revision.generation - 1 } ?? true,
            "segments end one generation before the root of their row")
        var allNodes = older + nodes
        for index in allNodes.indices.dropFirst() {
            allNodes[index].parent =
                index <= older.count ? index - 1 : allNodes[index].parent.map { $0 + older.count }
        }
        nodes = allNodes
        olderCount = 0
    }
}

extension [RevisionTree.Node] {
    /// Whether the revisions are successive generations, the oldest first, that end before a revision.
    func isHistory(of revision: RevisionID) -> Bool {
        zip(self, dropFirst()).allSatisfy { $0.revision.generation == $1.revision.generation - 1 }
            && last.map { $0.revision.generation == revision.generation - 1 } ?? true
    }
}
