//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// The journal of database updates contains at most one row for each database name.

extension Catalogue {
    /// Records the latest update of a database. Replaces the previous entry of the same name.
    static func record(
        _ kind: DatabaseUpdate.Kind, of name: String, on connection: SQLiteConnection
    ) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO updates(name, kind) VALUES(?1, ?2)")
        statement.bind(name, at: 1)
        statement.bind(kind.rawValue, at: 2)
        try statement.run()
    }

    /// Whether a live database has this name.
    static func isLive(_ name: String, on connection: SQLiteConnection) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM databases WHERE name = ?1 AND state = 1")
        defer { statement.reset() }
        statement.bind(name, at: 1)
        return try statement.step()
    }

    /// Records an `updated` entry for each of the given databases that is still live.
    ///
    /// - Parameters:
    ///   - names: A function that returns the names. It is called within the commit.
    ///   - state: A function that returns the state of a database's file that is certainly on the disk; `nil` if there
    ///     is none.
    func recordUpdates(
        of names: @escaping @Sendable () -> Set<String>,
        state: @escaping @Sendable (String) -> SeenState? = { _ in nil }
    ) throws {
        try writes.perform { connection in
            for name in names().sorted() where try Catalogue.isLive(name, on: connection) {
                try Catalogue.record(.updated, of: name, on: connection)
                if let state = state(name) { try Catalogue.note(state, of: name, on: connection) }
            }
        }
    }

    /// The journal entries after `sequence`, in ascending order, at most `rowsMax`.
    func updates(after sequence: Int64, rowsMax: Int) throws -> [DatabaseUpdate] {
        try file.read { reader in
            let statement = try reader.statement(
                "SELECT sequence, name, kind FROM updates WHERE sequence > ?1 ORDER BY sequence LIMIT ?2")
            defer { statement.reset() }
            statement.bind(sequence, at: 1)
            statement.bind(rowsMax, at: 2)
            var updates: [DatabaseUpdate] = []
            while try statement.step() {
                guard let kind = DatabaseUpdate.Kind(rawValue: statement.int(2)) else { throw StoreError.damagedRow }
                updates.append(DatabaseUpdate(sequence: statement.int64(0), name: statement.string(1), kind: kind))
            }
            return updates
        }
    }

    /// The sequence of the last journal entry; 0 if the journal is empty.
    func lastUpdate() throws -> Int64 {
        try file.read { Int64(try $0.integer("SELECT ifnull(max(sequence), 0) FROM updates")) }
    }
}
