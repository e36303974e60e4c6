//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// Creates an R*Tree from the bottom up: sorted cells fill one leaf after the other, and the leaves' cells fill the
/// nodes above.
///
/// Until ``finish(on:)`` is called, the root is empty. Therefore readers see an empty tree.
struct NodePacker {
    /// The nodes of one level.
    private struct Level {
        /// The number of all cells of the level. They are divided evenly among `nodeCount` nodes.
        let cellCount: Int
        let nodeCount: Int
        /// The number of nodes that have been written.
        var writtenNodes = 0
        /// The cells of the next node.
        var cells: [BoxCell] = []

        /// Whether the next node has all its cells.
        var isFull: Bool {
            cells.count == (writtenNodes + 1) * cellCount / nodeCount - writtenNodes * cellCount / nodeCount
        }
    }

    /// The part of a node's capacity that is filled. The rest is reserved for later entries, because a full node would
    /// be split when the next entry is added.
    private static let fillFactor = 0.9

    private let table: String
    private let nodeBytes: Int
    private var levels: [Level]
    private var lastNode = BoxNode.root
    /// The entries and the leaves that contain them.
    private(set) var leaves: [LeafEntry] = []

    /// Creates a packer.
    ///
    /// - Parameters:
    ///   - table: The R*Tree, which must be empty.
    ///   - nodeBytes: The size of the tree's nodes in bytes.
    ///   - count: The number of cells that will be added.
    init(table: String, nodeBytes: Int, count: Int) {
        self.table = table
        self.nodeBytes = nodeBytes
        let cellsMax = BoxNode.cellsMax(bytes: nodeBytes)
        let cellsPerNode = max(2, Int(Double(cellsMax) * Self.fillFactor))
        var counts = [count]
        while let last = counts.last, last > cellsMax { counts.append((last + cellsPerNode - 1) / cellsPerNode) }
        levels = zip(counts, counts.dropFirst() + [1]).map { Level(cellCount: $0, nodeCount: $1) }
        invariant(levels.last.map { $0.cellCount <= cellsMax } ?? false, "the cells of the root fit into a node")
    }

    /// Adds entries.
    mutating func add(_ cells: [CurveCell], on connection: SQLiteConnection) throws {
        let nodes = try NodeWriter(table, on: connection)
        for cell in cells { try add(cell.cell, level: 0, nodes) }
    }

    private mutating func add(_ cell: BoxCell, level: Int, _ nodes: NodeWriter) throws {
        levels[level].cells.append(cell)
        guard level + 1 < levels.count, levels[level].isFull else { return }
        lastNode += 1
        let cells = levels[level].cells
        try nodes.add(lastNode, BoxNode.bytes(of: cells[...], levels: 0, count: nodeBytes))
        try recordNode(cells, in: lastNode, level: level, nodes)
        levels[level].cells.removeAll(keepingCapacity: true)
        levels[level].writtenNodes += 1
        let box = cells.reduce(SIMD4.noBox) { $0.joined($1.sides) }
        try add(BoxCell(number: lastNode, sides: box, isNew: true), level: level + 1, nodes)
    }

    /// Records the node that contains some cells. If the cells are entries, the node is recorded in ``leaves``. If the
    /// cells are nodes, the node is recorded in the table of parents.
    private mutating func recordNode(_ cells: [BoxCell], in node: Int64, level: Int, _ nodes: NodeWriter) throws {
        if level == 0 {
            for cell in cells { leaves.append(LeafEntry(entry: cell.number, leaf: node)) }
        } else {
            for cell in cells { try nodes.setParent(of: cell.number, node) }
        }
    }

    /// Returns and clears the leaves of the entries, for ``NodeWriter/add(_:)``.
    mutating func takeLeaves() -> [LeafEntry] {
        defer { leaves = [] }
        return leaves
    }

    /// Records the cells that the root contains. After that, ``takeLeaves()`` returns all remaining leaves.
    mutating func close(on connection: SQLiteConnection) throws {
        invariant(levels.dropLast().allSatisfy { $0.cells.isEmpty }, "all nodes below the root are written")
        // Bounded: there is a level from the start.
        try recordNode(levels.last!.cells, in: BoxNode.root, level: levels.count - 1, NodeWriter(table, on: connection))
    }

    /// Writes the root, which makes the tree visible.
    func finish(on connection: SQLiteConnection) throws {
        // Bounded: as above.
        let root = BoxNode.bytes(of: levels.last!.cells[...], levels: levels.count - 1, count: nodeBytes)
        try NodeWriter(table, on: connection).add(BoxNode.root, root)
    }
}

/// An entry and its leaf.
struct LeafEntry {
    let entry: Int64
    let leaf: Int64
}
