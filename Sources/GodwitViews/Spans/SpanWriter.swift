//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

// A reduced query over many rows must not read them all. SQLite does not let us keep sums in the nodes of its trees, so there is
// a tree of our own beside the rows: a span begins at a row whose bytes hash to a rare number and goes to the next such row;
// spans of the first level hold some 64 rows, those of each further level some 16 of the level below. Each knows how many
// rows it has and what they reduce to. The first span of each level begins where the view begins.
//
// Where a span begins depends on the bytes of one row alone. A row that comes or goes makes the one span stale, on each level,
// that it lies in; what is stale has no count. Stale spans are worked out again after an index was brought up to date
// (`SpanFiller`), a level at a time, and until then a query reads what lies below them: it is never wrong, only slower.
//
// Ways not taken: sums by a fixed number of rows (one row more moves all that follow), a balanced tree in a table (twice the
// writes for each row, and its shape depends on the order in which rows came).

/// Keeps the spans of one group of views in step with its rows.
final class SpanWriter {
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement
    private let find: SQLiteStatement
    private let following: SQLiteStatement
    private let stale: SQLiteStatement
    /// Entries that lie in a span of the first level that is known to be stale: what stands above it is stale too.
    private var known: Range<Entry>?

    /// Bytes in their order.
    private struct Entry: Comparable {
        let bytes: [UInt8]

        static func < (left: Entry, right: Entry) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
    }

    init(_ tables: ViewTables, on connection: SQLiteConnection) throws {
        let spans = tables.spans
        insert = try connection.statement(composed: "INSERT OR IGNORE INTO \(spans)(level, start) VALUES(?1, ?2)")
        delete = try connection.statement(composed: "DELETE FROM \(spans) WHERE level = ?1 AND start = ?2")
        find = try connection.statement(
            composed: """
                SELECT start, count IS NULL FROM \(spans) WHERE level = ?1 AND start <= ?2
                ORDER BY start DESC LIMIT 1
                """)
        following = try connection.statement(
            composed: "SELECT start FROM \(spans) WHERE level = 1 AND start > ?1 ORDER BY start LIMIT 1")
        stale = try connection.statement(
            composed: "UPDATE \(spans) SET count = NULL, reduction = NULL WHERE level = ?1 AND start = ?2")
    }

    /// A span begins at a row.
    func add(_ start: [UInt8], level: Int) throws {
        insert.bind(level, at: 1)
        insert.bind(start as [UInt8]?, at: 2)
        try insert.run()
        known = nil
    }

    /// No span begins there any more.
    func remove(_ start: [UInt8], level: Int) throws {
        delete.bind(level, at: 1)
        delete.bind(start as [UInt8]?, at: 2)
        try delete.run()
        known = nil
    }

    /// A row came, went or changed: what it lies in is stale. To be said before a span is added that begins there, and
    /// after one is removed.
    func touch(_ entry: [UInt8]) throws {
        let position = Entry(bytes: entry)
        if let known, known.contains(position) { return }
        for level in 1...SpanLevels.count {
            guard let (start, isStale) = try span(of: entry, level: level) else { return }
            if level == 1 { known = Entry(bytes: start)..<Entry(bytes: try next(after: entry)) }
            if isStale { return }
            stale.bind(level, at: 1)
            stale.bind(start as [UInt8]?, at: 2)
            try stale.run()
        }
    }

    private func span(of entry: [UInt8], level: Int) throws -> (start: [UInt8], isStale: Bool)? {
        find.bind(level, at: 1)
        find.bind(entry as [UInt8]?, at: 2)
        defer { find.reset() }
        return try find.step() ? (find.bytes(0) ?? [], find.int(1) == 1) : nil
    }

    private func next(after entry: [UInt8]) throws -> [UInt8] {
        following.bind(entry as [UInt8]?, at: 1)
        defer { following.reset() }
        return try following.step() ? following.bytes(0) ?? ViewEntry.end : ViewEntry.end
    }
}
