//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

/// Works out the spans that are stale, a level at a time.
struct SpanFiller: Sendable {
    let index: IndexDescription
    let group: ViewGroup
    let database: IndexedDatabase
    let reducers: Reducers
    let limits: ViewLimits

    func fill() async throws {
        for level in 1...SpanLevels.count { while try await fillSome(of: level) {} }
    }

    private struct Stale {
        let start: [UInt8]
        let stretch: Stretch
    }

    /// - Returns: Whether there may be more.
    private func fillSome(of level: Int) async throws -> Bool {
        let stale = try database.read { try staleSpans(of: level, on: $0) }
        guard !stale.isEmpty else { return false }
        var filled: [(start: [UInt8], count: Int, reduction: [UInt8])] = []
        for (view, reducer) in reducers.ofViews.enumerated() {
            let own = stale.filter { $0.start.starts(with: ViewEntry.prefix(view: view)) }
            let reductions = try await reducer.reduce(own.map(\.stretch))
            filled += zip(own, reductions).map { ($0.start, $0.stretch.count, $1) }
        }
        let (tables, spans) = (ViewTables(index), filled)
        let isThere = try await database.write(index) { connection in
            let statement = try connection.statement(
                composed: "UPDATE \(tables.spans) SET count = ?3, reduction = ?4 WHERE level = ?1 AND start = ?2")
            for span in spans {
                statement.bind(level, at: 1)
                statement.bind(span.start as [UInt8]?, at: 2)
                statement.bind(span.count, at: 3)
                statement.bind(span.reduction.isEmpty ? nil : span.reduction, at: 4)
                try statement.run()
            }
            return true
        }
        try Task.checkCancellation()
        return isThere ?? false
    }

    /// Some stale spans of a level, with what lies in them.
    private func staleSpans(of level: Int, on connection: SQLiteConnection) throws -> [Stale] {
        let tables = ViewTables(index)
        let tree = try SpanTree(tables, on: connection)
        var (stale, rowCount): ([Stale], Int) = ([], 0)
        for start in try starts(of: level, tables, on: connection) where rowCount < limits.rowsPerStepMax {
            let viewEnd = ViewEntry.end(ofView: start)
            let next = try tree.start(from: start + [0], level: level) ?? viewEnd
            let range = EntryRange(lower: start, upper: next.lexicographicallyPrecedes(viewEnd) ? next : viewEnd)
            var collector = reducers.ofViews[ViewEntry.view(of: start)].collector()
            if level == 1 {
                try collector.take(rows: range, from: tree)
                rowCount += collector.stretch.count
            } else {
                try tree.spans(range, level: level - 1) { try collector.take(count: $0, reduction: $1) }
            }
            stale.append(Stale(start: start, stretch: collector.stretch))
        }
        return stale
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
