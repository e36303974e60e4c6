//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

// The catalogue, not the file system, defines which databases exist. Creating or deleting a database consists of
// several steps on disk. Before the first step, the database's row in the catalogue gets the state `creating` or
// `deleting`. If a crash interrupts the steps, the next start finds this state and removes the files and the row of the
// database. After that, the creation or deletion can be repeated.
//
// A database is durably marked dirty before the first write is acknowledged. It is marked clean again some time after
// its file was closed. After a crash, only dirty databases need a check, because a clean database has no write that is
// not in its closed file. The table `updates` is the journal of database updates. It contains at most one row for each
// database name.

/// The list of the databases in a directory.
final class Catalogue: Sendable {
    /// The state of a database's creation or deletion.
    enum State: Int, Sendable {
        /// The file is being written. After a crash, the next start removes the file and the row.
        case creating = 0
        /// The database exists.
        case live = 1
        /// The files are being removed. After a crash, the next start completes the removal.
        case deleting = 2
    }

    /// Whether a database is marked dirty: in every state except `clean`, it may contain writes that were made after it
    /// was last closed.
    enum CrashState: Int, Sendable {
        case clean = 0
        case written = 1
        /// The database is dirty, and commits were not flushed one by one, so a power loss may have lost the last
        /// commits.
        case writtenUnflushed = 2

        init(_ durability: Durability) { self = durability == .full ? .written : .writtenUnflushed }
    }

    /// One row of the catalogue.
    struct Entry: Sendable {
        let name: String
        /// The path of the database file, relative to the directory.
        let file: String
        let state: State
        let crashState: CrashState
    }

    /// The name of the catalogue's file.
    static let fileName = "catalogue.sqlite"

    /// The version that this build writes, stored as SQLite's `user_version`.
    private static let version = 1

    let file: CatalogueFile
    var writes: GroupCommit { file.writes }

    init(directory: String, disk: SQLiteDisk) throws {
        let path = "\(directory)/\(Catalogue.fileName)"
        file = try CatalogueFile(
            path: path, version: Catalogue.version,
            schema: """
                CREATE TABLE IF NOT EXISTS databases(
                    name TEXT PRIMARY KEY, file TEXT NOT NULL, state INTEGER NOT NULL, dirty INTEGER NOT NULL,
                    instance TEXT NOT NULL, security BLOB, CHECK(state IN (0, 1, 2) AND dirty IN (0, 1, 2)))
                    WITHOUT ROWID;
                CREATE INDEX IF NOT EXISTS databases_unsettled ON databases(name) WHERE state <> 1 OR dirty <> 0;
                CREATE TABLE IF NOT EXISTS seen(
                    name TEXT PRIMARY KEY, epoch TEXT NOT NULL, sequence INTEGER NOT NULL, CHECK(sequence >= 0))
                    WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS settings(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS updates(
                    sequence INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL,
                    CHECK(kind IN (1, 2, 3)));
                """, disk: disk
        ) { connection, fileVersion in
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'databases'")
            guard fileVersion > 0 || tables == 0 else {
                throw StoreError(
                    .corrupt,
                    "\(path) was written by Godwit before its first release and cannot be read any more. "
                        + "Remove the directory.")
            }
        }
    }

    /// Opens the catalogue of a directory that another process writes.
    init(reading directory: String, disk: SQLiteDisk) throws {
        let path = "\(directory)/\(Catalogue.fileName)"
        guard DatabaseFiles.exists(path) else { throw StoreError.nothingToRead(path) }
        file = try CatalogueFile(reading: path, version: Catalogue.version, disk: disk)
    }

    // MARK: Databases

    /// The catalogue's entry for a database, whatever its state; `nil` if no database has this name.
    func entry(of name: String) throws -> Entry? {
        try file.read { reader in
            let statement = try reader.statement("SELECT name, file, state, dirty FROM databases WHERE name = ?1")
            defer { statement.reset() }
            statement.bind(name, at: 1)
            return try statement.step() ? Entry(statement) : nil
        }
    }

    /// The databases that are being created or deleted, or that are marked dirty.
    func unsettled() throws -> [Entry] {
        try file.read { reader in
            let statement = try reader.statement(
                "SELECT name, file, state, dirty FROM databases WHERE state <> 1 OR dirty <> 0 ORDER BY name")
            defer { statement.reset() }
            var entries: [Entry] = []
            while try statement.step() { entries.append(Entry(statement)) }
            return entries
        }
    }

