//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// What is done with the parts of a range, in their order.
protocol SpanVisitor {
    /// Whether it has seen enough.
    var isDone: Bool { get }

    /// Whether a span is taken as a whole. If not, what lies in it comes.
    func takes(spanOf count: Int) -> Bool

    /// Takes a whole span.
    mutating func take(count: Int, reduction: [UInt8]) throws

    /// Takes rows that no span stands for.
    mutating func take(rows range: EntryRange, from tree: SpanTree) throws
}

extension SpanTree {
    /// Shows the parts of a range: as few and as large spans as there can be, and between them rows.
    ///
    /// - Returns: Where it stopped because the visitor was done; `nil` at the end.
    func walk<Visitor: SpanVisitor>(_ range: EntryRange, _ visitor: inout Visitor) throws -> [UInt8]? {
        var stop: [UInt8]?
        try walk(range, level: SpanLevels.count, &visitor, &stop)
        return stop
    }

    private func walk<Visitor: SpanVisitor>(
        _ range: EntryRange, level: Int, _ visitor: inout Visitor, _ stop: inout [UInt8]?
    ) throws {
        guard !range.isEmpty, stop == nil else { return }
        guard !visitor.isDone else { return stop = range.lower }
        guard level > 0 else { return try visitor.take(rows: range, from: self) }
        guard let first = try start(from: range.lower, level: level), first.lexicographicallyPrecedes(range.upper)
        else {
            return try walk(range, level: level - 1, &visitor, &stop)
        }
        // The last span ends where its view does, others where the next one begins.
        let isToEnd = range.upper == ViewEntry.end(ofView: range.lower)
        let last = try isToEnd ? range.upper : start(upTo: range.upper, level: level) ?? first
        try walk(EntryRange(lower: range.lower, upper: first), level: level - 1, &visitor, &stop)
        try walkSpans(EntryRange(lower: first, upper: last), level: level, &visitor, &stop)
        try walk(EntryRange(lower: last, upper: range.upper), level: level - 1, &visitor, &stop)
    }

    /// Shows whole spans of a level, or what lies in those that are stale or not wanted.
    private func walkSpans<Visitor: SpanVisitor>(
        _ range: EntryRange, level: Int, _ visitor: inout Visitor, _ stop: inout [UInt8]?
    ) throws {
        var position = range.lower
        while position.lexicographicallyPrecedes(range.upper), stop == nil {
            guard !visitor.isDone else { return stop = position }
            let refused = try takeSpans(EntryRange(lower: position, upper: range.upper), level: level, &visitor)
            guard let refused else { return }
            let end = try start(from: refused + [0], level: level) ?? range.upper
            position = end.lexicographicallyPrecedes(range.upper) ? end : range.upper
            try walk(EntryRange(lower: refused, upper: position), level: level - 1, &visitor, &stop)
        }
    }

    /// Takes spans until one is stale, or not wanted.
    ///
    /// - Returns: Where that one begins; `nil` when all were taken.
    private func takeSpans<Visitor: SpanVisitor>(
        _ range: EntryRange, level: Int, _ visitor: inout Visitor
    ) throws -> [UInt8]? {
        spansOfLevel.bind(range, level: level)
        defer { spansOfLevel.reset() }
        while try spansOfLevel.step() {
            guard !spansOfLevel.isNull(0), visitor.takes(spanOf: spansOfLevel.int(0)) else {
                return spansOfLevel.bytes(2)
            }
            try visitor.take(count: spansOfLevel.int(0), reduction: spansOfLevel.bytes(1) ?? [])
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
    mutating func take(count: Int, reduction: [UInt8]) { self.count += count }
    mutating func take(rows range: EntryRange, from tree: SpanTree) throws { count += try tree.countRows(range) }
}

/// Finds the row of a number.
private struct RowFinder: SpanVisitor {
    /// Rows before the one that is looked for.
    var left: Int
    var found: [UInt8]?
    var isDone: Bool { found != nil }

    func takes(spanOf count: Int) -> Bool { count <= left }
    mutating func take(count: Int, reduction: [UInt8]) { left -= count }

    mutating func take(rows range: EntryRange, from tree: SpanTree) throws {
        found = try tree.entry(ofRow: left, in: range)
        if found == nil { left -= try tree.countRows(range) }
    }
}

extension SpanTree {
    /// How many rows a range has.
    func count(_ range: EntryRange) throws -> Int {
        var counter = RowCounter()
        _ = try walk(range, &counter)
        return counter.count
    }

    /// Where a row of a range begins, counted from zero; the range's end when it has no more.
    func start(ofRow number: Int, in range: EntryRange) throws -> [UInt8] {
        var finder = RowFinder(left: number)
        _ = try walk(range, &finder)
        return finder.found ?? range.upper
    }
}
