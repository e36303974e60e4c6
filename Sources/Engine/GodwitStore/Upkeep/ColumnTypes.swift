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
    private struct Table {
        let name: String
        let isVirtual: Bool
        var columns: [Column] = []
    }

    private struct Column {
        let name: String
        let type: String
        let isRequired: Bool
        let isKey: Bool

        func isLike(_ other: Column) -> Bool {
            name.isIdenticalText(to: other.name) && type.isIdenticalText(to: other.type) && isKey == other.isKey
        }
    }

    /// Returns a description of a table that has another form, or a value of another type than its column; `nil` if there
    /// is none.
    ///
    /// The columns of documents, and of all tables that each database may have, are those of this version. The columns
    /// of indexes are as the file declares them.
    ///
    /// - Parameter includesIndexes: Whether the tables of indexes are checked too.
    static func fault(in connection: SQLiteConnection, includesIndexes: Bool) throws -> String? {
        let schema = try FileFormat.completeSchema()
        defer { schema.close() }
        let (own, declared) = (try tables(of: schema), try tables(of: connection))
        for table in own {
            // SQLite finds a table by its name without case.
            let named = declared.filter { $0.name.lowercasedASCII.isIdenticalText(to: table.name) }
            if named.isEmpty, FileFormat.RareTable(rawValue: table.name) != nil { continue }
            guard named.count == 1, !named[0].isVirtual, named[0].name.isIdenticalText(to: table.name),
                table.columns.allSatisfy({ column in named[0].columns.contains { $0.isLike(column) } })
            else { return "the table \(table.name) is not as Godwit makes it" }
            if let fault = try fault(in: table, connection) { return fault }
        }
        guard includesIndexes else { return nil }
        for table in declared
        where !table.isVirtual && !own.contains(where: { $0.name.isIdenticalText(to: table.name) }) {
            if let fault = try fault(in: table, connection) { return fault }
        }
        return nil
    }

    private static func fault(in table: Table, _ connection: SQLiteConnection) throws -> String? {
        func quoted(_ name: String) -> String { "\"" + name.pieces(at: "\"").joined(separator: "\"\"") + "\"" }
        let conditions = table.columns.compactMap { column -> String? in
            guard let type = ["INTEGER": "integer", "TEXT": "text", "BLOB": "blob", "REAL": "real"][column.type] else {
                return nil
            }
            return "typeof(\(quoted(column.name))) NOT IN ('\(type)'\(column.isRequired ? "" : ", 'null'"))"
        }
        guard !conditions.isEmpty else { return nil }
        // An index may have other values than its table, and is checked by SQLite.
        let statement = try connection.statement(
            composed:
                "SELECT 1 FROM \(quoted(table.name)) NOT INDEXED WHERE \(conditions.joined(separator: " OR ")) LIMIT 1")
        defer { statement.reset() }
        return try statement.step() ? "the table \(table.name) has a value of another type than its column" : nil
    }

    /// The tables, without those of SQLite itself. Virtual tables are not opened, because a damaged index for text
    /// could not be, and have no columns here.
    private static func tables(of connection: SQLiteConnection) throws -> [Table] {
        let statement = try connection.statement(
            """
            SELECT tables.name, tables.sql LIKE 'CREATE VIRTUAL%', columns.name, upper(columns.type),
                columns."notnull" OR columns.pk > 0, columns.pk > 0
            FROM sqlite_schema AS tables
            LEFT JOIN pragma_table_info(iif(tables.sql LIKE 'CREATE VIRTUAL%', NULL, tables.name)) AS columns
            WHERE tables.type = 'table' AND substr(tables.name, 1, 7) <> 'sqlite_' ORDER BY tables.rowid
            """)
        defer { statement.reset() }
        var tables: [Table] = []
        while try statement.step() {
            let name = statement.string(0)
            if tables.last?.name.isIdenticalText(to: name) != true {
                tables.append(Table(name: name, isVirtual: statement.int(1) != 0))
            }
            guard !statement.isNull(2) else { continue }
            tables[tables.count - 1].columns.append(
                Column(
                    name: statement.string(2), type: statement.string(3), isRequired: statement.int(4) != 0,
                    isKey: statement.int(5) != 0))
        }
        return tables
    }
}
