//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// A reduced query over many rows would be too slow if it read all of them. SQLite cannot store sums in the nodes of its
// B-trees, so a separate tree of spans is stored next to the rows. A span starts at a row whose hash has a rare
// property, and ends before the next row whose hash has this property. A span of the first level contains about 64
// rows, and a span of each further level contains about 16 spans of the level below. Each span stores its number of
// rows and their reduction. The first span of each level starts where the view starts.
//
// The start of a span depends only on the bytes of one row. A row that is inserted or deleted makes the span that
// contains it stale, on each level. A stale span has no count. Stale spans are computed again after an index has been
// updated (`SpanFiller`), level by level. Until then, a query reads the content of a stale span instead, which is
// correct but slower.
//
// Two alternatives were rejected:
//
// - Sums of a fixed number of rows: an inserted row shifts all following sums.
// - A balanced tree in a table: it needs twice the writes for each row, and its shape depends on the order of
//   insertion.

/// Updates the spans of one group of views when its rows change.
final class SpanWriter {
    private let insertStatement: SQLiteStatement
    private let deleteStatement: SQLiteStatement
    private let spanStatement: SQLiteStatement
    private let nextStartStatement: SQLiteStatement
    private let invalidateStatement: SQLiteStatement
    /// The range of entries of one stale span of the first level: the last span that was made stale or was found stale.
    /// All spans of higher levels that contain this span are stale too.
    private var staleRange: Range<Entry>?

    /// Bytes in lexicographic order.
    private struct Entry: Comparable {
        let bytes: [UInt8]

        static func < (left: Entry, right: Entry) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    }

    init(_ tables: ViewTables, on connection: SQLiteConnection) throws {
        let spans = tables.spans
        insertStatement = try connection.statement(
            composed: "INSERT OR IGNORE INTO \(spans)(level, start) VALUES(?1, ?2)")
        deleteStatement = try connection.statement(composed: "DELETE FROM \(spans) WHERE level = ?1 AND start = ?2")
        spanStatement = try connection.statement(
            composed: """
                SELECT start, count IS NULL FROM \(spans) WHERE level = ?1 AND start <= ?2
                ORDER BY start DESC LIMIT 1
                """)
        nextStartStatement = try connection.statement(
            composed: "SELECT start FROM \(spans) WHERE level = 1 AND start > ?1 ORDER BY start LIMIT 1")
        invalidateStatement = try connection.statement(
            composed: "UPDATE \(spans) SET count = NULL, reduction = NULL WHERE level = ?1 AND start = ?2")
    }

    /// Adds a span that starts at a row.
    func add(_ start: [UInt8], level: Int) throws {
        invariant((1...SpanLevels.count).contains(level), "a span is on a level of the tree")
        insertStatement.bind(level, at: 1)
        insertStatement.bind(start as [UInt8]?, at: 2)
        try insertStatement.run()
        staleRange = nil
    }

    /// Removes the span that starts at a row.
    func remove(_ start: [UInt8], level: Int) throws {
        invariant((1...SpanLevels.count).contains(level), "a span is on a level of the tree")
        deleteStatement.bind(level, at: 1)
        deleteStatement.bind(start as [UInt8]?, at: 2)
        try deleteStatement.run()
        staleRange = nil
    }

    /// Invalidates the spans that contain a row, because the row was inserted, deleted or changed. Call it before a
    /// span that starts at the row is added, and after a span that starts at the row is removed.
    func touch(_ entry: [UInt8]) throws {
        let comparableEntry = Entry(bytes: entry)
        if let staleRange, staleRange.contains(comparableEntry) { return }
        for level in 1...SpanLevels.count {
            guard let (start, isStale) = try span(of: entry, level: level) else { return }
            if level == 1 {
                let (first, next) = (Entry(bytes: start), Entry(bytes: try nextStart(after: entry)))
                staleRange = first < next ? first..<next : nil
            }
            if isStale { return }
            invalidateStatement.bind(level, at: 1)
            invalidateStatement.bind(start as [UInt8]?, at: 2)
            try invalidateStatement.run()
        }
    }

    private func span(of entry: [UInt8], level: Int) throws -> (start: [UInt8], isStale: Bool)? {
        spanStatement.bind(level, at: 1)
        spanStatement.bind(entry as [UInt8]?, at: 2)
        defer { spanStatement.reset() }
        return try spanStatement.step() ? (spanStatement.bytes(0) ?? [], spanStatement.int(1) == 1) : nil
    }

    private func nextStart(after entry: [UInt8]) throws -> [UInt8] {
        nextStartStatement.bind(entry as [UInt8]?, at: 1)
        defer { nextStartStatement.reset() }
        return try nextStartStatement.step() ? nextStartStatement.bytes(0) ?? ViewEntry.end : ViewEntry.end
    }
}
