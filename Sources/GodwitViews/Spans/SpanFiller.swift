//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

/// Works out the spans that are stale.
///
/// A few of them are worked out in memory from the first level to the last, and written together; of many the lower levels are
/// written first.
struct SpanFiller: Sendable {
    let index: IndexDescription
    let group: ViewGroup
    let database: IndexedDatabase
    let reducers: Reducers
    let limits: ViewLimits

    /// A span as it was worked out.
    private struct Filled: Sendable {
        let level: Int
        let start: [UInt8]
        let count: Int
        let reduction: [UInt8]
    }

    private struct Stale {
        let start: [UInt8]
        let stretch: Stretch
    }

    /// Works out all of them.
    ///
    /// - Returns: What writes the last of them.
    func fill() async throws -> @Sendable (SQLiteConnection) throws -> Void {
        while true {
            let (filled, isAll) = try await next()
            let write = writing(filled)
            if isAll { return write }
            guard try await database.write(index, write) != nil else { return { _ in } }
            try Task.checkCancellation()
        }
    }

    /// The next spans, and whether those are all.
    private func next() async throws -> ([Filled], isAll: Bool) {
        var filled: [Filled] = []
        for level in 1...SpanLevels.count {
            let below = Dictionary(
                uniqueKeysWithValues: filled.lazy.filter { $0.level == level - 1 }.map { ($0.start, $0) })
            let (stale, hasMore) = try database.read { try staleSpans(of: level, below, on: $0) }
            for (view, reducer) in reducers.ofViews.enumerated() {
                let own = stale.filter { ViewEntry.view(of: $0.start) == view }
                let reductions = try await reducer.reduce(own.map(\.stretch))
                filled += zip(own, reductions).map {
                    Filled(level: level, start: $0.start, count: $0.stretch.count, reduction: $1)
                }
            }
            // What stands above needs all of this level.
            if hasMore || filled.count >= limits.spansPerStepMax { return (filled, false) }
        }
        return (filled, true)
    }

    private func writing(_ filled: [Filled]) -> @Sendable (SQLiteConnection) throws -> Void {
        let spans = ViewTables(index).spans
        return { connection in
            let statement = try connection.statement(
                composed: "UPDATE \(spans) SET count = ?3, reduction = ?4 WHERE level = ?1 AND start = ?2")
            for span in filled {
                statement.bind(span.level, at: 1)
                statement.bind(span.start as [UInt8]?, at: 2)
                statement.bind(span.count, at: 3)
                statement.bind(span.reduction.isEmpty ? nil : span.reduction, at: 4)
                try statement.run()
            }
        }
    }

    /// Some stale spans of a level, with what lies in them.
    ///
    /// - Parameter below: Spans of the level below that are not written yet.
    private func staleSpans(
        of level: Int, _ below: [[UInt8]: Filled], on connection: SQLiteConnection
    ) throws -> (stale: [Stale], hasMore: Bool) {
        let tables = ViewTables(index)
        let tree = try SpanTree(tables, on: connection)
        var (stale, rowCount): ([Stale], Int) = ([], 0)
        let starts = try starts(of: level, tables, on: connection)
        for start in starts where rowCount < limits.rowsPerStepMax {
            let viewEnd = ViewEntry.end(ofView: start)
            let next = try tree.start(from: start + [0], level: level) ?? viewEnd
            let range = EntryRange(lower: start, upper: next.lexicographicallyPrecedes(viewEnd) ? next : viewEnd)
            var collector = reducers.ofViews[ViewEntry.view(of: start)].collector()
            if level == 1 {
                try collector.take(rows: range, from: tree)
                rowCount += collector.stretch.count
            } else {
                try tree.spans(range, level: level - 1) { start, count, reduction in
                    let known = count.map { ($0, reduction) } ?? below[start].map { ($0.count, $0.reduction) }
                    if let known { try collector.take(count: known.0, reduction: known.1) }
                }
            }
            stale.append(Stale(start: start, stretch: collector.stretch))
        }
        return (stale, stale.count < starts.count || starts.count == limits.spansPerStepMax)
    }

    private func starts(of level: Int, _ tables: ViewTables, on connection: SQLiteConnection) throws -> [[UInt8]] {
        let statement = try connection.statement(
            composed: "SELECT start FROM \(tables.spans) WHERE count IS NULL AND level = ?1 ORDER BY start LIMIT ?2")
        statement.bind(level, at: 1)
        statement.bind(limits.spansPerStepMax, at: 2)
        defer { statement.reset() }
        var starts: [[UInt8]] = []
        while try statement.step() { starts.append(statement.bytes(0) ?? []) }
        return starts
    }
}
