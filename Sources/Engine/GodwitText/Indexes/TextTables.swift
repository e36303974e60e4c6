//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitStore

/// The database tables of one text index.
///
/// | table | one row for each |
/// |---|---|
/// | `text_N` | document: FTS5 without its content, one column for each field (``TextColumns``) and the column `mark` |
/// | `text_N_documents` | document: its row in `text_N`, its sequence, the sequence of its text, its stored id |
/// | `text_N_texts` | document: the indexed text, which FTS5 needs to remove the document |
/// | `text_N_fields` | field that has a column, if the index covers all fields |
/// | `text_N_history` | recently replaced text, keyed by the sequence of the change that replaced it |
///
/// The text is in a separate table so that a change of the sequence does not rewrite it, and so that the ids of many
/// hits are on few pages.
struct TextTables {
    let name: String
    let connection: SQLiteConnection

    init(index: Int64, on connection: SQLiteConnection) {
        name = "text_\(index)"
        self.connection = connection
    }

    func create(_ definition: TextIndexDefinition) throws {
        try connection.execute(
            Self.definition(of: name, columns: TextColumns(definition).count, definition.tableAnalyzer))
        try connection.execute(
            """
            CREATE TABLE \(name)_documents(
                number INTEGER PRIMARY KEY, row INTEGER NOT NULL, sequence INTEGER NOT NULL, since INTEGER NOT NULL,
                id TEXT NOT NULL);
            CREATE TABLE \(name)_texts(number INTEGER PRIMARY KEY, text BLOB NOT NULL);
            CREATE TABLE \(name)_fields(number INTEGER PRIMARY KEY, path TEXT NOT NULL);
            CREATE TABLE \(name)_history(
                until INTEGER PRIMARY KEY, since INTEGER NOT NULL, row INTEGER NOT NULL, text BLOB NOT NULL);
            """)
    }

    func drop() throws {
        for suffix in ["", "_documents", "_texts", "_fields", "_history"] {
            try connection.execute("DROP TABLE IF EXISTS \(name)\(suffix)")
        }
    }

    /// Returns the statement that creates an FTS5 table without content.
    static func definition(of name: String, columns: Int, _ analyzer: TextAnalyzer) -> String {
        let names = (0..<columns).map { "c\($0)" } + ["mark"]
        return """
            CREATE VIRTUAL TABLE \(name) USING fts5(
            \(names.joined(separator: ", ")), content='', columnsize=0, \(analyzer.tokenizerOption))
            """
    }

    // MARK: Fields

    /// Returns the current columns of the index.
    func columns(_ definition: TextIndexDefinition) throws -> TextColumns {
        var columns = TextColumns(definition)
        guard columns.isGrowing else { return columns }
        let statement = try connection.statement(composed: "SELECT number, path FROM \(name)_fields")
        defer { statement.reset() }
        while try statement.step() {
            guard columns.has(statement.int(0)) else { throw StoreError.damagedRow }
            columns.add(statement.string(1), at: statement.int(0))
        }
        return columns
    }

    func addField(_ path: String, at column: Int) throws {
        let statement = try connection.statement(composed: "INSERT INTO \(name)_fields(number, path) VALUES(?1, ?2)")
        statement.bind(column, at: 1)
        statement.bind(path, at: 2)
        try statement.run()
    }

    // MARK: Documents

    /// A document in the index.
    struct Entry {
        var row: TextRow
        var sequence: Int64
        /// The sequence of the change that gave the document its current text.
        var since: Int64
        var id: String

        init(row: TextRow, sequence: Int64, since: Int64, id: String) {
            (self.row, self.sequence, self.since, self.id) = (row, sequence, since, id)
        }

        /// Reads the columns row, sequence, since and id.
        init(_ statement: SQLiteStatement) {
            row = TextRow(rawValue: statement.int64(0))
            sequence = statement.int64(1)
            since = statement.int64(2)
            id = statement.string(3)
        }
    }

    func entry(_ number: Int64) throws -> Entry? {
        let statement = try connection.statement(
            composed: "SELECT row, sequence, since, id FROM \(name)_documents WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try statement.step() ? Entry(statement) : nil
    }

    /// Returns the number of documents in the index.
    func count() throws -> Int {
        let statement = try connection.statement(composed: "SELECT count(*) FROM \(name)_documents")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    func put(_ entry: Entry) throws {
        let statement = try connection.statement(
            composed: """
                INSERT OR REPLACE INTO \(name)_documents(number, row, sequence, since, id) VALUES(?1, ?2, ?3, ?4, ?5)
                """)
        statement.bind(entry.row.number, at: 1)
        statement.bind(entry.row.rawValue, at: 2)
        statement.bind(entry.sequence, at: 3)
        statement.bind(entry.since, at: 4)
        statement.bind(entry.id, at: 5)
        try statement.run()
    }

    func text(_ number: Int64) throws -> [UInt8] {
        let statement = try connection.statement(composed: "SELECT text FROM \(name)_texts WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try statement.step() ? statement.bytes(0) ?? [] : []
    }

    func putText(_ text: [UInt8], of number: Int64) throws {
        let statement = try connection.statement(
            composed: "INSERT OR REPLACE INTO \(name)_texts(number, text) VALUES(?1, ?2)")
        statement.bind(number, at: 1)
        try statement.run(binding: text, at: 2)
    }

    func remove(_ number: Int64) throws {
        for suffix in ["documents", "texts"] {
            let statement = try connection.statement(composed: "DELETE FROM \(name)_\(suffix) WHERE number = ?1")
            statement.bind(number, at: 1)
            try statement.run()
        }
    }
}
