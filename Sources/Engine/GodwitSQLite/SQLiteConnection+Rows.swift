//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension SQLiteConnection {
    /// Returns the rows of a query.
    package func rows<Row>(
        _ sql: StaticString, _ bind: (SQLiteStatement) -> Void = { _ in }, _ read: (SQLiteStatement) throws -> Row
    ) throws -> [Row] {
        let statement = try statement(sql)
        defer { statement.reset() }
        bind(statement)
        var rows: [Row] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }

    /// Returns the first row of a query; `nil` if there is no row.
    package func first<Row>(
        _ sql: StaticString, _ bind: (SQLiteStatement) -> Void = { _ in }, _ read: (SQLiteStatement) throws -> Row
    ) throws -> Row? {
        let statement = try statement(sql)
        defer { statement.reset() }
        bind(statement)
        return try statement.step() ? try read(statement) : nil
    }

    /// Runs a statement and ignores the rows that it may return.
    package func run(_ sql: StaticString, _ bind: (SQLiteStatement) -> Void = { _ in }) throws {
        let statement = try statement(sql)
        bind(statement)
        try statement.run()
    }
}

extension SQLiteStatement {
    /// Binds a number; `nil` as SQL's NULL.
    package func bind(_ number: Int?, at index: Int32) {
        if let number { bind(number, at: index) } else { bindNull(at: index) }
    }

    /// The number in a column; `nil` for SQL's NULL.
    package func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }
}
