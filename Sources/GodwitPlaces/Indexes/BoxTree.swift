//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

// SQLite adds the entries of an R*Tree one at a time: it reads the nodes on the path, writes the leaf and those nodes
// above it whose boxes grew, and records in two more tables which node contains what. A thousand places of a hundred
// journeys change the same nodes ten times each, and most of the time is spent in statements. Here the entries of many
// documents descend the tree together, and each node is read and written once. The tables are SQLite's own, with the
// content that SQLite would have written: SQLite reads them, removes entries from them and checks them (`rtreecheck`).
// It caches no node beyond a statement. `TreePacking` creates the tree of an index that is being built.

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

    /// - Parameter statement: Returns the prepared statement for a number from 0 to 4.
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
        try position(cells[...], in: BoxNode.root, isMoved: false, level: levels)
        // Sorted by entry, they are written to few pages.
        leaves.sort { $0.entry < $1.entry }
        for (entry, leaf) in leaves { try set(setLeaf, entry, leaf) }
        leaves.removeAll()
    }

    /// Returns the cells of a node after entries were added to it and its descendants.
    private mutating func cells(of node: BoxNode, with entries: [BoxCell], level: Int) throws -> [BoxCell] {
        guard level > 0 else { return node.cells + entries }
        guard !node.cells.isEmpty else { throw BoxNode.damaged }
        var parts: [[BoxCell]] = Array(repeating: [], count: node.cells.count)
        let areas = node.cells.map(\.sides.area)
        for entry in entries { parts[Self.way(for: entry, among: node.cells, areas)].append(entry) }
        var cells = node.cells
        for (child, part) in parts.enumerated() where !part.isEmpty {
            let number = cells[child].number
            var below = try self.cells(of: try self.node(number), with: part, level: level - 1)
            let written = try write(&below, over: number, level: level - 1)
            cells[child] = written[0]
            cells += written.dropFirst()
        }
        return cells
    }

    /// Returns the index of the cell whose area grows least. If several grow equally, returns the cell with the
    /// smallest area, as SQLite does.
    private static func way(for entry: BoxCell, among cells: [BoxCell], _ areas: [Double]) -> Int {
        var (best, leastGrowth, leastArea) = (0, Double.infinity, Double.infinity)
        for position in cells.indices {
            let area = areas[position]
            let growth = cells[position].sides.joined(entry.sides).area - area
            if growth < leastGrowth || growth == leastGrowth && area < leastArea {
                (best, leastGrowth, leastArea) = (position, growth, area)
            }
        }
        return best
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
            bytes = Array(repeating: 0, count: count)
            cellsMax = BoxNode.cellsMax(bytes: count)
        }
        return node
    }

    /// Writes cells to a node and, if they do not fit, to further new nodes. If the number is `nil`, writes only to new
    /// nodes.
    ///
    /// - Returns: The cells of these nodes, starting with that of the existing node.
    private mutating func write(_ cells: inout [BoxCell], over number: Int64?, level: Int) throws -> [BoxCell] {
        let parts = cells.count > cellsMax ? BoxSplit(&cells, cellsMax: cellsMax).parts : [0..<cells.count]
        var written: [BoxCell] = []
        for part in parts {
            let cells = cells[part]
            let kept = written.isEmpty ? number : nil
            let node = try write(cells, levels: 0, over: kept)
            try position(cells, in: node, isMoved: kept == nil, level: level)
            let box = cells.reduce(SIMD4.noBox) { $0.joined($1.sides) }
            written.append(BoxCell(number: node, sides: box, isNew: kept == nil))
        }
        return written
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

    /// Records the node of cells, if it has changed.
    private mutating func position(_ cells: ArraySlice<BoxCell>, in node: Int64, isMoved: Bool, level: Int) throws {
        for cell in cells where isMoved || cell.isNew {
            if level == 0 { leaves.append((cell.number, node)) } else { try set(setParent, cell.number, node) }
        }
    }

    private func set(_ statement: SQLiteStatement, _ number: Int64, _ node: Int64) throws {
        statement.bind(number, at: 1)
        statement.bind(node, at: 2)
        try statement.run()
    }
}
