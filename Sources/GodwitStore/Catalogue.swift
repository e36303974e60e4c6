//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// The list of a directory's databases: what exists is what it says, not what files there are.
///
/// Used on the blocking pool by one thread at a time.
final class Catalogue: @unchecked Sendable {
    // Proof of `Sendable`: its manager reaches it within its mutex alone.

    enum State: Int {
        case live = 1
        /// Its files are being removed; finished at the next start when a crash comes between.
        case deleting = 2
    }

    private let connection: SQLiteConnection

    init(directory: String) throws {
        connection = try SQLiteConnection(
            path: "\(directory)/catalogue.sqlite", access: .readWrite(creating: true))
        try connection.configureWriter(synchronous: .full, cacheBytes: 2 << 20, checkpointPages: 1_000)
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS databases(
                name TEXT PRIMARY KEY, file TEXT NOT NULL, state INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS settings(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            """)
    }

    /// The file of a live database, relative to the directory; `nil` when there is none of this name.
    func file(of name: String) throws -> String? {
        let statement = try connection.statement("SELECT file FROM databases WHERE name = ?1 AND state = 1")
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step() ? statement.string(0) : nil
    }

    /// Whether a database of this name is there whose deletion is not finished.
    func isDeleting(_ name: String) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM databases WHERE name = ?1 AND state = 2")
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step()
    }

    func insert(name: String, file: String) throws {
        let statement = try connection.statement("INSERT INTO databases(name, file, state) VALUES(?1, ?2, 1)")
        statement.bind(name, at: 1)
        statement.bind(file, at: 2)
        try statement.run()
    }

    func set(_ state: State, of name: String) throws {
        let statement = try connection.statement("UPDATE databases SET state = ?2 WHERE name = ?1")
        statement.bind(name, at: 1)
        statement.bind(state.rawValue, at: 2)
        try statement.run()
    }

    func remove(name: String) throws {
        let statement = try connection.statement("DELETE FROM databases WHERE name = ?1")
        statement.bind(name, at: 1)
        try statement.run()
    }

    /// Names and files of all databases in a state, by name.
    func databases(in state: State) throws -> [(name: String, file: String)] {
        let statement = try connection.statement("SELECT name, file FROM databases WHERE state = ?1 ORDER BY name")
        defer { statement.reset() }
        statement.bind(state.rawValue, at: 1)
        var found: [(name: String, file: String)] = []
        while try statement.step() { found.append((statement.string(0), statement.string(1))) }
        return found
    }

    /// A setting of whoever runs on these databases, for example the server's administrators.
    func setting(_ key: String) throws -> [UInt8]? {
        let statement = try connection.statement("SELECT value FROM settings WHERE key = ?1")
        defer { statement.reset() }
        statement.bind(key, at: 1)
        return try statement.step() ? statement.bytes(0) : nil
    }

    func setSetting(_ key: String, to value: [UInt8]) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO settings VALUES(?1, ?2)")
        statement.bind(key, at: 1)
        statement.bind(value, at: 2)
        try statement.run()
    }

    func close() { connection.close() }
}