    /// The names of live databases in a range, in ascending or descending bytewise order.
    func names(in range: IDRange, descending: Bool, rowsMax: Int, skip: Int) throws -> [String] {
        let order = descending ? "DESC" : "ASC"
        let (above, below) = (range.lowerIsIncluded ? ">=" : ">", range.upperIsIncluded ? "<=" : "<")
        return try file.read { reader in
            let statement = try reader.statement(
                composed: """
                    SELECT name FROM databases WHERE state = 1 AND name \(above) ifnull(?1, '')
                    AND (?2 IS NULL OR name \(below) ?2) ORDER BY name \(order) LIMIT ?3 OFFSET ?4
                    """)
            defer { statement.reset() }
            for (position, bound) in zip(Int32(1)..., [range.lower, range.upper]) {
                if let bound { statement.bind(bound, at: position) } else { statement.bindNull(at: position) }
            }
            statement.bind(rowsMax, at: 3)
            statement.bind(skip, at: 4)
            var names: [String] = []
            while try statement.step() { names.append(statement.string(0)) }
            return names
        }
    }

    /// The number of live databases.
    func count() throws -> Int {
        try file.read { try $0.integer("SELECT count(*) FROM databases WHERE state = 1") }
    }

    /// The instance identifier that a database got when it was created; `nil` if no database has this name. The
    /// database may be in any state, for example while it is being deleted.
    func instance(of name: String) throws -> String? {
        try file.read { reader in
            let statement = try reader.statement("SELECT instance FROM databases WHERE name = ?1")
            defer { statement.reset() }
            statement.bind(name, at: 1)
            return try statement.step() ? statement.string(0) : nil
        }
    }

    /// The files of all live databases, relative to the directory.
    func files() throws -> Set<String> {
        try file.read { reader in
            let statement = try reader.statement("SELECT file FROM databases WHERE state = 1")
            defer { statement.reset() }
            var files: Set<String> = []
            while try statement.step() { files.insert(statement.string(0)) }
            return files
        }
    }

    /// Records that the creation of a database begins.
    ///
    /// - Parameter record: Data to store in the same commit.
    func beginCreation(of name: String, file: String, instance: String, record: CreationRecord) throws {
        try writes.perform { connection in
            invariant(!file.isEmpty && !instance.isEmpty, "a database has a file and an identity")
            let statement = try connection.statement("INSERT INTO databases VALUES(?1, ?2, 0, 0, ?3, ?4)")
            statement.bind(name, at: 1)
            statement.bind(file, at: 2)
            statement.bind(instance, at: 3)
            if let security = record.security { statement.bind(security, at: 4) } else { statement.bindNull(at: 4) }
            try statement.run()
            if let setting = record.setting { try Catalogue.set(setting.key, to: setting.value, on: connection) }
        }
    }

    /// Records that a database is live.
    ///
    /// - Parameter crashState: The initial state. An empty database is marked dirty because a write usually follows. A
    ///   database that is created from a template with full durability is marked clean, so that many unused databases
    ///   need not be checked after a crash.
    func finishCreation(of name: String, crashState: CrashState) throws {
        try writes.perform { connection in
            let statement = try connection.statement(
                "UPDATE databases SET state = 1, dirty = ?2 WHERE name = ?1 AND state = 0")
            statement.bind(name, at: 1)
            statement.bind(crashState.rawValue, at: 2)
            try statement.run()
            invariant(connection.changedRows == 1, "a database that becomes live was being created")
            try Catalogue.record(.created, of: name, on: connection)
        }
    }

    /// Records that the deletion of a database begins.
    func beginDeletion(of name: String) throws {
        try writes.perform { connection in
            let statement = try connection.statement("UPDATE databases SET state = 2 WHERE name = ?1")
            statement.bind(name, at: 1)
            try statement.run()
            invariant(connection.changedRows == 1, "a database that is deleted is in the catalogue")
        }
    }

