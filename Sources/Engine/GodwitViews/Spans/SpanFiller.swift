//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite
import GodwitStore

/// Computes the stale spans of a view index. A span is a range of rows whose count and reduction are stored; a span is
/// stale after one of its rows has changed.
///
/// A few spans are computed in memory, from the first level to the last, and written together. If many spans are stale,
/// the lower levels are written first.
struct SpanFiller: Sendable {
    let index: IndexDescription
    let group: ViewGroup
    let database: IndexedDatabase
    let reducers: Reducers
    let limits: ViewLimits

    /// A computed span.
    private struct ComputedSpan: Sendable {
        let level: Int
        let start: [UInt8]
        let count: Int
        let reduction: [UInt8]
    }

    private struct StaleSpan {
        let start: [UInt8]
        let collection: RowCollection
    }

    /// Computes all stale spans. The spans of a view whose function fails remain stale. A query of that view throws the
    /// error.
    ///
    /// - Returns: A closure that writes the computed spans that are not written yet. If the index has been deleted, the
    ///   closure does nothing.
    /// - Throws: ``ScriptError`` when JavaScript crashed, is busy or unavailable; `CancellationError`; errors of the
    ///   database.
    func fill() async throws -> @Sendable (SQLiteConnection) throws -> Void {
        var unwritten: [ComputedSpan] = []
        for view in reducers.ofViews.indices {
            do {
                guard let computed = try await fill(view) else { return { _ in } }
                unwritten += computed
            } catch let error as ScriptError where error.isOfTheFunction {
                continue
            }
        }
        return closureThatWrites(unwritten)
    }

    /// Computes the spans of one view.
    ///
    /// - Returns: The spans that are not written yet; `nil` when the index has been deleted.
    private func fill(_ view: Int) async throws -> [ComputedSpan]? {
        while true {
            let (computed, isComplete) = try await computeNextSpans(of: view)
            if isComplete { return computed }
            guard try await database.write(index, closureThatWrites(computed)) != nil else { return nil }
            try Task.checkCancellation()
        }
    }

    /// Computes the next stale spans of a view. Returns them, and whether no further spans of the view are stale.
    private func computeNextSpans(of view: Int) async throws -> ([ComputedSpan], isComplete: Bool) {
        var computed: [ComputedSpan] = []
        for level in 1...SpanLevels.count {
            let computedBelow = Dictionary(
                computed.lazy.filter { $0.level == level - 1 }.map { ($0.start, $0) }, uniquingKeysWith: { $1 })
            let (stale, hasMore) = try database.read { try staleSpans(of: view, level: level, computedBelow, on: $0) }
            let reductions = try await reducers.ofViews[view].reduce(stale.map(\.collection))
            invariant(reductions.count == stale.count, "each stale span has a reduction")
            computed += zip(stale, reductions).map {
                ComputedSpan(level: level, start: $0.start, count: $0.collection.count, reduction: $1)
            }
            // The levels above need all spans of this level, so they are computed in a later step.
            if hasMore || computed.count >= limits.spansPerStepMax { return (computed, false) }
        }
        return (computed, true)
    }

    private func closureThatWrites(_ computed: [ComputedSpan]) -> @Sendable (SQLiteConnection) throws -> Void {
        let spans = ViewTables(index).spans
        return { connection in
            let statement = try connection.statement(
                composed: "UPDATE \(spans) SET count = ?3, reduction = ?4 WHERE level = ?1 AND start = ?2")
            for span in computed {
                invariant(span.count >= 0, "a span has no fewer than zero rows")
                invariant((1...SpanLevels.count).contains(span.level), "a span is on a level of the tree")
                statement.bind(span.level, at: 1)
                statement.bind(span.start as [UInt8]?, at: 2)
                statement.bind(span.count, at: 3)
                statement.bind(span.reduction.isEmpty ? nil : span.reduction, at: 4)
                try statement.run()
                invariant(connection.changedRows <= 1, "one span starts at a row on each level")
            }
        }
    }

    /// Returns some stale spans of a level, with their content.
    ///
    /// - Parameter computedBelow: The computed spans of the level below that are not written yet.
    private func staleSpans(
        of view: Int, level: Int, _ computedBelow: [[UInt8]: ComputedSpan], on connection: SQLiteConnection
    ) throws -> (stale: [StaleSpan], hasMore: Bool) {
        let tables = ViewTables(index)
        let tree = try SpanTree(tables, on: connection)
        var (stale, rowCount): ([StaleSpan], Int) = ([], 0)
        let starts = try starts(of: view, level: level, tables, on: connection)
        for start in starts where rowCount < limits.rowsPerStepMax {
            let viewEnd = ViewEntry.end(ofView: start)
            let nextStart = try tree.start(from: start + [0], level: level) ?? viewEnd
            let range = EntryRange(
                lower: start, upper: nextStart.lexicographicallyPrecedes(viewEnd) ? nextStart : viewEnd)
            var collector = reducers.ofViews[view].collector()
            if level == 1 {
                try collector.take(rows: range, from: tree)
                rowCount += collector.stretch.count
            } else {
                try tree.spans(range, level: level - 1) { start, count, reduction in
                    let content =
                        count.map { ($0, reduction) } ?? computedBelow[start].map { ($0.count, $0.reduction) }
                    if let content { try collector.take(count: content.0, reduction: content.1) }
                }
            }
            stale.append(StaleSpan(start: start, collection: collector.stretch))
        }
        invariant(starts.isEmpty || !stale.isEmpty, "each step computes a stale span")
        return (stale, stale.count < starts.count || starts.count == limits.spansPerStepMax)
    }

    /// Returns the starts of the first stale spans of a level, at most ``ViewLimits/spansPerStepMax``.
    private func starts(
        of view: Int, level: Int, _ tables: ViewTables, on connection: SQLiteConnection
    ) throws -> [[UInt8]] {
        let statement = try connection.statement(
            composed: """
                SELECT start FROM \(tables.spans) WHERE count IS NULL AND level = ?1 AND start >= ?2 AND start < ?3
                ORDER BY start LIMIT ?4
                """)
        statement.bind(EntryRange(prefix: ViewEntry.prefix(view: view)), level: level)
        statement.bind(limits.spansPerStepMax, at: 4)
        defer { statement.reset() }
        var starts: [[UInt8]] = []
        while try statement.step() { starts.append(statement.bytes(0) ?? []) }
        return starts
    }
}

extension ScriptError {
    /// Whether the function caused the error, so that it would fail again.
    fileprivate var isOfTheFunction: Bool { ![.crashed, .busy, .unavailable].contains(code) }
}
