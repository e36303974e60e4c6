//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import Testing

@Suite("Statements")
struct StatementTests {
    @Test("A literal is compiled once for each connection")
    func cache() throws {
        let first = try memory("CREATE TABLE t(a)")
        let second = try memory("CREATE TABLE t(a)")
        func count(_ connection: SQLiteConnection) throws -> SQLiteStatement {
            try connection.statement("SELECT count(*) FROM t")
        }
        #expect(try count(first) === count(first))
        #expect(try count(first) !== count(second))
        #expect(try count(first) !== first.statement("SELECT 1"))
    }

    @Test(
        "All kinds of strings survive a round trip",
        arguments: [
            "", "a", "a\0b", "\0", "é", "e\u{301}", "😀", "'; DROP TABLE t; --",
            String(repeating: "long ", count: 300_000),
        ])
    func texts(text: String) throws {
        let connection = try memory("CREATE TABLE t(a TEXT)")
        let insert = try connection.statement("INSERT INTO t VALUES(?1)")
        insert.bind(text, at: 1)
        try insert.run()
        let find = try connection.statement("SELECT a, typeof(a) FROM t WHERE a = ?1")
        defer { find.reset() }
        find.bind(text, at: 1)
        try #require(try find.step())
        #expect(find.string(0).utf8.elementsEqual(text.utf8))
        #expect(find.string(1) == "text")
    }

    @Test("Blobs of every length survive a round trip", arguments: [0, 1, 255, 4_096, 3_000_000])
    func blobs(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let connection = try memory("CREATE TABLE t(a)")
        let insert = try connection.statement("INSERT INTO t VALUES(?1)")
        insert.bind(bytes, at: 1)
        try insert.run()
        insert.bind(bytes[...], at: 1)
        try insert.run()
        insert.bind(AnyCollection(bytes), at: 1)
        try insert.run()
        let read = try connection.statement("SELECT a, typeof(a) FROM t")
        var rows = 0
        while try read.step() {
            rows += 1
            #expect(isSame(read.bytes(0), bytes))
            #expect(read.withBytes(0) { $0.count } == length)
            #expect(read.string(1) == "blob")
        }
        #expect(rows == 3)
    }

    @Test func nullIsNeitherEmptyNorZero() throws {
        let connection = try memory("CREATE TABLE t(a, b, c)")
        let insert = try connection.statement("INSERT INTO t VALUES(?1, ?2, ?3)")
        insert.bindNull(at: 1)
        insert.bind(nil as [UInt8]?, at: 2)
        insert.bind([] as [UInt8]?, at: 3)
        try insert.run()
        let read = try connection.statement("SELECT a, b, c FROM t")
        defer { read.reset() }
        try #require(try read.step())
        #expect(read.isNull(0) && read.isNull(1) && !read.isNull(2))
        #expect(read.bytes(0) == nil && read.bytes(2) == [])
        #expect(read.int(0) == 0 && read.string(0).isEmpty)
    }

    @Test("Integers have 64 bits", arguments: [0, 1, -1, .max, .min, 1 << 53 + 1] as [Int64])
    func integers(value: Int64) throws {
        let connection = try memory("CREATE TABLE t(a)")
        let statement = try connection.statement("SELECT ?1")
        defer { statement.reset() }
        statement.bind(value, at: 1)
        try #require(try statement.step())
        #expect(statement.int64(0) == value)
        #expect(statement.int(0) == Int(value))
    }

    @Test("A statement can run again after a failure and after half of its rows")
    func reuse() throws {
        let connection = try memory("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1), (2), (3)")
        let error = #expect(throws: SQLiteError.self) { try connection.insert(2) }
        #expect(error?.primaryCode == 19)
        try connection.insert(4)
        #expect(connection.changedRows == 1)
        let read = try connection.statement("SELECT a FROM t ORDER BY a")
        #expect(try read.step())
        read.reset()
        var found: [Int] = []
        while try read.step() { found.append(read.int(0)) }
        #expect(found == [1, 2, 3, 4])
    }

    @Test("An error names the operation and SQLite's message, but no value")
    func errors() throws {
        let connection = try memory("CREATE TABLE t(a TEXT UNIQUE)")
        let syntax = #expect(throws: SQLiteError.self) { try connection.statement("SELEKT 1") }
        #expect(syntax?.message.contains("SELEKT") == true)
        let insert = try connection.statement("INSERT INTO t VALUES(?1)")
        insert.bind("a secret", at: 1)
        try insert.run()
        let duplicate = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(duplicate?.message.contains("UNIQUE constraint failed") == true)
        #expect(duplicate?.message.contains("secret") == false)
        #expect(duplicate?.isDiskFull == false && duplicate?.isCorrupt == false)
    }

    @Test("A composed statement in use survives its removal from the cache")
    func composedInUse() throws {
        let connection = try SQLiteConnection(path: ":memory:", access: .readWrite(creating: true))
        defer { connection.close() }
        let held = try connection.statement(composed: "VALUES(1), (2), (3)")
        #expect(try held.step() && held.int(0) == 1)
        for number in 0..<1_000 {
            let other = try connection.statement(composed: "SELECT \(number)")
            #expect(try other.step() && other.int(0) == number)
            other.reset()
        }
        #expect(try held.step() && held.int(0) == 2)
        held.reset()
    }
}