    /// Removes the entry of a database whose files were removed.
    ///
    /// - Parameter wasLive: Whether the database was ever live. The deletion of a database that was live is recorded in
    ///   the journal.
    func forget(_ name: String, wasLive: Bool) throws {
        try writes.perform { connection in
            let statement = try connection.statement("DELETE FROM databases WHERE name = ?1")
            statement.bind(name, at: 1)
            try statement.run()
            let seenStatement = try connection.statement("DELETE FROM seen WHERE name = ?1")
            seenStatement.bind(name, at: 1)
            try seenStatement.run()
            if wasLive { try Catalogue.record(.deleted, of: name, on: connection) }
        }
    }

    /// Marks a database dirty. Called before the first write to a clean database is acknowledged.
    func markDirty(_ name: String, _ crashState: CrashState) throws {
        try writes.perform { connection in
            try Catalogue.set(crashState, of: name, on: connection)
            try Catalogue.record(.updated, of: name, on: connection)
        }
    }

    /// Marks a database clean after its file was closed. The mark is stored with the next commit, at the latest in
    /// ``settle()`` or ``close()``. If the process crashes before that commit, the database is checked unnecessarily.
    /// With the mark, the state of the file is stored, if it is given.
    ///
    /// - Parameter isUnrecorded: Whether the last writes of the database are not in the journal yet. If `true`, this
    ///   method records the update in the same commit as the mark. Otherwise, a crash would lose the update: after a
    ///   crash, only dirty databases are recorded as updated.
    func markClean(_ name: String, at state: SeenState?, isUnrecorded: Bool) {
        writes.later { connection in
            try Catalogue.set(.clean, of: name, on: connection)
            if let state { try Catalogue.note(state, of: name, on: connection) }
            if isUnrecorded, try Catalogue.isLive(name, on: connection) {
                try Catalogue.record(.updated, of: name, on: connection)
            }
        }
    }

    /// The last state of a database's file that the catalogue knows. The file may have been replaced by an older
    /// copy; then the file knows nothing of this state.
    struct SeenState: Equatable, Sendable {
        let epoch: String
        let sequence: Int64

        /// Whether a file with this state, which follows the given former epochs, is older than a file that was seen.
        func isBehind(_ seen: SeenState, branches: [ExactText: Int64]) -> Bool {
            guard seen.sequence > 0 else { return false }
            guard epoch.isIdenticalText(to: seen.epoch) else { return branches[ExactText(seen.epoch)] == nil }
            return sequence < seen.sequence
        }
    }

    /// The last known state of a database's file; `nil` if none was stored.
    func seen(_ name: String) throws -> SeenState? {
        try file.read { reader in
            let statement = try reader.statement("SELECT epoch, sequence FROM seen WHERE name = ?1")
            defer { statement.reset() }
            statement.bind(name, at: 1)
            return try statement.step() ? SeenState(epoch: statement.string(0), sequence: statement.int64(1)) : nil
        }
    }

    /// Stores the state of a database's file.
    func note(_ state: SeenState, of name: String) throws {
        try writes.perform { try Catalogue.note(state, of: name, on: $0) }
    }

    static func note(_ state: SeenState, of name: String, on connection: SQLiteConnection) throws {
        invariant(state.sequence >= 0, "a sequence is not negative")
        guard try Catalogue.isLive(name, on: connection) else { return }
        let statement = try connection.statement("INSERT OR REPLACE INTO seen VALUES(?1, ?2, ?3)")
        statement.bind(name, at: 1)
        statement.bind(state.epoch, at: 2)
        statement.bind(state.sequence, at: 3)
        try statement.run()
    }

    /// Commits and flushes the changes that wait for the next commit, such as clean marks.
    func settle() throws { try writes.perform { _ in } }

    private static func set(_ crashState: CrashState, of name: String, on connection: SQLiteConnection) throws {
        let statement = try connection.statement("UPDATE databases SET dirty = ?2 WHERE name = ?1")
        statement.bind(name, at: 1)
        statement.bind(crashState.rawValue, at: 2)
        try statement.run()
    }

    func close() { file.close() }

    /// Closes the file until ``resume()``.
    func suspend() { file.suspend() }

    func resume() { file.resume() }
}

extension Catalogue.Entry {
    fileprivate init(_ statement: SQLiteStatement) {
        self.init(
            name: statement.string(0), file: statement.string(1),
            state: Catalogue.State(rawValue: statement.int(2)) ?? .live,
            crashState: Catalogue.CrashState(rawValue: statement.int(3)) ?? .writtenUnflushed)
    }
}
