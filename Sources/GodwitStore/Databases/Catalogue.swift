//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import GodwitThreads

// The catalogue says what exists; files do not. Making or deleting a database takes several steps on disk, so the row's
// state tells first what is being done, and a start after a crash ends it: what was being made is removed, what was being
// deleted is removed too, and both can be repeated.
//
// A database is marked dirty, durably, before its first write is acknowledged, and clean when its file was closed. After a
// crash only the dirty ones need a look. `updates` is the journal of what happened to databases, one row a name.
//
// All changes go through one group commit: whoever finds no leader leads, runs what waits in one transaction and flushes
// once for all. Look-ups have a connection of their own and wait for no flush.

/// The list of a directory's databases.
final class Catalogue: Sendable {
    /// What is happening to a database.
    enum State: Int, Sendable {
        /// Its file is being written; removed at the next start when a crash comes between.
        case creating = 0
        case live = 1
        /// Its files are being removed; finished at the next start when a crash comes between.
        case deleting = 2
    }

    /// Whether a database may hold writes since it was last closed.
    enum Dirt: Int, Sendable {
        case clean = 0
        case written = 1
        /// Written without a flush at each commit, so that the loss of power may have cost the last ones.
        case writtenUnflushed = 2

        init(_ durability: Durability) { self = durability == .full ? .written : .writtenUnflushed }
    }

    /// What the catalogue says of a database.
    struct Entry: Sendable {
        let name: String
        /// Relative to the directory.
        let file: String
        let state: State
        let dirt: Dirt
    }

    /// What the catalogue's file is called.
    static let fileName = "catalogue.sqlite"

    /// The version that this build writes, kept as SQLite's `user_version`.
    private static let version = 1

    let writes: GroupCommit
    let reader: Mutex<SQLiteConnection>

