//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite
import Testing

@Suite("Connections")
struct ConnectionTests {
    @Test func readOnlyRefusesWrites() throws {
        try withTemporaryFile { file in
            let writer = try file.writer()
            try writer.execute("CREATE TABLE t(a)")
            let reader = try file.reader()
            let error = #expect(throws: SQLiteError.self) { try reader.insert(1) }
            #expect(error?.primaryCode == 8)
            #expect(throws: SQLiteError.self) { try reader.execute("CREATE TABLE other(a)") }
            #expect(try writer.count("SELECT count(*) FROM t") == 0)
            reader.close()
            writer.close()
        }
    }

    @Test func missingFile() throws {
        try withTemporaryFile { file in
            let path = file.path
            for access in [SQLiteConnection.Access.readOnly, .readWrite(creating: false)] {
                let error = #expect(throws: SQLiteError.self) { try SQLiteConnection(path: path, access: access) }
                #expect(error?.primaryCode == 14)
                #expect(error?.message.contains(path) == true)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("Invalid files are reported as corrupt")
    func garbage() throws {
        try withTemporaryFile { file in
            try Data(repeating: 0x5a, count: 8_192).write(to: URL(filePath: file.path))
            let error = #expect(throws: SQLiteError.self) { try file.writer() }
            #expect(error?.isCorrupt == true)
        }
    }

    @Test("Closing the last connection moves the log into the file", arguments: [true, false])
    func logIsGone(checkpointsBefore: Bool) throws {
        try withTemporaryFile { file in
            let writer = try file.writer()
            try writer.execute("CREATE TABLE t(a)")
            for value in 0..<100 { try writer.transaction { try writer.insert(value) } }
            if checkpointsBefore {
                try writer.checkpoint(.truncate)
                let log = try FileManager.default.attributesOfItem(atPath: file.path + "-wal")
                #expect(log[.size] as? Int == 0)
            }
            writer.close()
            writer.close()
            #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
            #expect(try file.writer().count("SELECT count(*) FROM t") == 100)
        }
    }

    @Test("Every range of a blob")
    func blobRanges() throws {
        let connection = try memory("CREATE TABLE t(k INTEGER PRIMARY KEY, a BLOB)")
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let insert = try connection.statement("INSERT INTO t VALUES(5, ?1)")
        insert.bind(bytes, at: 1)
        try insert.run()
        for range in [0..<0, 0..<1, 0..<10_000, 4_090..<4_100, 9_999..<10_000, 10_000..<10_000, 17..<9_000] {
            let read = try connection.readBlob(table: "t", column: "a", row: 5, range: range)
            #expect(isSame(read, Array(bytes[range])))
        }
        for (row, range) in [(5, 9_999..<10_001), (5, 10_000..<10_001), (6, 0..<1)] as [(Int64, Range<Int>)] {
            #expect(throws: SQLiteError.self) {
                try connection.readBlob(table: "t", column: "a", row: row, range: range)
            }
        }
        #expect(throws: SQLiteError.self) { try connection.readBlob(table: "u", column: "a", row: 5, range: 0..<1) }
    }

    @Test("A reader finds blobs of a table that was created after it had read the schema")
    func blobOfNewTable() throws {
        try withTemporaryFile { file in
            let writer = try file.writer()
            try writer.execute("CREATE TABLE t(a)")
            let reader = try file.reader()
            #expect(try reader.count("SELECT count(*) FROM t") == 0)
            try writer.execute("CREATE TABLE late(k INTEGER PRIMARY KEY, a); INSERT INTO late VALUES(1, x'414243')")
            #expect(try reader.readBlob(table: "late", column: "a", row: 1, range: 1..<3) == [66, 67])
            reader.close()
            writer.close()
        }
    }

    @Test("A prepared image opens as a file with a write-ahead log")
    func image() throws {
        let template = try memory("PRAGMA page_size = 4096; CREATE TABLE t(a); INSERT INTO t VALUES(41), (1)")
        let image = try template.image()
        #expect(image.count == 8_192)
        try withTemporaryFile { file in
            try Data(image).write(to: URL(filePath: file.path))
            let writer = try file.writer()
            let reader = try file.reader()
            #expect(try writer.count("SELECT sum(a) FROM t") == 42)
            try writer.transaction { try writer.insert(3) }
            #expect(FileManager.default.fileExists(atPath: file.path + "-wal"))
            #expect(try reader.count("SELECT sum(a) FROM t") == 45)
            reader.close()
            writer.close()
        }
    }
}
