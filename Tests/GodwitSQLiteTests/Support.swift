//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite

/// A new folder with a database file.
struct TemporaryFile {
    let folder: String
    var path: String { folder + "/test.sqlite" }

    init() throws {
        folder = NSTemporaryDirectory() + "godwit-sqlite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// Returns a connection with the settings of a database's writer.
    func writer() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .readWrite(creating: true))
        try connection.configureWriter(synchronous: .normal, cacheBytes: 1 << 20)
        return connection
    }

    /// Returns a connection with the settings of a database's readers.
    func reader() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        try connection.configureReader(cacheBytes: 1 << 20)
        return connection
    }
}

/// Runs `body` with a new folder, and removes it.
func withTemporaryFile(_ body: (TemporaryFile) throws -> Void) throws {
    let file = try TemporaryFile()
    defer { file.remove() }
    try body(file)
}

func memory(_ schema: String) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: ":memory:", access: .readWrite(creating: true))
    try connection.execute(schema)
    return connection
}

extension SQLiteConnection {
    func count(_ sql: StaticString) throws -> Int {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : -1
    }

    func insert(_ value: Int) throws {
        let statement = try statement("INSERT INTO t VALUES(?1)")
        statement.bind(value, at: 1)
        try statement.run()
    }
}

/// An error that a test throws in a transaction.
struct Interruption: Error {}

/// Returns whether two large values are equal. Use it instead of `#expect(one == other)`, which computes the difference
/// of unequal collections: this takes minutes for a hundred kilobytes, so that a failure looks like a test that hangs.
func isSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }
