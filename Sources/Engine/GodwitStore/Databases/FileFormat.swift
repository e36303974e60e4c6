//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitSQLite

// This is file format 1. Each database is one SQLite file with pages of 4096 bytes and incremental auto-vacuum. The
// writer's connection turns on SQLite's write-ahead log.
//
// The key of `documents` is the sequence of the document's last change, not the id. An insertion therefore appends one
// row to the table's B-tree and adds one entry to one index. The changes feed reads the rows with their bodies in the
// order of the key. An update moves the row to the end of the table.
//
// A document has a number that never changes. This number is in the column `number` of `documents`, `bodies` and
// `ancestry`, and in the column `document` of `purges`. In `blobs`, `purges` and `indexes`, the column `number` is the
// number of the row.
//
// The body of a losing leaf is in `bodies`. The body of a revision that has a child is appended to `superseded`. The
// node of the revision, in the document's revision tree, stores the key of that row (`place`). `superseded` has no
// index except this key, so updates of many documents write consecutive pages. A compaction deletes all rows in the
// order of the key. It does not check whether a row is needed, because the bodies of revisions that have a child are
// needed only until the next compaction. A design whose key consisted of the document and the revision was slower: as
// the table grew, updates of the same thousand documents slowed from 70 000/s to 19 000/s.
//
// An attachment of a revision refers to a row of `blobs` by its number. The number is 0 if the bytes are not in the
// file (`AbsentAttachments.swift`). `arrivals` contains received bytes whose documents have not arrived
// (`ArrivalTable.swift`).
//
// Tables that most databases do not need are created when their first row is written, so that an empty database has
// only six pages.

