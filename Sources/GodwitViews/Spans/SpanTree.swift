//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitSelector
import GodwitStore

/// A row of a view as it is stored.
package struct StoredRow: Sendable {
    let entry: ViewEntry
    /// The key as JSON.
    package let key: [UInt8]
    /// The value as JSON.
    package let value: [UInt8]

    /// The document's id.
    package var id: String { entry.id }
}

/// Part of a stretch of rows.
enum SpanPiece: Sendable {
    case rows([StoredRow])
    /// A span that is not stale: how many rows it has, and what they reduce to.
    case span(count: Int, reduction: [UInt8])

    /// How many rows it has.
    var count: Int {
        switch self {
        case .rows(let rows): rows.count
        case .span(let count, _): count
        }
    }
}

/// Reads rows and spans of one group of views.
struct SpanTree {
    private let row: SQLiteStatement
    private let rowBefore: SQLiteStatement
    private let counted: SQLiteStatement
    private let span: SQLiteStatement
    private let following: SQLiteStatement
    private let spansOfLevel: SQLiteStatement

    init(_ tables: ViewTables, on connection: SQLiteConnection) throws {
        let (rows, spans) = (tables.rows, tables.spans)
        row = try connection.statement(
            composed: "SELECT entry, id, key, value FROM \(rows) WHERE entry >= ?1 AND entry < ?2 ORDER BY entry")
        rowBefore = try connection.statement(
            composed: "SELECT entry, id, key, value FROM \(rows) WHERE entry >= ?1 AND entry < ?2 ORDER BY entry DESC")
        counted = try connection.statement(
            composed: "SELECT count(*) FROM \(rows) WHERE entry >= ?1 AND entry < ?2")
        span = try connection.statement(
            composed: "SELECT count, reduction FROM \(spans) WHERE level = ?1 AND start = ?2")
        following = try connection.statement(
            composed: "SELECT start FROM \(spans) WHERE level = ?1 AND start > ?2 ORDER BY start LIMIT 1")
        spansOfLevel = try connection.statement(
            composed:
                "SELECT count, reduction FROM \(spans) WHERE level = ?1 AND start >= ?2 AND start < ?3 ORDER BY start")
    }

    // MARK: Rows

    /// The rows of a range in their order, or from its end.
    func rows(
        _ range: EntryRange, descending: Bool = false, countMax: Int = .max, bytesMax: Int = .max
    ) throws -> [StoredRow] {
        let statement = descending ? rowBefore : row
        statement.bind(range.lower as [UInt8]?, at: 1)
        statement.bind(range.upper as [UInt8]?, at: 2)
        defer { statement.reset() }
        var (rows, bytes): ([StoredRow], Int) = ([], 0)
        while rows.count < countMax, bytes < bytesMax, try statement.step() {
            let row = StoredRow(
                entry: ViewEntry(bytes: statement.bytes(0) ?? [], idStart: statement.int(1)),
                key: statement.bytes(2) ?? [],
                value: statement.isNull(3) ? Array("null".utf8) : statement.bytes(3) ?? [])
            bytes += row.entry.bytes.count + row.key.count + row.value.count
            rows.append(row)
        }
        return rows
    }

    /// How many rows a range has.
    func count(_ range: EntryRange) throws -> Int {
        var (count, place) = (0, range.lower)
        while place.lexicographicallyPrecedes(range.upper) {
            let step = try largestStep(at: place, within: range.upper, countMax: .max)
            count += step.count
            place = step.stop
        }
        return count
    }

    // MARK: Spans

    /// Cuts a range into spans and rows, as few as there can be.
    ///
    /// - Returns: Where it stopped when there were more pieces or rows than it may read; `nil` when it came to the end.
    func pieces(
        _ range: EntryRange, rowsMax: Int, add: (SpanPiece) throws -> Void
    ) throws -> [UInt8]? {
        var (place, read) = (range.lower, 0)
        while place.lexicographicallyPrecedes(range.upper) {
            guard read < rowsMax else { return place }
            if let span = try largestSpan(at: place, within: range.upper) {
                if span.count > 0 { try add(.span(count: span.count, reduction: span.reduction)) }
                place = span.stop
                read += 1
            } else {
                let stop = try nextStart(after: place, level: 1, atMost: range.upper)
                let rows = try rows(EntryRange(lower: place, upper: stop))
                if !rows.isEmpty { try add(.rows(rows)) }
                read += rows.count + 1
                place = stop
            }
        }
        return nil
    }

    /// The spans of a level that begin in a range; those that have no rows are left out.
    func spans(from start: [UInt8], to stop: [UInt8], level: Int) throws -> [SpanPiece] {
        spansOfLevel.bind(level, at: 1)
        spansOfLevel.bind(start as [UInt8]?, at: 2)
        spansOfLevel.bind(stop as [UInt8]?, at: 3)
        defer { spansOfLevel.reset() }
        var pieces: [SpanPiece] = []
        while try spansOfLevel.step() {
            guard spansOfLevel.int(0) > 0 else { continue }
            pieces.append(.span(count: spansOfLevel.int(0), reduction: spansOfLevel.bytes(1) ?? []))
        }
        return pieces
    }

    private struct Span {
        var count: Int
        var reduction: [UInt8]
        var stop: [UInt8]
    }

    /// From a place on the largest span with no more than so many rows, or else what lies before the next span.
    func largestStep(at place: [UInt8], within end: [UInt8], countMax: Int) throws -> (count: Int, stop: [UInt8]) {
        if let span = try largestSpan(at: place, within: end, countMax: countMax) { return (span.count, span.stop) }
        let stop = try nextStart(after: place, level: 1, atMost: end)
        counted.bind(place as [UInt8]?, at: 1)
        counted.bind(stop as [UInt8]?, at: 2)
        defer { counted.reset() }
        return (try counted.step() ? counted.int(0) : 0, stop)
    }

    /// The largest span that begins at a place, is not stale, ends before another place, and has no more than so many rows.
    private func largestSpan(at place: [UInt8], within end: [UInt8], countMax: Int = .max) throws -> Span? {
        var largest: Span?
        for level in 1...SpanLevels.count {
            span.bind(level, at: 1)
            span.bind(place as [UInt8]?, at: 2)
            defer { span.reset() }
            guard try span.step() else { break }
            // What stands above a stale span is stale.
            guard !span.isNull(0), span.int(0) <= countMax else { break }
            let stop = try nextStart(after: place, level: level)
            // The last span ends with its view.
            let isLast = stop == nil || !stop!.starts(with: place.prefix(2))
            let limit = isLast ? ViewEntry.end(ofView: place) : stop!
            guard !end.lexicographicallyPrecedes(limit) else { break }
            largest = Span(count: span.int(0), reduction: span.bytes(1) ?? [], stop: limit)
        }
        return largest
    }

    private func nextStart(after place: [UInt8], level: Int) throws -> [UInt8]? {
        following.bind(level, at: 1)
        following.bind(place as [UInt8]?, at: 2)
        defer { following.reset() }
        return try following.step() ? following.bytes(0) : nil
    }

    /// Where the next span of a level begins, or a place before that.
    func nextStart(after place: [UInt8], level: Int, atMost end: [UInt8]) throws -> [UInt8] {
        guard let next = try nextStart(after: place, level: level), next.lexicographicallyPrecedes(end) else {
            return end
        }
        return next
    }
}

/// Entries from one on, before another.
struct EntryRange: Sendable, Equatable {
    var lower: [UInt8]
    var upper: [UInt8]

    /// All that begin with some bytes.
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
