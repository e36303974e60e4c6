//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitSelector
import GodwitStore

/// A stored row of a view.
package struct StoredRow: Sendable {
    let entry: ViewEntry
    /// The key as JSON.
    package let key: [UInt8]
    /// The value as JSON.
    package let value: [UInt8]

    /// The document's id.
    package var id: String { entry.id }
}

/// Reads the rows and the tree of spans of one group of views. A span is a range of rows whose count and reduction are
/// stored.
struct SpanTree {
    private let rowsAscending: SQLiteStatement
    private let rowsDescending: SQLiteStatement
    private let keyOfRow: SQLiteStatement
    private let valueOfRow: SQLiteStatement
    private let entryOfRow: SQLiteStatement
    private let countStatement: SQLiteStatement
    let firstStart: SQLiteStatement
    let lastStart: SQLiteStatement
    let spansOfLevel: SQLiteStatement

    init(_ tables: ViewTables, on connection: SQLiteConnection) throws {
        let (rows, spans) = (tables.rows, tables.spans)
        func onRows(_ columns: String, _ order: String = "ORDER BY entry") throws -> SQLiteStatement {
            try connection.statement(
                composed: "SELECT \(columns) FROM \(rows) WHERE entry >= ?1 AND entry < ?2 \(order)")
        }
        rowsAscending = try onRows("entry, id, key, value")
        rowsDescending = try onRows("entry, id, key, value", "ORDER BY entry DESC")
        keyOfRow = try onRows("key")
        valueOfRow = try onRows("value")
        entryOfRow = try onRows("entry", "ORDER BY entry LIMIT 1 OFFSET ?3")
        countStatement = try onRows("count(*)", "")
        func onSpans(_ columns: String, _ condition: String, _ order: String) throws -> SQLiteStatement {
            try connection.statement(
                composed: "SELECT \(columns) FROM \(spans) WHERE level = ?1 AND \(condition) ORDER BY start \(order)")
        }
        firstStart = try onSpans("start", "start >= ?2", "LIMIT 1")
        lastStart = try onSpans("start", "start <= ?2", "DESC LIMIT 1")
        spansOfLevel = try onSpans("count, reduction, start", "start >= ?2 AND start < ?3", "")
    }

    /// Returns the first rows of a range in ascending or descending order.
    ///
    /// - Parameters:
    ///   - countMax: The maximum number of rows.
    ///   - bytesMax: The number of bytes after which no further row is read.
    func rows(
        _ range: EntryRange, descending: Bool = false, countMax: Int = .max, bytesMax: Int = .max
    ) throws -> [StoredRow] {
        let statement = descending ? rowsDescending : rowsAscending
        statement.bind(range)
        defer { statement.reset() }
        var (rows, byteCount): ([StoredRow], Int) = ([], 0)
        while rows.count < countMax, byteCount < bytesMax, try statement.step() {
            guard let entry = ViewEntry(storedBytes: statement.bytes(0) ?? [], idStart: statement.int(1)) else {
                throw StoreError.damagedRow
            }
            let row = StoredRow(entry: entry, key: statement.bytes(2) ?? [], value: statement.value(3))
            byteCount += row.entry.bytes.count + row.key.count + row.value.count
            rows.append(row)
        }
        return rows
    }

    /// Passes the keys of a range's rows to the closure, as JSON, and returns their number.
    func keys(_ range: EntryRange, _ body: ([UInt8]) throws -> Void) throws -> Int {
        keyOfRow.bind(range)
        defer { keyOfRow.reset() }
        var count = 0
        while try keyOfRow.step() {
            try body(keyOfRow.bytes(0) ?? [])
            count += 1
        }
        return count
    }

    /// Passes the values of a range's rows to the closure, as JSON, and returns their number.
    func values(_ range: EntryRange, _ body: ([UInt8]) throws -> Void) throws -> Int {
        valueOfRow.bind(range)
        defer { valueOfRow.reset() }
        var count = 0
        while try valueOfRow.step() {
            try body(valueOfRow.value(0))
            count += 1
        }
        return count
    }

    /// Returns the number of rows in a range, by reading them.
    func countRows(_ range: EntryRange) throws -> Int {
        countStatement.bind(range)
        defer { countStatement.reset() }
        return try countStatement.step() ? countStatement.int(0) : 0
    }

    /// Returns the entry of the row at a zero-based index in a range; `nil` when the index is out of bounds.
    func entry(ofRow index: Int, in range: EntryRange) throws -> [UInt8]? {
        entryOfRow.bind(range)
        entryOfRow.bind(index, at: 3)
        defer { entryOfRow.reset() }
        return try entryOfRow.step() ? entryOfRow.bytes(0) : nil
    }

    /// Passes the spans of a level that start in a range to the closure: their start, their number of rows (`nil` for a
    /// stale span), and their reduction.
    func spans(_ range: EntryRange, level: Int, _ body: ([UInt8], Int?, [UInt8]) throws -> Void) throws {
        spansOfLevel.bind(range, level: level)
        defer { spansOfLevel.reset() }
        while try spansOfLevel.step() {
            try body(spansOfLevel.bytes(2) ?? [], spanCount, spansOfLevel.bytes(1) ?? [])
        }
    }

    /// The number of rows of the current span; `nil` for a stale span. A negative number, which only a file from
    /// outside can contain, makes a span stale: its rows are read.
    var spanCount: Int? {
        guard !spansOfLevel.isNull(0) else { return nil }
        let count = spansOfLevel.int(0)
        return count < 0 ? nil : count
    }

    /// Returns the start of the first span of a level that starts at or after a position; `nil` when there is no such
    /// span.
    func start(from position: [UInt8], level: Int) throws -> [UInt8]? {
        firstStart.bind(level, at: 1)
        firstStart.bind(position as [UInt8]?, at: 2)
        defer { firstStart.reset() }
        return try firstStart.step() ? firstStart.bytes(0) : nil
    }

    /// Returns the start of the last span of a level that starts at or before a position; `nil` when there is no such
    /// span.
    func start(upTo position: [UInt8], level: Int) throws -> [UInt8]? {
        lastStart.bind(level, at: 1)
        lastStart.bind(position as [UInt8]?, at: 2)
        defer { lastStart.reset() }
        return try lastStart.step() ? lastStart.bytes(0) : nil
    }
}

extension SQLiteStatement {
    fileprivate func bind(_ range: EntryRange) {
        bind(range.lower as [UInt8]?, at: 1)
        bind(range.upper as [UInt8]?, at: 2)
    }

    func bind(_ range: EntryRange, level: Int) {
        bind(level, at: 1)
        bind(range.lower as [UInt8]?, at: 2)
        bind(range.upper as [UInt8]?, at: 3)
    }

    /// Returns a stored value. SQL NULL represents JSON's `null`.
    fileprivate func value(_ column: Int32) -> [UInt8] {
        isNull(column) ? Array("null".utf8) : bytes(column) ?? []
    }
}

/// A half-open range of entries.
struct EntryRange: Sendable, Equatable {
    var lower: [UInt8]
    var upper: [UInt8]

    /// Creates the range of all entries with a prefix.
    init(prefix: [UInt8]) {
        lower = prefix
        upper = CollationKey.end(ofPrefix: prefix)
    }

    init(lower: [UInt8], upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    func intersection(_ other: EntryRange) -> EntryRange {
        EntryRange(
            lower: lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower,
            upper: upper.lexicographicallyPrecedes(other.upper) ? upper : other.upper)
    }
}