    init(directory: String, disk: SQLiteDisk) throws {
        let path = "\(directory)/\(Catalogue.fileName)"
        let connection = try Catalogue.open(path, on: disk)
        try Catalogue.checkVersion(of: connection, path: path)
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS databases(
                name TEXT PRIMARY KEY, file TEXT NOT NULL, state INTEGER NOT NULL, dirty INTEGER NOT NULL,
                instance TEXT NOT NULL, security BLOB) WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS databases_unsettled ON databases(name) WHERE state <> 1 OR dirty <> 0;
            CREATE TABLE IF NOT EXISTS settings(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS updates(
                sequence INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL);
            """)
        // Nothing is written to a catalogue that is there: a server starts on a full disk.
        if try connection.integer("PRAGMA user_version") < Catalogue.version {
            try connection.execute("PRAGMA user_version = \(Catalogue.version)")
        }
        writes = GroupCommit(connection)
        let reading = try SQLiteConnection(path: path, access: .besideWriter, disk: disk)
        try reading.configureReader(cacheBytes: 2 << 20)
        reader = Mutex(reading)
    }

    private static func open(_ path: String, on disk: SQLiteDisk) throws -> SQLiteConnection {
        FileConversion.abandon(path)
        if !DatabaseFiles.exists(path) { try DatabaseFiles.create(path) }
        do {
            let connection = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: disk)
            try connection.configureWriter(synchronous: .full, cacheBytes: 2 << 20)
            return connection
        } catch {
            throw error.explained(path, disk: disk)
        }
    }

    private static func checkVersion(of connection: SQLiteConnection, path: String) throws {
        let found = try connection.integer("PRAGMA user_version")
        guard found <= version else {
            throw StoreError(.formatTooNew, "\(path) was written by a newer Godwit. Open the directory with that one.")
        }
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'databases'")
        guard found > 0 || tables == 0 else {
            throw StoreError(
                .corrupt,
                "\(path) was written by a Godwit before its first release, whose files are no longer read. "
                    + "Remove the directory.")
        }
    }

    // MARK: Databases

    /// What is known of a database; `nil` when there is none of this name.
    func entry(of name: String) throws -> Entry? {
        try reader.withLock { reader in
            let statement = try reader.statement("SELECT name, file, state, dirty FROM databases WHERE name = ?1")
            defer { statement.reset() }
            statement.bind(name, at: 1)
            return try statement.step() ? Entry(statement) : nil
        }
    }

    /// Databases that a crash left in the middle of something or with writes.
    func unsettled() throws -> [Entry] {
        try reader.withLock { reader in
            let statement = try reader.statement(
                "SELECT name, file, state, dirty FROM databases WHERE state <> 1 OR dirty <> 0 ORDER BY name")
            defer { statement.reset() }
            var found: [Entry] = []
            while try statement.step() { found.append(Entry(statement)) }
            return found
        }
    }

    /// The names of live databases in a range, in bytewise order or against it.
    func names(in range: IDRange, descending: Bool, rowsMax: Int, skip: Int) throws -> [String] {
        let order = descending ? "DESC" : "ASC"
        let (above, below) = (range.lowerIsIncluded ? ">=" : ">", range.upperIsIncluded ? "<=" : "<")
        return try reader.withLock { reader in
            let statement = try reader.statement(
                composed: """
                    SELECT name FROM databases WHERE state = 1 AND name \(above) ifnull(?1, '')
                    AND (?2 IS NULL OR name \(below) ?2) ORDER BY name \(order) LIMIT ?3 OFFSET ?4
                    """)
            defer { statement.reset() }
            for (place, bound) in zip(Int32(1)..., [range.lower, range.upper]) {
                if let bound { statement.bind(bound, at: place) } else { statement.bindNull(at: place) }
            }
            statement.bind(rowsMax, at: 3)
            statement.bind(skip, at: 4)
            var names: [String] = []
            while try statement.step() { names.append(statement.string(0)) }
            return names
        }
    }

    /// The instance of a database, as its file has it.
    func instance(of name: String) throws -> String? {
        try reader.withLock { reader in
            let statement = try reader.statement("SELECT instance FROM databases WHERE name = ?1")
            defer { statement.reset() }
            statement.bind(name, at: 1)
            return try statement.step() ? statement.string(0) : nil
        }
    }

    /// The files of all live databases.
    func files() throws -> Set<String> {
        try reader.withLock { reader in
            let statement = try reader.statement("SELECT file FROM databases WHERE state = 1")
            defer { statement.reset() }
            var files: Set<String> = []
            while try statement.step() { files.insert(statement.string(0)) }
            return files
        }
    }

    /// Says that a database is about to be made.
    ///
    /// - Parameter wish: What is kept of it with the same commit.
    func beginCreation(of name: String, file: String, instance: String, wish: CreationWish) throws {
        try writes.perform { connection in
            let statement = try connection.statement("INSERT INTO databases VALUES(?1, ?2, 0, 0, ?3, ?4)")
            statement.bind(name, at: 1)
            statement.bind(file, at: 2)
            statement.bind(instance, at: 3)
            if let security = wish.security { statement.bind(security, at: 4) } else { statement.bindNull(at: 4) }
            try statement.run()
            if let setting = wish.setting { try Catalogue.set(setting.key, to: setting.value, on: connection) }
        }
    }

    /// Says that a database is there.
    ///
    /// - Parameter dirt: An empty one is born dirty, since it is made to be written to. Of a hundred thousand that are made of
    ///   a template and rest, all would be looked at after a crash.
    func finishCreation(of name: String, dirt: Dirt) throws {
        try writes.perform { connection in
            let statement = try connection.statement("UPDATE databases SET state = 1, dirty = ?2 WHERE name = ?1")
            statement.bind(name, at: 1)
            statement.bind(dirt.rawValue, at: 2)
            try statement.run()
            try Catalogue.record(.created, of: name, on: connection)
        }
    }

    /// Says that a database is about to be removed.
    func beginDeletion(of name: String) throws {
        try writes.perform { connection in
            let statement = try connection.statement("UPDATE databases SET state = 2 WHERE name = ?1")
            statement.bind(name, at: 1)
            try statement.run()
        }
    }

    /// Forgets a database whose files are gone.
    ///
    /// - Parameter wasLive: Whether anybody ever saw it.
    func forget(_ name: String, wasLive: Bool) throws {
        try writes.perform { connection in
            let statement = try connection.statement("DELETE FROM databases WHERE name = ?1")
            statement.bind(name, at: 1)
            try statement.run()
            if wasLive { try Catalogue.record(.deleted, of: name, on: connection) }
        }
    }

    /// Marks a database before its first write is acknowledged.
    func markDirty(_ name: String, _ dirt: Dirt) throws {
        try writes.perform { connection in
            try Catalogue.set(dirt, of: name, on: connection)
            try Catalogue.record(.updated, of: name, on: connection)
        }
    }

    /// Marks a database whose file was closed. Not flushed until ``settle()``: after a crash it is merely looked at for
    /// nothing.
    ///
    /// - Parameter isUnrecorded: Whether the journal does not have its last writes yet: a clean database is not looked at
    ///   after a crash, so they are recorded with the mark.
    func markClean(_ name: String, isUnrecorded: Bool) {
        writes.later { connection in
            try Catalogue.set(.clean, of: name, on: connection)
            if isUnrecorded, try Catalogue.isLive(name, on: connection) {
                try Catalogue.record(.updated, of: name, on: connection)
            }
        }
    }

    /// Makes the marks durable that were left for later.
    func settle() throws { try writes.perform { _ in } }

    private static func set(_ dirt: Dirt, of name: String, on connection: SQLiteConnection) throws {
        let statement = try connection.statement("UPDATE databases SET dirty = ?2 WHERE name = ?1")
        statement.bind(name, at: 1)
        statement.bind(dirt.rawValue, at: 2)
        try statement.run()
    }

    func close() {
        reader.withLock { $0.close() }
        writes.close()
    }
}

extension Catalogue.Entry {
    fileprivate init(_ statement: SQLiteStatement) {
        self.init(
            name: statement.string(0), file: statement.string(1),
            state: Catalogue.State(rawValue: statement.int(2)) ?? .live,
            dirt: Catalogue.Dirt(rawValue: statement.int(3)) ?? .writtenUnflushed)
    }
}
