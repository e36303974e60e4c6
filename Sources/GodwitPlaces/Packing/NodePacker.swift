//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitSQLite

/// Makes an R*Tree from below: cells that come in order fill one leaf after the other, the leaves' cells the nodes above them.
///
/// Until ``finish(on:)`` the root is empty, and the tree with it.
struct NodePacker {
    /// The nodes of one level.
    private struct Level {
        /// How many cells it has in all, and how many nodes share them evenly.
        let cellCount: Int
        let nodeCount: Int
        /// How many nodes are written.
        var written = 0
        /// The cells of the next one.
        var cells: [BoxCell] = []

        /// Whether the next node has its share.
        var isFull: Bool {
            cells.count == (written + 1) * cellCount / nodeCount - written * cellCount / nodeCount
        }
    }

    /// How full a node is made, so that places that come later need not split it at once.
    private static let filled = 0.9

    private let table: String
    private let nodeBytes: Int
    private var levels: [Level]
    private var lastNode = BoxNode.root
    /// Entries and the leaves that they went to.
    private(set) var leaves: [LeafEntry] = []

    /// - Parameters:
    ///   - table: The R*Tree, which is empty.
    ///   - nodeBytes: How long its nodes are.
    ///   - count: How many cells will come.
    init(table: String, nodeBytes: Int, count: Int) {
        self.table = table
        self.nodeBytes = nodeBytes
        let cellsMax = BoxNode.cellsMax(bytes: nodeBytes)
        let share = max(2, Int(Double(cellsMax) * Self.filled))
        var counts = [count]
        while counts.last! > cellsMax { counts.append((counts.last! + share - 1) / share) }
        levels = zip(counts, counts.dropFirst() + [1]).map { Level(cellCount: $0, nodeCount: $1) }
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
        try position(cells, in: lastNode, level: level, nodes)
        levels[level].cells.removeAll(keepingCapacity: true)
        levels[level].written += 1
        let box = cells.reduce(SIMD4.noBox) { $0.joined($1.sides) }
        try add(BoxCell(number: lastNode, sides: box, isNew: true), level: level + 1, nodes)
    }

    private mutating func position(_ cells: [BoxCell], in node: Int64, level: Int, _ nodes: NodeWriter) throws {
        if level == 0 {
            for cell in cells { leaves.append(LeafEntry(entry: cell.number, leaf: node)) }
        } else {
            for cell in cells { try nodes.setParent(of: cell.number, node) }
        }
    }

    /// Takes out what is known of entries, for ``NodeWriter/add(_:)``.
    mutating func takeLeaves() -> [LeafEntry] {
        defer { leaves = [] }
        return leaves
    }

    /// Tells where the cells below the root are, so that ``takeLeaves()`` has all.
    mutating func close(on connection: SQLiteConnection) throws {
        try position(levels.last!.cells, in: BoxNode.root, level: levels.count - 1, NodeWriter(table, on: connection))
    }

    /// Writes the root, and the tree is there.
    func finish(on connection: SQLiteConnection) throws {
        let root = BoxNode.bytes(of: levels.last!.cells[...], levels: levels.count - 1, count: nodeBytes)
        try NodeWriter(table, on: connection).add(BoxNode.root, root)
    }
}

/// An entry and the leaf that it is in.
struct LeafEntry {
    let entry: Int64
    let leaf: Int64
}
