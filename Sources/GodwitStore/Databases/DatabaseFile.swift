//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// Where a database's file is and how it is opened.
struct DatabaseFile: Sendable {
    let path: String
    /// What it lies on, with what it is encrypted with.
    let disk: SQLiteDisk
    let durability: Durability
    let limits: StoreLimits

    /// The directory of databases that it belongs to; its own folder is one of that.
    var directory: String { DatabaseFiles.folder(of: DatabaseFiles.folder(of: path)) }

    /// The most that a reader may keep in its page cache, in bytes.
    var readerCacheBytes: Int { disk.cipher == nil ? limits.readerCacheBytes : limits.encryptedReaderCacheBytes }

    /// Opens the connection that writes.
    func openWriter(cacheBytes: Int) throws -> SQLiteConnection {
        let connection = try openAndCheck()
        try connection.configureWriter(synchronous: durability.synchronous, cacheBytes: cacheBytes)
        return connection
    }

    private func openAndCheck() throws -> SQLiteConnection {
        do {
            let connection = try SQLiteConnection(path: path, access: .readWrite(creating: false), disk: disk)
            try FileFormat.check(connection, path: path)
            return connection
        } catch let error as SQLiteError {
            throw error.explained(path, disk: disk)
        }
    }

    /// Opens a connection that reads, for longer than a reader of the pool is lent.
    func openReader() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .besideWriter, disk: disk)
        try connection.configureReader(cacheBytes: readerCacheBytes)
        connection.spendCurrentBudget()
        return connection
    }
}
