//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension RevisionTree {
    /// Forgets the revisions that lie `limit` generations or more above every leaf that descends from them, as CouchDB's
    /// `_revs_limit` has it: each leaf keeps a history of `limit` revisions, itself included.
    ///
    /// Of the older revisions in segments, whole segments are forgotten: `olderCount` says how many revisions remain, and
    /// whoever calls this removes the segments. Branches whose common ancestors are forgotten stay, each with a root of
    /// its own.
    mutating func stem(to limit: Int) {
        guard nodes.count + olderCount > limit else { return }
        // How many generations below each revision the nearest leaf is; children stand after their parents.
        var distances = [Int](repeating: .max, count: nodes.count)
        for place in nodes.indices.reversed() {
            if distances[place] == .max { distances[place] = 0 }
            if let parent = nodes[place].parent { distances[parent] = min(distances[parent], distances[place] + 1) }
        }
        let olderKept = max(limit - 1 - distances[0], 0)
        if olderKept < olderCount {
            olderCount -= (olderCount - olderKept) / StoreLimits.segmentRevisions * StoreLimits.segmentRevisions
        }
        guard distances.contains(where: { $0 >= limit }) else { return }
        var kept: [Node] = []
        var placeAfter = [Int?](repeating: nil, count: nodes.count)
        for place in nodes.indices where distances[place] < limit {
            var node = nodes[place]
            node.parent = node.parent.flatMap { placeAfter[$0] }
            placeAfter[place] = kept.count
            kept.append(node)
        }
        nodes = kept
    }
}
