//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite

/// A new folder, and a database file in it.
struct TemporaryFile {
    let folder: String
    var path: String { folder + "/test.sqlite" }

    init() throws {
        folder = NSTemporaryDirectory() + "godwit-sqlite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// A connection set up as a database's writer is.
    func writer() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .readWrite(creating: true))
        try connection.configureWriter(synchronous: .normal, cacheBytes: 1 << 20)
        return connection
    }

    /// A connection set up as a database's readers are.
    func reader() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        try connection.configureReader(cacheBytes: 1 << 20)
        return connection
    }
}

/// Runs `body` with a new folder and removes it.
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

/// A failure of a test's own, to be thrown within a transaction.
struct Interruption: Error {}

/// Whether two values that may be large are the same. `#expect(one == other)` works out how two collections differ when they do,
/// which takes minutes for a hundred kilobytes and days for some megabytes: a failure would look like a test that hangs.
func isSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }
