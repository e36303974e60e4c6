//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

@testable import GodwitViews

/// Compares the spans of an index with its rows.
struct SpanCheck {
    private let tables: ViewTables
    private let tree: SpanTree
    private let connection: SQLiteConnection

    init(_ index: IndexDescription, on connection: SQLiteConnection) throws {
        tables = ViewTables(index)
        tree = try SpanTree(tables, on: connection)
        self.connection = connection
    }

    func faults() throws -> [String] {
        var faults: [String] = []
        let spans = try connection.statement(
            composed: "SELECT level, start, count FROM \(tables.spans) ORDER BY level, start")
        defer { spans.reset() }
        var starts: [[Int]: Bool] = [:]
        while try spans.step() {
            let (level, start) = (spans.int(0), spans.bytes(1) ?? [])
            let end = ViewEntry.end(ofView: start)
            let next = try tree.start(from: start + [0], level: level) ?? end
            let range = EntryRange(lower: start, upper: next.lexicographicallyPrecedes(end) ? next : end)
            let count = try tree.countRows(range)
            starts[[level] + start.map(Int.init)] = true
            if spans.isNull(2) { faults.append("level \(level): stale") }
            if spans.int(2) != count { faults.append("level \(level): \(spans.int(2)) of \(count) rows") }
        }
        let rows = try connection.statement(composed: "SELECT entry, level FROM \(tables.rows) WHERE level > 0")
        defer { rows.reset() }
        while try rows.step() {
            for level in 1...rows.int(1) where starts[[level] + (rows.bytes(0) ?? []).map(Int.init)] == nil {
                faults.append("level \(level): a row that should begin a span does not")
            }
        }
        return faults
    }
}
