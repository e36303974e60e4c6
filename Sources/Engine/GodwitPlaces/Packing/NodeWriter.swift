//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// The statements that write the tables of an R*Tree.
struct NodeWriter {
    private let table: String
    private let connection: SQLiteConnection
    private let addNode: SQLiteStatement
    private let addParent: SQLiteStatement

    init(_ table: String, on connection: SQLiteConnection) throws {
        (self.table, self.connection) = (table, connection)
        addNode = try connection.statement(
            composed: "INSERT OR REPLACE INTO \(table)_node(nodeno, data) VALUES(?1, ?2)")
        addParent = try connection.statement(composed: "INSERT INTO \(table)_parent(nodeno, parentnode) VALUES(?1, ?2)")
    }

    /// Writes a node. A node with the same number is replaced.
    func add(_ node: Int64, _ bytes: [UInt8]) throws {
        addNode.bind(node, at: 1)
        try addNode.run(binding: bytes, at: 2)
    }

    func setParent(of node: Int64, _ parent: Int64) throws {
        addParent.bind(node, at: 1)
        addParent.bind(parent, at: 2)
        try addParent.run()
    }

    /// Records the leaves of entries.
    func add(_ entries: ArraySlice<LeafEntry>) throws {
        let statement = try connection.statement(composed: "INSERT INTO \(table)_rowid(rowid, nodeno) VALUES(?1, ?2)")
        for entry in entries {
            statement.bind(entry.entry, at: 1)
            statement.bind(entry.leaf, at: 2)
            try statement.run()
        }
    }

    /// Removes all nodes and entries, and writes an empty root.
    ///
    /// - Returns: The size of a node in bytes.
    func clear() throws -> Int {
        let statement = try connection.statement(composed: "SELECT length(data) FROM \(table)_node WHERE nodeno = ?1")
        statement.bind(BoxNode.root, at: 1)
        guard try statement.step(), case let count = statement.int(0) else { throw BoxNode.damaged }
        statement.reset()
        try BoxNode.check(bytes: count)
        try connection.execute("DELETE FROM \(table)_node; DELETE FROM \(table)_parent; DELETE FROM \(table)_rowid")
        try add(BoxNode.root, BoxNode.bytes(of: [], levels: 0, count: count))
        return count
    }
}
