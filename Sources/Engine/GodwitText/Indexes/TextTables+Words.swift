//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

/// Writes the words of documents to FTS5 tables.
extension TextTables {
    /// Adds a document's words.
    static func add(
        _ content: TextContent, at row: TextRow, to table: String, columns: Int, on connection: SQLiteConnection
    ) throws {
        let names = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
        let values = (0...columns).map { "?\($0 + 2)" }.joined(separator: ", ")
        let statement = try connection.statement(
            composed: "INSERT INTO \(table)(rowid, \(names), mark) VALUES(?1, \(values))")
        try run(statement, content, at: row, columns: columns)
    }

    /// Removes the words of a document. The given words must be exactly the words that were added.
    static func remove(
        _ content: TextContent, at row: TextRow, from table: String, columns: Int, on connection: SQLiteConnection
    ) throws {
        let names = (0..<columns).map { "c\($0)" }.joined(separator: ", ")
        let values = (0...columns).map { "?\($0 + 2)" }.joined(separator: ", ")
        let statement = try connection.statement(
            composed: "INSERT INTO \(table)(\(table), rowid, \(names), mark) VALUES('delete', ?1, \(values))")
        try run(statement, content, at: row, columns: columns)
    }

    private static func run(
        _ statement: SQLiteStatement, _ content: TextContent, at row: TextRow, columns: Int
    ) throws {
        statement.bind(row.rawValue, at: 1)
        for column in 0..<columns { statement.bindNull(at: Int32(clamping: column + 2)) }
        for (column, text) in content.texts {
            // The text of an index in a file from outside may name any column.
            guard column < columns else { throw StoreError.damagedRow }
            statement.bind(String(decoding: text, as: UTF8.self), at: Int32(clamping: column + 2))
        }
        statement.bind(TextContent.mark, at: Int32(clamping: columns + 2))
        try statement.run()
    }
}
