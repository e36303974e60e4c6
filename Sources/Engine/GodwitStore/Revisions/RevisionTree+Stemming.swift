//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension RevisionTree {
    /// Removes old revisions, as CouchDB's `_revs_limit` defines: each leaf keeps a history of `limit` revisions,
    /// including itself. A revision is removed if every leaf that descends from it is at least `limit` generations
    /// younger.
    ///
    /// Of the revisions in segments, only complete segments are removed. This method reduces `olderCount` to the number
    /// of revisions that remain in segments, and the caller removes the other segments. Branches whose common ancestors
    /// are removed remain, each with its own root.
    mutating func stem(to limit: Int) {
        invariant(limit > 0, "a history keeps a revision")
        guard nodes.count + olderCount > limit else { return }
        // The number of generations between each revision and the nearest leaf that descends from it. Children follow
        // their parents in the list.
        var distances = [Int](repeating: .max, count: nodes.count)
        for index in nodes.indices.reversed() {
            if distances[index] == .max { distances[index] = 0 }
            if let parent = nodes[index].parent {
                distances[parent] = min(distances[parent], distances[index] + 1)
            }
        }
        let (olderKeptCount, previousOlderCount) = (max(limit - 1 - distances[0], 0), olderCount)
        if olderKeptCount < olderCount {
            olderCount -= (olderCount - olderKeptCount) / StoreLimits.segmentRevisions * StoreLimits.segmentRevisions
        }
        invariant(olderCount >= min(olderKeptCount, previousOlderCount), "a history keeps its older revisions")
        guard distances.contains(where: { $0 >= limit }) else { return }
        var remainingNodes: [Node] = []
        var newIndexes = [Int?](repeating: nil, count: nodes.count)
        for index in nodes.indices where distances[index] < limit {
            var node = nodes[index]
            node.parent = node.parent.flatMap { newIndexes[$0] }
            newIndexes[index] = remainingNodes.count
            remainingNodes.append(node)
        }
        invariant(!remainingNodes.isEmpty, "a tree keeps its leaves")
        invariant(remainingNodes.last?.revision == nodes.last?.revision, "a tree keeps its youngest revision")
        invariant(olderCount == 0 || distances[0] < limit, "a tree without its root has no segments")
        nodes = remainingNodes
    }
}
