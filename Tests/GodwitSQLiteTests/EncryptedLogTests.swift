//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite
import Testing

/// The log of an encrypted file that several connections write to, as a crash would leave it.
@Suite("The log of an encrypted file")
struct EncryptedLogTests {
    private func disk() throws -> SQLiteDisk {
        try [UInt8](repeating: 7, count: 32).withUnsafeBytes { try SQLiteDisk.system.encrypted(.key, $0) }
    }

    /// Runs `body` with two connections that write to one file, then expects that a crash would leave all rows.
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

    @Test("Two that write in turn leave a log that can be recovered whole")
    func inTurn() throws {
        try withTwo(rows: Array(0..<20)) { first, second in
            for n in 0..<20 { try (n.isMultiple(of: 2) ? first : second).insert(n) }
        }
    }

    @Test("A log that one began anew is gone on with by the other")
    func begunAnew() throws {
        try withTwo(rows: Array(0..<12)) { first, second in
            for n in stride(from: 0, to: 12, by: 3) {
                try first.insert(n)
                try second.execute("PRAGMA wal_checkpoint(RESTART)")
                try second.insert(n + 1)
                try first.insert(n + 2)
            }
        }
    }

    @Test("Frames that were taken back are written over by another")
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
}
