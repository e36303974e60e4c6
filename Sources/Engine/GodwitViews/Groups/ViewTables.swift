//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

// A group of views has three tables. The first contains the rows of all its views in the order of their entries. The
// second contains, for each document, the entries of its rows, so that outdated rows can be deleted when the document
// changes. The third contains the spans, which store the count and the reduction of ranges of rows
// (`SpanWriter.swift`).

/// The database tables of one group of views.
struct ViewTables: Sendable {
    let rows: String
    let documents: String
    let spans: String

    init(_ index: IndexDescription) {
        rows = "view_\(index.number)"
        documents = "view_\(index.number)_documents"
        spans = "view_\(index.number)_spans"
    }

    /// Creates the tables, and the first span of each level of each view.
    func create(on connection: SQLiteConnection, views viewCount: Int) throws {
        try connection.execute(
            """
            CREATE TABLE \(rows)(
                entry BLOB PRIMARY KEY, id INTEGER NOT NULL, level INTEGER NOT NULL, key BLOB NOT NULL,
                value BLOB) WITHOUT ROWID;
            CREATE TABLE \(documents)(document INTEGER PRIMARY KEY, entries BLOB NOT NULL);
            CREATE TABLE \(spans)(
                level INTEGER, start BLOB, count INTEGER, reduction BLOB, PRIMARY KEY(level, start)) WITHOUT ROWID;
            CREATE INDEX \(spans)_stale ON \(spans)(level, start) WHERE count IS NULL;
            """)
        try addFirstSpans(on: connection, views: viewCount)
    }

    private func addFirstSpans(on connection: SQLiteConnection, views viewCount: Int) throws {
        let spans = try SpanWriter(self, on: connection)
        for view in 0..<viewCount {
            for level in 1...SpanLevels.count { try spans.add(ViewEntry.prefix(view: view), level: level) }
        }
    }

    /// Makes all spans stale, so that their counts and reductions are computed again from the rows.
    func discardSpans(on connection: SQLiteConnection, views viewCount: Int) throws {
        try connection.execute("UPDATE \(spans) SET count = NULL, reduction = NULL")
        try addFirstSpans(on: connection, views: viewCount)
    }

    func remove(on connection: SQLiteConnection) throws {
        try connection.execute([rows, documents, spans].map { "DROP TABLE IF EXISTS \($0)" }.joined(separator: ";"))
    }

    func count(on connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement(composed: "SELECT count(*) FROM \(rows)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
