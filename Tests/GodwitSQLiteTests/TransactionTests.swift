//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import Testing

@Suite("Transactions")
struct TransactionTests {
    private func table() throws -> SQLiteConnection { try memory("CREATE TABLE t(a)") }

    @Test func commits() throws {
        let connection = try table()
        let result = try connection.transaction {
            #expect(connection.isInTransaction)
            try connection.insert(1)
            return "done"
        }
        #expect(result == "done")
        #expect(!connection.isInTransaction)
        #expect(try connection.count("SELECT count(*) FROM t") == 1)
    }

    @Test func rollsBack() throws {
        let connection = try table()
        #expect(throws: Interruption.self) {
            try connection.transaction {
                try connection.insert(1)
                try connection.execute("CREATE TABLE other(a)")
                throw Interruption()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.count("SELECT count(*) FROM t") == 0)
        #expect(try connection.count("SELECT count(*) FROM sqlite_schema WHERE name = 'other'") == 0)
        try connection.transaction { try connection.insert(2) }
        #expect(try connection.count("SELECT a FROM t") == 2)
    }

    @Test("A nested failure undoes only its own changes")
    func savepoints() throws {
        let connection = try table()
        try connection.transaction {
            try connection.insert(1)
            #expect(throws: Interruption.self) {
                try connection.nested {
                    try connection.insert(2)
                    throw Interruption()
                }
            }
            try connection.nested { try connection.insert(3) }
            #expect(throws: Interruption.self) {
                try connection.nested {
                    try connection.nested { try connection.insert(4) }
                    try connection.insert(5)
                    throw Interruption()
                }
            }
            try connection.nested {
                #expect(throws: Interruption.self) {
                    try connection.nested {
                        try connection.insert(6)
                        throw Interruption()
                    }
                }
                try connection.insert(7)
            }
        }
        #expect(try connection.count("SELECT group_concat(a, '') FROM t") == 137)
    }

    @Test("After a nested failure undoes a schema change, a cached statement can be used")
    func schemaWithinSavepoint() throws {
        let connection = try table()
        try connection.transaction {
            #expect(throws: Interruption.self) {
                try connection.nested {
                    try connection.execute("CREATE TABLE rare(a)")
                    _ = try connection.statement("INSERT INTO rare VALUES(1)").run()
                    throw Interruption()
                }
            }
            try connection.execute("CREATE TABLE rare(a)")
            try connection.statement("INSERT INTO rare VALUES(1)").run()
        }
        #expect(try connection.count("SELECT count(*) FROM rare") == 1)
    }

    @Test("A reader sees committed data, and one state during a read")
    func isolation() throws {
        try withTemporaryFile { file in
            let writer = try file.writer()
            try writer.execute("CREATE TABLE t(a)")
            let reader = try file.reader()
            try writer.transaction {
                try writer.insert(1)
                #expect(try reader.count("SELECT count(*) FROM t") == 0)
            }
            #expect(try reader.count("SELECT count(*) FROM t") == 1)
            try reader.read {
                #expect(try reader.count("SELECT count(*) FROM t") == 1)
                try writer.transaction { try writer.insert(2) }
                #expect(try reader.count("SELECT count(*) FROM t") == 1)
            }
            #expect(!reader.isInTransaction)
            #expect(try reader.count("SELECT count(*) FROM t") == 2)
            reader.close()
            writer.close()
        }
    }
}
