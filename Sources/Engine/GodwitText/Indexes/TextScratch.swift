//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// A small FTS5 table in memory, to search texts that are not in an index: replaced texts and parts of documents.
struct TextScratch {
    let connection: SQLiteConnection
    let columns: Int
    static let table = "scratch"

    /// - Parameters:
    ///   - columns: The number of columns, named `c0` and so on, without the `mark` column.
    ///   - analyzer: The analyzer of the texts.
    ///   - keepsContent: Whether the table stores the texts, so that the positions of matches can be queried.
    init(columns: Int, _ analyzer: TextAnalyzer, keepsContent: Bool = false) throws {
        connection = try SQLiteConnection(path: ":memory:", access: .readWrite(creating: true))
        self.columns = columns
        try analyzer.register(on: connection)
        var definition = TextTables.definition(of: Self.table, columns: columns, analyzer)
        if keepsContent { definition = definition.replacingBytes("content='', columnsize=0, ", with: "") }
        try connection.execute(definition)
    }

    func add(_ content: TextContent, at row: TextRow) throws {
        try TextTables.add(content, at: row, to: Self.table, columns: columns, on: connection)
    }

    /// Returns the rows that an expression matches.
    func rows(matching expression: TextExpression) throws -> Set<TextRow> {
        guard let text = expression.text else { return [] }
        let statement = try connection.statement("SELECT rowid FROM scratch WHERE scratch MATCH ?1")
        defer { statement.reset() }
        statement.bind(text, at: 1)
        var rows: Set<TextRow> = []
        while try statement.step() { rows.insert(TextRow(rawValue: statement.int64(0))) }
        return rows
    }
}