/// The layout of a database file.
package enum FileFormat {
    /// The version that this build writes, stored as SQLite's `user_version`. Older versions are opened, and newer
    /// versions are rejected.
    package static let version = 1

    /// The version of the SQLite that reads and writes the files.
    package static var sqliteVersion: String { SQLiteConnection.libraryVersion }

    /// `GDWT`: SQLite's `application_id` of a database file.
    static let applicationID = 0x4744_5754

    private static let baseTables = """
        CREATE TABLE documents(
            sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, number INTEGER NOT NULL, flags INTEGER NOT NULL,
            winner BLOB NOT NULL, leaves BLOB, attachments BLOB, body BLOB NOT NULL, tree BLOB);
        CREATE UNIQUE INDEX documents_by_id ON documents(id);
        CREATE TABLE local(id TEXT PRIMARY KEY, revision INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE state(
            one INTEGER PRIMARY KEY CHECK(one = 1), sequence INTEGER NOT NULL, live INTEGER NOT NULL,
            deleted INTEGER NOT NULL, bodyBytes INTEGER NOT NULL, purges INTEGER NOT NULL, superseded INTEGER NOT NULL,
            revisionsMax INTEGER NOT NULL, epoch TEXT NOT NULL, instance TEXT NOT NULL,
            CHECK(sequence >= 0 AND live >= 0 AND deleted >= 0 AND bodyBytes >= 0 AND purges >= 0 AND superseded >= 0
                AND revisionsMax > 0));
        INSERT INTO state VALUES(1, 0, 0, 0, 0, 0, 0, 1000, '', '');
        """

    /// Tables that few databases need.
    enum RareTable: String, CaseIterable, Sendable {
        case bodies, superseded, ancestry, blobs, chunks, conflicted, owners, owned, purges, expiry, expired, epochs
        case indexes, properties, arrivals

        /// The SQL that creates the table if it is absent.
        var definition: String {
            let table = "CREATE TABLE IF NOT EXISTS \(rawValue)(\(columns))\(options)"
            return switch self {
            case .expiry: table + "; CREATE INDEX IF NOT EXISTS expiry_by_time ON expiry(time)"
            case .blobs: table + "; CREATE INDEX IF NOT EXISTS blobs_unused ON blobs(number) WHERE uses = 0"
            default: table
            }
        }

        private var columns: String {
            switch self {
            case .superseded: "place INTEGER PRIMARY KEY, attachments BLOB, body BLOB NOT NULL"
            case .bodies:
                "number INTEGER, revision BLOB, attachments BLOB, body BLOB NOT NULL, PRIMARY KEY(number, revision)"
            case .ancestry:
                """
                number INTEGER, segment INTEGER, revisions BLOB NOT NULL, PRIMARY KEY(number, segment),
                CHECK(segment > 0)
                """
            case .blobs:
                """
                number INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB UNIQUE, md5 BLOB, length INTEGER NOT NULL,
                uses INTEGER NOT NULL, CHECK(length >= 0 AND uses >= 0)
                """
            case .chunks: "key INTEGER PRIMARY KEY, data BLOB NOT NULL"
            case .conflicted: "id TEXT PRIMARY KEY"
            case .owners:
                """
                name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, live INTEGER NOT NULL, deleted INTEGER NOT NULL,
                bodyBytes INTEGER NOT NULL, CHECK(sequence >= 0 AND live >= 0 AND deleted >= 0 AND bodyBytes >= 0)
                """
            case .owned: "owner TEXT, sequence INTEGER, PRIMARY KEY(owner, sequence)"
            case .purges:
                """
                number INTEGER PRIMARY KEY, id TEXT NOT NULL, document INTEGER NOT NULL, revisions BLOB NOT NULL,
                CHECK(number > 0)
                """
            case .expiry: "id TEXT PRIMARY KEY, time INTEGER NOT NULL"
            case .expired: "id TEXT, revision BLOB, time INTEGER NOT NULL, PRIMARY KEY(id, revision)"
            case .arrivals:
                """
                md5 BLOB, length INTEGER, blob INTEGER, bytes INTEGER, time INTEGER, PRIMARY KEY(md5, length, blob),
                CHECK(length >= 0 AND bytes >= 0)
                """
            case .properties: "name TEXT PRIMARY KEY, value INTEGER NOT NULL"
            case .epochs: "epoch TEXT PRIMARY KEY, branch INTEGER NOT NULL"
            case .indexes:
                """
                number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, design TEXT NOT NULL, name TEXT NOT NULL,
                definition BLOB NOT NULL, state INTEGER NOT NULL, sequence INTEGER NOT NULL, purges INTEGER NOT NULL,
                UNIQUE(design, kind, name), CHECK(state IN (0, 1) AND sequence >= 0 AND purges >= 0)
                """
            }
        }

        private var options: String {
            switch self {
            case .superseded, .blobs, .chunks, .purges, .indexes: ""
            default: " WITHOUT ROWID"
            }
        }
    }

    /// The bytes of an empty database with the given epoch and instance.
    ///
    /// The schema is compiled once in a process for each value of `isEncrypted`. Each further image costs a copy in
    /// memory. For a partitioned database, which is rare, the schema is compiled each time.
    ///
    /// - Parameter isEncrypted: Whether each page reserves bytes for the cipher's data.
    static func image(of identity: DatabaseIdentity, isPartitioned: Bool, isEncrypted: Bool) throws -> [UInt8] {
        guard !isPartitioned else {
            let memory = try makeTemplate(isEncrypted: isEncrypted)
            defer { memory.close() }
            try memory.execute(RareTable.properties.definition)
            try memory.execute("INSERT INTO properties VALUES('\(DatabaseProperty.partitioned.rawValue)', 1)")
            return try image(of: identity, in: memory)
        }
        return try templates.withLock { templates in
            let memory = try templates[isEncrypted] ?? makeTemplate(isEncrypted: isEncrypted)
            templates[isEncrypted] = memory
            return try image(of: identity, in: memory)
        }
    }

    /// Sets the epoch and instance of a database in memory and returns its bytes.
    static func image(of identity: DatabaseIdentity, in memory: SQLiteConnection) throws -> [UInt8] {
        let statement = try memory.statement("UPDATE state SET epoch = ?1, instance = ?2")
        statement.bind(identity.epoch, at: 1)
        statement.bind(identity.instance, at: 2)
        try statement.run()
        invariant(memory.changedRows == 1, "a new database has one state")
        return try memory.image()
    }

    /// The schemas as databases in memory, keyed by whether each page reserves bytes for the cipher's data.
    private static let templates = Mutex<[Bool: SQLiteConnection]>([:])

    private static func makeTemplate(isEncrypted: Bool) throws -> SQLiteConnection {
        let memory = try SQLiteConnection(path: ":memory:", access: .readWrite(creating: true))
        if isEncrypted { memory.reserveForCipher() }
        try memory.execute(
            """
            PRAGMA page_size = 4096;
            PRAGMA auto_vacuum = INCREMENTAL;
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(version);
            """)
        try memory.execute(baseTables)
        return memory
    }

    /// A database in memory with all tables that a database may have, except those of indexes.
    static func completeSchema() throws -> SQLiteConnection {
        let memory = try makeTemplate(isEncrypted: false)
        for table in RareTable.allCases { try memory.execute(table.definition) }
        return memory
    }

    /// Throws ``StoreError`` with code ``StoreError/Code/corrupt`` if the file is not a Godwit database, or
    /// ``StoreError/Code/formatTooNew`` if its version is newer than this build's.
    static func check(_ connection: SQLiteConnection, path: String) throws {
        let application = try connection.integer("PRAGMA application_id")
        guard application == applicationID else {
            throw StoreError(.corrupt, "\(path) is not a Godwit database (its application id is \(application)).")
        }
        let fileVersion = try connection.integer("PRAGMA user_version")
        guard fileVersion <= version else {
            throw StoreError(
                .formatTooNew,
                "\(path) has file format \(fileVersion), but Godwit reads up to \(version). Open it with a newer version."
            )
        }
    }
}

extension SQLiteConnection {
    /// Runs a query and returns the first column of the first row as an integer; 0 if there is no row.
    package func integer(_ sql: StaticString) throws -> Int {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
