//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import GodwitStore

/// The tables that an index of a function has in addition to ``TextTables``.
///
/// | table | one row for each |
/// |---|---|
/// | `text_N_given` | document: the fields that the function emitted (``TextLeaves``) |
/// | `text_N_facets` | field whose values can be counted |
/// | `text_N_boosts` | searched field: the factor of its hits' scores |
struct FieldTables {
    private let name: String
    private let connection: SQLiteConnection

    init(_ tables: TextTables) { (name, connection) = (tables.name, tables.connection) }

    func create() throws {
        try connection.execute(
            """
            CREATE TABLE \(name)_given(number INTEGER PRIMARY KEY, fields BLOB NOT NULL);
            CREATE TABLE \(name)_facets(path TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE \(name)_boosts(path TEXT PRIMARY KEY, boost REAL NOT NULL) WITHOUT ROWID;
            """)
    }

    func drop() throws {
        for suffix in ["given", "facets", "boosts"] { try connection.execute("DROP TABLE IF EXISTS \(name)_\(suffix)") }
    }

    /// Returns the fields of a document; `nil` when the index does not contain it.
    func fields(of number: Int64) throws -> JSONTape? {
        let statement = try connection.statement(composed: "SELECT fields FROM \(name)_given WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try statement.step() ? try JSONTape(scanning: statement.bytes(0) ?? [], limits: .stored) : nil
    }

    func put(_ fields: [UInt8], of number: Int64) throws {
        let statement = try connection.statement(
            composed: "INSERT OR REPLACE INTO \(name)_given(number, fields) VALUES(?1, ?2)")
        statement.bind(number, at: 1)
        try statement.run(binding: fields, at: 2)
    }

    func remove(_ number: Int64) throws {
        let statement = try connection.statement(composed: "DELETE FROM \(name)_given WHERE number = ?1")
        statement.bind(number, at: 1)
        try statement.run()
    }

    func addFacet(_ path: String) throws {
        let statement = try connection.statement(composed: "INSERT OR IGNORE INTO \(name)_facets(path) VALUES(?1)")
        statement.bind(path, at: 1)
        try statement.run()
    }

    /// Stores the boost of a field if the field has no boost yet.
    func addBoost(_ boost: Double, of path: String) throws {
        let statement = try connection.statement(
            composed: "INSERT OR IGNORE INTO \(name)_boosts(path, boost) VALUES(?1, ?2)")
        statement.bind(path, at: 1)
        statement.bind(boost, at: 2)
        try statement.run()
    }

    /// Returns the boosts of the searched fields.
    func boosts() throws -> [ExactText: Double] {
        let statement = try connection.statement(composed: "SELECT path, boost FROM \(name)_boosts")
        defer { statement.reset() }
        var boosts: [ExactText: Double] = [:]
        while try statement.step() { boosts[ExactText(statement.string(0))] = statement.double(1) }
        return boosts
    }

    /// Returns the paths of the fields whose values can be counted.
    func facets() throws -> Set<ExactText> {
        let statement = try connection.statement(composed: "SELECT path FROM \(name)_facets")
        defer { statement.reset() }
        var paths: Set<ExactText> = []
        while try statement.step() { paths.insert(ExactText(statement.string(0))) }
        return paths
    }
}
