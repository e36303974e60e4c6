//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

/// The types of the values in a file's tables.
///
/// SQLite stores a value of any type in any column. A blob as the id of a document is greater than every text. A reader
/// that continues after the last id would then read the same row again, without end. Therefore, a file from elsewhere is
/// checked before it becomes a database.
enum ColumnTypes {
    private struct Column {
        let table: String
        let name: String
        let type: String
        let isRequired: Bool
        let isKey: Bool
    }

    /// Returns a description of a value that does not have the type of its column; `nil` if there is none.
    ///
    /// The columns of documents, and of all tables that each database may have, are those of this version. The columns
    /// of indexes are as the file declares them.
    ///
    /// - Parameter includesIndexes: Whether the tables of indexes are checked too.
    static func fault(in connection: SQLiteConnection, includesIndexes: Bool) throws -> String? {
        let schema = try FileFormat.completeSchema()
        defer { schema.close() }
        let (own, declared) = (try columns(of: schema), try columns(of: connection))
        func isDeclared(_ column: Column) -> Bool {
            declared.contains {
                $0.table.isIdenticalText(to: column.table) && $0.name.isIdenticalText(to: column.name)
                    && $0.type.isIdenticalText(to: column.type) && $0.isKey == column.isKey
            }
        }
        func isOwn(_ table: String) -> Bool { own.contains { $0.table.isIdenticalText(to: table) } }
        for column in own where declared.contains(where: { $0.table.isIdenticalText(to: column.table) }) {
            guard isDeclared(column) else {
                return "the table \(column.table) has no column \(column.name) as Godwit makes it"
            }
            if let fault = try fault(in: column, connection) { return fault }
        }
        for column in declared where includesIndexes && !isOwn(column.table) {
            if let fault = try fault(in: column, connection) { return fault }
        }
        return nil
    }

    private static func fault(in column: Column, _ connection: SQLiteConnection) throws -> String? {
        guard let type = ["INTEGER": "integer", "TEXT": "text", "BLOB": "blob", "REAL": "real"][column.type] else {
            return nil
        }
        func quoted(_ name: String) -> String { "\"" + name.pieces(at: "\"").joined(separator: "\"\"") + "\"" }
        let others = column.isRequired ? "" : ", 'null'"
        let statement = try connection.statement(
            composed: """
                SELECT typeof(\(quoted(column.name))) FROM \(quoted(column.table))
                WHERE typeof(\(quoted(column.name))) NOT IN ('\(type)'\(others)) LIMIT 1
                """)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return "the column \(column.name) of \(column.table) has a value of the type \(statement.string(0))"
    }

    /// The columns of all tables but virtual ones.
    private static func columns(of connection: SQLiteConnection) throws -> [Column] {
        let statement = try connection.statement(
            """
            SELECT tables.name, columns.name, upper(columns.type), columns."notnull" OR columns.pk > 0, columns.pk > 0
            FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND tables.sql NOT LIKE 'CREATE VIRTUAL%'
            """)
        defer { statement.reset() }
        var columns: [Column] = []
        while try statement.step() {
            columns.append(
                Column(
                    table: statement.string(0), name: statement.string(1), type: statement.string(2),
                    isRequired: statement.int(3) != 0, isKey: statement.int(4) != 0))
        }
        return columns
    }
}
