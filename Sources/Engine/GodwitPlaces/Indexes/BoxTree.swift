//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// SQLite adds the entries of an R*Tree one at a time. For each entry, it reads the nodes from the root to a leaf. It
// writes the leaf, and also the nodes above the leaf whose boxes grew. Two further tables contain the node of each
// entry and the parent of each node. If the entries of many documents are added in this way, the same nodes are changed
// many times, and most of the time is used by statements. `BoxTree` adds the entries of many documents together, so
// that each node is read and written only once. The tables have the format and the content that SQLite would have
// written. Therefore, SQLite can read the tables, remove entries and check the tree (`rtreecheck`). It is safe to
// change the tables without SQLite's module, because SQLite caches no node between statements: its next statement reads
// the nodes that `BoxTree` wrote. `TreePacking` creates the tree of an index that is being built.

/// Adds many entries at a time to an R*Tree of SQLite.
struct BoxTree {
    private let connection: SQLiteConnection
    private let readNode: SQLiteStatement
    private let writeNode: SQLiteStatement
    private let addNode: SQLiteStatement
    private let setParent: SQLiteStatement
    private let setLeaf: SQLiteStatement
    /// The buffer for writing a node.
    private var bytes: [UInt8] = []
    private var cellsMax = 0
    /// The entries and the leaves that contain them.
    private var leaves: [(entry: Int64, leaf: Int64)] = []

    /// Prepares the statements for a tree.
    ///
    /// - Parameter statement: A closure that returns the prepared statement for a number from 0 to 4. The second
    ///   argument of the closure returns the SQL of the statement.
    init(
        _ table: String, on connection: SQLiteConnection, statement: (Int, () -> String) throws -> SQLiteStatement
    ) throws {
        self.connection = connection
        readNode = try statement(0) { "SELECT data FROM \(table)_node WHERE nodeno = ?1" }
        writeNode = try statement(1) { "INSERT OR REPLACE INTO \(table)_node(nodeno, data) VALUES(?1, ?2)" }
        addNode = try statement(2) { "INSERT INTO \(table)_node(data) VALUES(?1)" }
        setParent = try statement(3) { "INSERT OR REPLACE INTO \(table)_parent(nodeno, parentnode) VALUES(?1, ?2)" }
        setLeaf = try statement(4) { "INSERT OR REPLACE INTO \(table)_rowid(rowid, nodeno) VALUES(?1, ?2)" }
    }

    /// Adds entries that the tree does not contain.
    mutating func insert(_ entries: [BoxCell]) throws {
        guard !entries.isEmpty else { return }
        let root = try node(BoxNode.root)
        var levels = root.levels
        var cells = try cells(of: root, with: entries, level: levels)
        while cells.count > cellsMax {
            cells = try write(&cells, over: nil, level: levels)
            levels += 1
        }
        try write(cells[...], levels: levels, over: BoxNode.root)
        try recordNode(cells[...], in: BoxNode.root, isMoved: false, level: levels)
        // The list is sorted by entries. Adjacent rows are then in the same pages, so that fewer pages are written.
        leaves.sort { $0.entry < $1.entry }
        for (entry, leaf) in leaves { try setNode(setLeaf, entry, leaf) }
        leaves.removeAll()
    }

    /// Returns the cells of a node after entries were added to it and its descendants.
    private mutating func cells(of node: BoxNode, with entries: [BoxCell], level: Int) throws -> [BoxCell] {
        guard level > 0 else { return node.cells + entries }
        guard !node.cells.isEmpty else { throw BoxNode.damaged }
        var parts: [[BoxCell]] = Array(repeating: [], count: node.cells.count)
        let areas = node.cells.map(\.sides.area)
        for entry in entries { parts[Self.cellIndex(for: entry, among: node.cells, areas)].append(entry) }
        var cells = node.cells
        for (child, part) in parts.enumerated() where !part.isEmpty {
            let number = cells[child].number
            var childCells = try self.cells(of: try self.node(number), with: part, level: level - 1)
            let writtenCells = try write(&childCells, over: number, level: level - 1)
            invariant(writtenCells.first?.number == number, "a node that is divided keeps its number")
            cells[child] = writtenCells[0]
            cells += writtenCells.dropFirst()
        }
        return cells
    }

    /// Returns the index of the cell whose area grows least when the entry is added. If several cells grow equally,
    /// returns the index of the smallest of them, as SQLite does.
    private static func cellIndex(for entry: BoxCell, among cells: [BoxCell], _ areas: [Double]) -> Int {
        var (bestIndex, leastGrowth, leastArea) = (0, Double.infinity, Double.infinity)
        for index in cells.indices {
            let area = areas[index]
            let growth = cells[index].sides.joined(entry.sides).area - area
            if growth < leastGrowth || growth == leastGrowth && area < leastArea {
                (bestIndex, leastGrowth, leastArea) = (index, growth, area)
            }
        }
        return bestIndex
    }

    // MARK: Nodes

    private mutating func node(_ number: Int64) throws -> BoxNode {
        defer { readNode.reset() }
        readNode.bind(number, at: 1)
        guard try readNode.step() else { throw BoxNode.damaged }
        let (node, count) = try readNode.withBytes(0) { (bytes) throws(SQLiteError) in
            (try BoxNode(bytes), bytes.count)
        }
        guard node.levels == 0 || number == BoxNode.root else { throw BoxNode.damaged }
        if bytes.count != count {
            try BoxNode.check(bytes: count)
            bytes = Array(repeating: 0, count: count)
            cellsMax = BoxNode.cellsMax(bytes: count)
        }
        return node
    }

    /// Writes cells to a node and, if they do not fit, to further new nodes. If the number is `nil`, writes only to new
    /// nodes.
    ///
    /// - Returns: The cells of these nodes; the cell of the existing node is first.
    private mutating func write(_ cells: inout [BoxCell], over number: Int64?, level: Int) throws -> [BoxCell] {
        let parts = cells.count > cellsMax ? BoxSplit(&cells, cellsMax: cellsMax).parts : [0..<cells.count]
        var writtenCells: [BoxCell] = []
        for part in parts {
            let cells = cells[part]
            let existingNumber = writtenCells.isEmpty ? number : nil
            let node = try write(cells, levels: 0, over: existingNumber)
            try recordNode(cells, in: node, isMoved: existingNumber == nil, level: level)
            let box = cells.reduce(SIMD4.noBox) { $0.joined($1.sides) }
            writtenCells.append(BoxCell(number: node, sides: box, isNew: existingNumber == nil))
        }
        return writtenCells
    }

    @discardableResult
    private mutating func write(_ cells: ArraySlice<BoxCell>, levels: Int, over number: Int64?) throws -> Int64 {
        BoxNode.write(cells, levels: levels, to: &bytes)
        guard let number else {
            try addNode.run(binding: bytes, at: 1)
            return connection.lastInsertedRow
        }
        writeNode.bind(number, at: 1)
        try writeNode.run(binding: bytes, at: 2)
        return number
    }

    /// Writes to the tables which node contains some cells. This is done only for cells that are new or were moved to
    /// this node.
    private mutating func recordNode(_ cells: ArraySlice<BoxCell>, in node: Int64, isMoved: Bool, level: Int) throws {
        for cell in cells where isMoved || cell.isNew {
            if level == 0 { leaves.append((cell.number, node)) } else { try setNode(setParent, cell.number, node) }
        }
    }

    private func setNode(_ statement: SQLiteStatement, _ number: Int64, _ node: Int64) throws {
        statement.bind(number, at: 1)
        statement.bind(node, at: 2)
        try statement.run()
    }
}
