//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite
import Testing

/// Tests the log of an encrypted file to which several connections write, in the state after a crash.
@Suite("The log of an encrypted file")
struct EncryptedLogTests {
    private func disk() throws -> SQLiteDisk {
        try [UInt8](repeating: 7, count: 32).withUnsafeBytes { try SQLiteDisk.system.encrypted(.key, $0) }
    }

    /// Runs `body` with two connections that write to one file, then expects that all rows would remain after a crash.
    private func withTwo(
        rows: [Int], _ body: (_ first: SQLiteConnection, _ second: SQLiteConnection) throws -> Void
    ) throws {
        try withTemporaryFile { file in
            let disk = try disk()
            let both = try (0..<2).map { _ in
                let connection = try SQLiteConnection(
                    path: file.path, access: .readWrite(creating: true), disk: disk)
                try connection.configureWriter(synchronous: .normal, cacheBytes: 1 << 20)
                try connection.execute("CREATE TABLE IF NOT EXISTS t(n)")
                return connection
            }
            try body(both[0], both[1])
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: file.path + suffix, toPath: file.folder + "/left" + suffix)
            }
            for connection in both { connection.close() }
            let again = try SQLiteConnection(
                path: file.folder + "/left", access: .readWrite(creating: false), disk: disk)
            defer { again.close() }
            let statement = try again.statement("SELECT n FROM t ORDER BY n")
            var found: [Int] = []
            while try statement.step() { found.append(statement.int(0)) }
            #expect(found == rows)
        }
    }

    @Test("Two alternating writers leave a log that can be recovered completely")
    func serialized() throws {
        try withTwo(rows: Array(0..<20)) { first, second in
            for n in 0..<20 { try (n.isMultiple(of: 2) ? first : second).insert(n) }
        }
    }

    @Test("A damaged page in the log affects only that page")
    func damagedFrame() throws {
        try withTemporaryFile { file in
            let disk = try disk()
            let connection = try SQLiteConnection(path: file.path, access: .readWrite(creating: true), disk: disk)
            try connection.configureWriter(synchronous: .normal, cacheBytes: 1 << 20)
            try connection.execute("CREATE TABLE a(n); CREATE TABLE b(n)")
            try connection.checkpoint(.truncate)
            try connection.execute("INSERT INTO a VALUES(1); INSERT INTO b VALUES(2)")
            let log = try #require(FileHandle(forUpdatingAtPath: file.path + "-wal"))
            // The header of the log, the header of the first frame, and a part of its page.
            try log.seek(toOffset: 32 + 24 + 1_000)
            try log.write(contentsOf: Data([0x5a, 0x5a, 0x5a, 0x5a]))
            try log.close()
            #expect(try connection.checkpoint(.truncate))
            connection.close()
            let again = try SQLiteConnection(path: file.path, access: .readOnly, disk: disk)
            defer { again.close() }
            let whole = try again.statement("SELECT n FROM b")
            #expect(try whole.step() && whole.int(0) == 2)
            let error = #expect(throws: SQLiteError.self) { _ = try again.statement("SELECT n FROM a").step() }
            #expect(error?.isDamagedPage == true)
        }
    }

    /// The length of a log's header, and of a frame.
    private static let (headerBytes, frameBytes) = (32, 24 + PageCipher.pageBytes)

    /// Creates a log of three frames, each with a row of a separate table, and swaps the last two.
    private func withSwappedFrames(_ body: (_ file: TemporaryFile, _ disk: SQLiteDisk) throws -> Void) throws {
        try withTemporaryFile { file in
            let disk = try disk()
            let connection = try SQLiteConnection(path: file.path, access: .readWrite(creating: true), disk: disk)
            defer { connection.close() }
            try connection.configureWriter(synchronous: .normal, cacheBytes: 1 << 20)
            try connection.execute("CREATE TABLE a(n); CREATE TABLE b(n); CREATE TABLE c(n)")
            try connection.checkpoint(.truncate)
            for table in ["a", "b", "c"] { try connection.execute("INSERT INTO \(table) VALUES(1)") }
            var log = try Data(contentsOf: URL(filePath: file.path + "-wal"))
            let places = (0..<3).map { Self.headerBytes + $0 * Self.frameBytes }
            let frames = places.map { log.subdata(in: $0..<$0 + Self.frameBytes) }
            log.replaceSubrange(places[1]..<places[2] + Self.frameBytes, with: frames[2] + frames[1])
            let open = try #require(FileHandle(forUpdatingAtPath: file.path + "-wal"))
            try open.write(contentsOf: log)
            try open.close()
            try body(file, disk)
        }
    }

    @Test(
        "A frame of the log at the position of another is reported as damage while the database is open"
    )
    func swappedWhileOpen() throws {
        try withSwappedFrames { file, disk in
            let reader = try SQLiteConnection(path: file.path, access: .readOnly, disk: disk)
            defer { reader.close() }
            #expect(try reader.count("SELECT count(*) FROM a") == 1)
            for sql in ["SELECT count(*) FROM b", "SELECT count(*) FROM c"] as [StaticString] {
                let error = #expect(throws: SQLiteError.self) { _ = try reader.count(sql) }
                #expect(error?.isDamagedPage == true && error?.message.contains("in the log") == true)
            }
        }
    }

    @Test("After a crash the log ends before the first frame at a wrong position")
    func swappedWhileClosed() throws {
        try withSwappedFrames { file, disk in
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: file.path + suffix, toPath: file.folder + "/left" + suffix)
            }
            let again = try SQLiteConnection(
                path: file.folder + "/left", access: .readWrite(creating: false), disk: disk)
            defer { again.close() }
            #expect(try again.count("SELECT count(*) FROM a") == 1)
            #expect(try again.count("SELECT count(*) FROM b") == 0)
            #expect(try again.count("SELECT count(*) FROM c") == 0)
        }
    }

    @Test("A log of more frames than a region of its index is read as it was written")
    func manyFrames() throws {
        try withTemporaryFile { file in
            let disk = try disk()
            let connection = try SQLiteConnection(path: file.path, access: .readWrite(creating: true), disk: disk)
            defer { connection.close() }
            try connection.configureWriter(synchronous: .normal, cacheBytes: 1 << 20)
            try connection.execute(
                """
                CREATE TABLE t(n INTEGER PRIMARY KEY, x);
                WITH k(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM k WHERE n < 10000)
                INSERT INTO t SELECT n, randomblob(4000) FROM k;
                """)
            #expect(connection.logPages > 2 * 4_096)
            let reader = try SQLiteConnection(path: file.path, access: .readOnly, disk: disk)
            defer { reader.close() }
            #expect(try reader.count("SELECT sum(length(x)) FROM t") == 40_000_000)
            #expect(try connection.checkpoint(.truncate))
            #expect(try reader.count("SELECT sum(length(x)) FROM t") == 40_000_000)
        }
    }

    @Test("A log that one process restarted is continued by another")
    func begunAnew() throws {
        try withTwo(rows: Array(0..<12)) { first, second in
            for n in stride(from: 0, to: 12, by: 3) {
                // Now both connections know the checksums of a first frame.
                try second.execute("PRAGMA wal_checkpoint(RESTART)")
                try first.insert(n)
                try second.execute("PRAGMA wal_checkpoint(RESTART)")
                try second.insert(n + 1)
                try first.insert(n + 2)
            }
        }
    }

    @Test("Frames of a rolled-back transaction are overwritten by another process")
    func takenBack() throws {
        try withTwo(rows: [0, 2, 3]) { first, second in
            try first.insert(0)
            try first.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            try first.execute(
                "INSERT INTO t SELECT value + 100 FROM (WITH k(value) AS (VALUES(1) UNION ALL SELECT value + 1 FROM k "
                    + "WHERE value < 5000) SELECT value FROM k)")
            try first.execute("ROLLBACK")
            try second.insert(2)
            try first.insert(3)
        }
    }

    /// Creates the files of a crash during a transaction of many pages, with a first page that is partly written, and
    /// expects that it is repaired.
    ///
    /// - Parameters:
    ///   - ending: The end of the transaction.
    ///   - sql: Counts the expected rows.
    private func tearFirstPage(journalMode: String, ending: String, counting sql: StaticString, _ count: Int) throws {
        try withTemporaryFile { file in
            let disk = try disk()
            let connection = try SQLiteConnection(path: file.path, access: .readWrite(creating: true), disk: disk)
            try connection.execute("PRAGMA journal_mode = \(journalMode); CREATE TABLE t(n)")
            for n in 0..<5 { try connection.insert(n) }
            try connection.execute(
                """
                PRAGMA cache_size = 2; PRAGMA wal_autocheckpoint = 0; BEGIN IMMEDIATE; CREATE TABLE more(x);
                WITH k(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM k WHERE n < 500)
                INSERT INTO more SELECT zeroblob(900) FROM k;
                \(ending)
                """)
            let left = file.folder + "/left"
            for suffix in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: file.path + suffix) {
                try FileManager.default.copyItem(atPath: file.path + suffix, toPath: left + suffix)
            }
            connection.close()
            let torn = try #require(FileHandle(forUpdatingAtPath: left))
            try torn.seek(toOffset: 512)
            try torn.write(contentsOf: Data(repeating: 0x5a, count: 1_024))
            try torn.close()
            let again = try SQLiteConnection(path: left, access: .readWrite(creating: false), disk: disk)
            defer { again.close() }
            #expect(try again.count("SELECT count(*) FROM t") == 5)
            #expect(try again.count(sql) == count)
        }
    }

    @Test("A first page that was torn during a checkpoint is restored from the log")
    func tornBesideLog() throws {
        try tearFirstPage(journalMode: "WAL", ending: "COMMIT;", counting: "SELECT count(*) FROM more", 500)
    }

    @Test("A first page that was torn during a transaction is restored from the journal")
    func tornBesideJournal() throws {
        try tearFirstPage(journalMode: "DELETE", ending: "", counting: "SELECT count(*) FROM sqlite_schema", 1)
    }

    @Test(
        "A first page that was torn during the first transaction is not a wrong key: the journal empties the file"
    )
    func tornBesideJournalOfNothing() throws {
        try withTemporaryFile { file in
            let disk = try disk()
            let connection = try SQLiteConnection(path: file.path, access: .readWrite(creating: true), disk: disk)
            try connection.execute(
                """
                PRAGMA cache_size = 2; BEGIN IMMEDIATE; CREATE TABLE t(n);
                WITH k(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM k WHERE n < 500)
                INSERT INTO t SELECT zeroblob(900) FROM k;
                """)
            let left = file.folder + "/left"
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(atPath: file.path + suffix, toPath: left + suffix)
            }
            connection.close()
            // No page can be decrypted with the key.
            let torn = try #require(FileHandle(forUpdatingAtPath: left))
            let size = Int(try torn.seekToEnd())
            #expect(size > 2 * PageCipher.pageBytes)
            try torn.seek(toOffset: 0)
            try torn.write(contentsOf: Data(repeating: 0x5a, count: size))
            try torn.close()
            let again = try SQLiteConnection(path: left, access: .readWrite(creating: false), disk: disk)
            defer { again.close() }
            #expect(try again.count("SELECT count(*) FROM sqlite_schema") == 0)
            try again.execute("CREATE TABLE t(n)")
            try again.insert(1)
            #expect(try again.count("SELECT count(*) FROM t") == 1)
        }
    }

    @Test("A page of a journal with a flipped bit ends the rollback and is never restored as another page")
    func flippedInJournal() throws {
        try withTemporaryFile { file in
            let disk = try disk()
            let connection = try SQLiteConnection(path: file.path, access: .readWrite(creating: true), disk: disk)
            try connection.execute(
                """
                CREATE TABLE t(n INTEGER PRIMARY KEY, x);
                WITH k(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM k WHERE n < 200)
                INSERT INTO t SELECT n, zeroblob(600) FROM k;
                PRAGMA cache_size = 2; BEGIN IMMEDIATE; UPDATE t SET x = randomblob(600);
                """)
            let database = try Data(contentsOf: URL(filePath: file.path))
            let journal = try Data(contentsOf: URL(filePath: file.path + "-journal"))
            connection.close()
            var tries = 0
            // Only these bytes of the first record's page are part of its checksum.
            for position in stride(from: PageCipher.pageBytes - 200, to: 0, by: -200)
            where journal[516 + position] & 1 == 1 {
                var changed = journal
                changed[516 + position] ^= 1
                let left = file.folder + "/left"
                try database.write(to: URL(filePath: left))
                try changed.write(to: URL(filePath: left + "-journal"))
                let again = try SQLiteConnection(path: left, access: .readWrite(creating: false), disk: disk)
                let statement = try again.statement("PRAGMA integrity_check")
                #expect(try statement.step() && statement.string(0) == "ok", "byte \(position)")
                statement.reset()
                again.close()
                tries += 1
            }
            #expect(tries > 0)
        }
    }

    @Test("A savepoint is not rolled back with a page of the journal that was damaged in the meantime")
    func damagedSavepoint() throws {
        try withTemporaryFile { file in
            let connection = try SQLiteConnection(path: file.path, access: .readWrite(creating: true), disk: disk())
            defer { connection.close() }
            try connection.execute(
                """
                CREATE TABLE t(n INTEGER PRIMARY KEY, x);
                WITH k(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM k WHERE n < 200)
                INSERT INTO t SELECT n, zeroblob(600) FROM k;
                PRAGMA cache_size = 2; BEGIN IMMEDIATE; SAVEPOINT s; UPDATE t SET x = randomblob(600);
                """)
            let journal = try #require(FileHandle(forUpdatingAtPath: file.path + "-journal"))
            try journal.seek(toOffset: 1_000)
            try journal.write(contentsOf: Data([0x5a, 0x5a, 0x5a, 0x5a]))
            try journal.close()
            let error = #expect(throws: SQLiteError.self) { try connection.execute("ROLLBACK TO s; SELECT * FROM t") }
            #expect(error?.isDamagedPage == true, "\(String(describing: error))")
        }
    }
}
