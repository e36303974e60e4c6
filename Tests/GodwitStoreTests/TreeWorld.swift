//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import GodwitStore

/// A small history: revisions with their parents, and the set of deleted leaves.
struct TreeWorld: CustomStringConvertible {
    /// The index of each revision's parent, which precedes it; `nil` for a root.
    let parents: [Int?]
    let revisions: [RevisionID]
    var deleted: Set<Int> = []

    static let depthMax = 4
    static let childrenMax = 3
    static let rootsMax = 2

    /// Returns every forest of up to `nodesMax` revisions, within the limits above for depth, children and roots. Each
    /// shape occurs twice: with hashes in ascending and in descending order.
    static func all(nodesMax: Int) -> [TreeWorld] {
        var shapes: [[Int?]] = [[nil]]
        var worlds: [TreeWorld] = []
        for count in 1...nodesMax {
            worlds += shapes.flatMap { [TreeWorld($0, ascending: true), TreeWorld($0, ascending: false)] }
            if count < nodesMax { shapes = shapes.flatMap(extended) }
        }
        return worlds
    }

    /// Returns each of these histories once for each set of its leaves, with this set deleted.
    static func allWithDeletions(nodesMax: Int) -> [TreeWorld] {
        all(nodesMax: nodesMax).flatMap { world in
            (0..<1 << world.leafIndices.count).map { bits in
                var world = world
                world.deleted = Set(world.leafIndices.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
                return world
            }
        }
    }

    /// Returns a shape with one more revision. Parents ascend, so that each shape occurs once.
    private static func extended(_ shape: [Int?]) -> [[Int?]] {
        let last = shape.last.flatMap { $0 } ?? -1
        let roots = shape.count { $0 == nil }
        let isRootAllowed = last == -1 && roots < rootsMax
        let parents = shape.indices.filter { position in
            position >= last && depth(position, shape) < depthMax && shape.count { $0 == position } < childrenMax
        }
        return (isRootAllowed ? [shape + [nil]] : []) + parents.map { shape + [$0] }
    }

    private static func depth(_ position: Int, _ shape: [Int?]) -> Int {
        shape[position].map { depth($0, shape) + 1 } ?? 1
    }

    init(_ parents: [Int?], ascending: Bool) {
        self.parents = parents
        revisions = parents.indices.map { position in
            let letter = UInt8(ascii: "a") + UInt8(ascending ? position : 25 - position)
            return RevisionID(
                generation: TreeWorld.depth(position, parents), hash: .text(String(Unicode.Scalar(letter))))
        }
    }

    /// Returns a revision and its ancestors, the youngest first.
    func path(_ position: Int) -> [RevisionID] { [revisions[position]] + (parents[position].map(path) ?? []) }

    var description: String {
        parents.indices.map { position in
            let parent = parents[position].map { "\(revisions[$0])<" } ?? ""
            return "\(parent)\(revisions[position])\(deleted.contains(position) ? "*" : "")"
        }.joined(separator: " ")
    }
}

/// A short reference implementation of CouchDB's rules.
extension TreeWorld {
    var leafIndices: [Int] { parents.indices.filter { !parents.contains($0) } }

    /// The leaves, the winner first.
    var leaves: [RevisionTree.Leaf] {
        leafIndices
            .sorted { left, right in
                let (leftKey, rightKey) = (winnerKey(left), winnerKey(right))
                return leftKey > rightKey
            }
            .map { RevisionTree.Leaf(revision: revisions[$0], isDeleted: deleted.contains($0)) }
    }

    private func winnerKey(_ position: Int) -> (Int, Int, String) {
        (deleted.contains(position) ? 0 : 1, revisions[position].generation, revisions[position].hashText)
    }

    /// Each revision with its parent.
    var edges: [RevisionID: RevisionID?] {
        Dictionary(uniqueKeysWithValues: parents.indices.map { (revisions[$0], parents[$0].map { revisions[$0] }) })
    }
}

extension RevisionTree {
    /// Each revision with its parent.
    var edges: [RevisionID: RevisionID?] {
        Dictionary(uniqueKeysWithValues: nodes.map { ($0.revision, $0.parent.map { nodes[$0].revision }) })
    }

    /// Inserts a revision of a history with up to `length` revisions of its path.
    @discardableResult
    mutating func graft(_ position: Int, of world: TreeWorld, length: Int = .max) -> Graft {
        graft(Array(world.path(position).prefix(length)), isDeleted: world.deleted.contains(position))
    }
}
