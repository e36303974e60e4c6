//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// The list of the databases of a backup set, together with the settings of the data directory. The list is a SQLite
/// file with the same encryption as the directory.
final class BackupManifest: Sendable {
    static let fileName = "backup.sqlite"

    private static let version = 1

    private let path: String
    private let connection: Mutex<SQLiteConnection>

    /// Opens the list of a complete set.
    init(reading set: String, on disk: SQLiteDisk) throws(StoreError) {
        path = "\(set)/\(BackupManifest.fileName)"
        do {
            let reader = try SQLiteConnection(path: path, access: .readOnlyAtRest, disk: disk)
            guard try reader.integer("PRAGMA user_version") <= BackupManifest.version else {
                throw StoreError(.formatTooNew, "\(path) was written by a newer version of Godwit.")
            }
            connection = Mutex(reader)
        } catch let error as SQLiteError {
            throw error.explained(path, disk: disk)
        } catch {
            throw StoreError(wrapping: error, subject: path)
        }
    }

    /// Creates the list of a new set. No journal is written, because the set counts as complete only after
    /// ``finish(_:)`` has flushed the file.
    init(writing set: String, on disk: SQLiteDisk) throws {
        path = "\(set)/\(BackupManifest.fileName)"
        try DatabaseFiles.create(path)
        let writer = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: disk)
        try writer.execute(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            PRAGMA user_version = \(BackupManifest.version);
            CREATE TABLE summary(
                started INTEGER, ended INTEGER, databases INTEGER, unchanged INTEGER, documents INTEGER, bytes INTEGER,
                failures INTEGER);
            CREATE TABLE databases(
                name TEXT PRIMARY KEY, documents INTEGER, bytes INTEGER, state TEXT, security BLOB, failure TEXT)
                WITHOUT ROWID;
            CREATE INDEX databases_failed ON databases(name) WHERE failure IS NOT NULL;
            CREATE TABLE settings(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            """)
        connection = Mutex(writer)
    }

    deinit { close() }

    func close() { connection.withLock { $0.close() } }

    // MARK: Writing

    func add(_ entry: BackupEntry) throws {
        try connection.withLock { connection in
            let statement = try connection.statement("INSERT INTO databases VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
            statement.bind(entry.name, at: 1)
            statement.bind(entry.documents, at: 2)
            statement.bind(entry.bytes, at: 3)
            if let state = entry.state { statement.bind(state.description, at: 4) } else { statement.bindNull(at: 4) }
            statement.bind(entry.security, at: 5)
            if let failure = entry.failure { statement.bind(failure, at: 6) } else { statement.bindNull(at: 6) }
            try statement.run()
        }
    }

    func addSetting(_ key: String, _ value: [UInt8]) throws {
        try connection.withLock { try Catalogue.set(key, to: value, on: $0) }
    }

    /// Writes the summary, closes the file, and flushes it.
    func finish(_ summary: BackupSummary) throws {
        try connection.withLock { connection in
            let statement = try connection.statement("INSERT INTO summary VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
            for (index, value) in zip(
                Int32(1)...,
                [
                    summary.started, summary.ended, summary.databases, summary.unchanged, summary.documents,
                    summary.bytes, summary.failures,
                ])
            { statement.bind(value, at: index) }
            try statement.run()
            connection.close()
        }
        try DatabaseFiles.flush(path)
    }

    // MARK: Reading

    func summary() throws -> BackupSummary {
        try connection.withLock { connection in
            let statement = try connection.statement(
                "SELECT started, ended, databases, unchanged, documents, bytes, failures FROM summary")
            defer { statement.reset() }
            guard try statement.step() else { throw StoreError(.corrupt, "\(path) is incomplete.") }
            return BackupSummary(
                started: statement.count(0), ended: statement.count(1), databases: statement.count(2),
                unchanged: statement.count(3), documents: statement.count(4), bytes: statement.count(5),
                failures: statement.count(6))
        }
    }

    func entry(named name: String) throws -> BackupEntry? { try entries("name = ?1", name, rowsMax: 1).first }

    /// The databases whose names are not less than `name`, in ascending order of the names.
    func entries(from name: String, rowsMax: Int) throws -> [BackupEntry] {
        try entries("name >= ?1", name, rowsMax: rowsMax)
    }

    /// The databases that could not be copied, in ascending order of the names.
    func failures(rowsMax: Int) throws -> [BackupEntry] {
        try entries("failure IS NOT NULL AND name >= ?1", "", rowsMax: rowsMax)
    }

    private func entries(_ condition: String, _ name: String, rowsMax: Int) throws -> [BackupEntry] {
        try connection.withLock { connection in
            let statement = try connection.statement(
                composed: """
                    SELECT name, documents, bytes, state, security, failure FROM databases
                    WHERE \(condition) ORDER BY name LIMIT ?2
                    """)
            defer { statement.reset() }
            statement.bind(name, at: 1)
            statement.bind(rowsMax, at: 2)
            var entries: [BackupEntry] = []
            while try statement.step() {
                entries.append(
                    BackupEntry(
                        name: statement.string(0), documents: statement.count(1), bytes: statement.count(2),
                        state: statement.isNull(3) ? nil : FileState(stored: statement.string(3)),
                        security: statement.bytes(4), failure: statement.isNull(5) ? nil : statement.string(5)))
            }
            return entries
        }
    }

    /// Calls `body` with each setting of the data directory.
    func forEachSetting(_ body: (_ key: String, _ value: [UInt8]) throws -> Void) throws {
        try connection.withLock { connection in
            let statement = try connection.statement("SELECT key, value FROM settings ORDER BY key")
            defer { statement.reset() }
            while try statement.step() { try body(statement.string(0), statement.bytes(1) ?? []) }
        }
    }
}

extension SQLiteStatement {
    /// A count or a time of a set. A number that is negative or too large for arithmetic with other counts, which only
    /// a set from outside can contain, is replaced by the nearest possible one.
    fileprivate func count(_ column: Int32) -> Int { min(max(int(column), 0), 1 << 53) }
}
