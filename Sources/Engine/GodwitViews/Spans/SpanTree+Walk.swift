//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// Processes the parts of a range, in their order.
protocol SpanVisitor {
    /// Whether the visitor needs no more parts.
    var isDone: Bool { get }

    /// Whether the visitor accepts a span. If not, the content of the span is visited.
    func takes(spanOf count: Int) -> Bool

    /// Visits a span.
    mutating func take(count: Int, reduction: [UInt8]) throws

    /// Visits rows that are not in an accepted span.
    mutating func take(rows range: EntryRange, from tree: SpanTree) throws
}

extension SpanTree {
    /// Visits the parts of a range: spans, as large as possible, and the rows that are in none of these spans.
    ///
    /// - Returns: The start of the parts that were not visited because the visitor was done; `nil` when all parts were
    ///   visited.
    func walk<Visitor: SpanVisitor>(_ range: EntryRange, _ visitor: inout Visitor) throws -> [UInt8]? {
        var stopStart: [UInt8]?
        try walk(range, level: SpanLevels.count, &visitor, &stopStart)
        return stopStart
    }

    private func walk<Visitor: SpanVisitor>(
        _ range: EntryRange, level: Int, _ visitor: inout Visitor, _ stopStart: inout [UInt8]?
    ) throws {
        guard !range.isEmpty, stopStart == nil else { return }
        guard !visitor.isDone else { return stopStart = range.lower }
        guard level > 0 else { return try visitor.take(rows: range, from: self) }
        guard let first = try start(from: range.lower, level: level), first.lexicographicallyPrecedes(range.upper)
        else {
            return try walk(range, level: level - 1, &visitor, &stopStart)
        }
        // The last span ends at the end of its view, and every other span ends at the start of the next span.
        let reachesViewEnd = range.upper == ViewEntry.end(ofView: range.lower)
        let last = try reachesViewEnd ? range.upper : start(upTo: range.upper, level: level) ?? first
        try walk(EntryRange(lower: range.lower, upper: first), level: level - 1, &visitor, &stopStart)
        try walkSpans(EntryRange(lower: first, upper: last), level: level, &visitor, &stopStart)
        try walk(EntryRange(lower: last, upper: range.upper), level: level - 1, &visitor, &stopStart)
    }

    /// Visits the spans of a level. If a span is stale or not accepted, visits its content instead.
    private func walkSpans<Visitor: SpanVisitor>(
        _ range: EntryRange, level: Int, _ visitor: inout Visitor, _ stopStart: inout [UInt8]?
    ) throws {
        var unvisitedStart = range.lower
        while unvisitedStart.lexicographicallyPrecedes(range.upper), stopStart == nil {
            guard !visitor.isDone else { return stopStart = unvisitedStart }
            let refusedStart = try takeSpans(
                EntryRange(lower: unvisitedStart, upper: range.upper), level: level, &visitor)
            guard let refusedStart else { return }
            let end = try start(from: refusedStart + [0], level: level) ?? range.upper
            unvisitedStart = end.lexicographicallyPrecedes(range.upper) ? end : range.upper
            invariant(refusedStart.lexicographicallyPrecedes(unvisitedStart), "a walk over spans goes forward")
            try walk(EntryRange(lower: refusedStart, upper: unvisitedStart), level: level - 1, &visitor, &stopStart)
        }
    }

    /// Visits spans until one is stale or not accepted.
    ///
    /// - Returns: The start of that span; `nil` when all were visited.
    private func takeSpans<Visitor: SpanVisitor>(
        _ range: EntryRange, level: Int, _ visitor: inout Visitor
    ) throws -> [UInt8]? {
        spansOfLevel.bind(range, level: level)
        defer { spansOfLevel.reset() }
        while try spansOfLevel.step() {
            guard let count = spanCount, visitor.takes(spanOf: count) else { return spansOfLevel.bytes(2) }
            try visitor.take(count: count, reduction: spansOfLevel.bytes(1) ?? [])
        }
        return nil
    }
}

// MARK: Counting

/// Counts rows.
private struct RowCounter: SpanVisitor {
    var count = 0
    var isDone: Bool { false }

    func takes(spanOf count: Int) -> Bool { true }
    mutating func take(count: Int, reduction: [UInt8]) { self.count = self.count.addingSaturated(count) }

    mutating func take(rows range: EntryRange, from tree: SpanTree) throws {
        count = count.addingSaturated(try tree.countRows(range))
    }
}

/// Finds the row at an index.
private struct RowFinder: SpanVisitor {
    /// The number of unvisited rows before the searched row.
    var remainingCount: Int
    var foundEntry: [UInt8]?
    var isDone: Bool { foundEntry != nil }

    func takes(spanOf count: Int) -> Bool { count <= remainingCount }
    mutating func take(count: Int, reduction: [UInt8]) {
        remainingCount -= count
        invariant(remainingCount >= 0, "the searched row is not before the visited rows")
    }

    mutating func take(rows range: EntryRange, from tree: SpanTree) throws {
        foundEntry = try tree.entry(ofRow: remainingCount, in: range)
        if foundEntry == nil { remainingCount -= try tree.countRows(range) }
    }
}

extension SpanTree {
    /// Returns the number of rows in a range.
    func count(_ range: EntryRange) throws -> Int {
        var counter = RowCounter()
        _ = try walk(range, &counter)
        return counter.count
    }

    /// Returns the start of the row at a zero-based index in a range; the range's end when the index is out of bounds.
    func start(ofRow index: Int, in range: EntryRange) throws -> [UInt8] {
        var finder = RowFinder(remainingCount: index)
        _ = try walk(range, &finder)
        return finder.foundEntry ?? range.upper
    }
}
