//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// The location of a database's file and the configuration to open it with.
struct DatabaseFile: Sendable {
    let path: String
    /// SQLite's disk interface, with the cipher of an encrypted file.
    let disk: SQLiteDisk
    let durability: Durability
    private let currentLimits: CurrentLimits
    var limits: StoreLimits { currentLimits.value }

    init(path: String, disk: SQLiteDisk, durability: Durability, limits: CurrentLimits) {
        self.path = path
        self.disk = disk
        self.durability = durability
        currentLimits = limits
    }

    /// The manager's directory, which contains the folder of this file.
    var directory: String { DatabaseFiles.folder(of: DatabaseFiles.folder(of: path)) }

    /// The largest page cache of one reader, in bytes.
    var readerCacheBytes: Int { disk.cipher == nil ? limits.readerCacheBytes : limits.encryptedReaderCacheBytes }

    /// Opens the connection for writes.
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

    /// Opens a connection that finds the commits of another process.
    func openFollower() throws -> SQLiteConnection {
        do {
            let connection = try openReader()
            try FileFormat.check(connection, path: path)
            return connection
        } catch let error as SQLiteError {
            throw error.explained(path, disk: disk)
        }
    }

    /// Opens a connection for long reads, which must not occupy a reader of the pool.
    func openReader() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .concurrentReader, disk: disk)
        try connection.configureReader(cacheBytes: readerCacheBytes)
        connection.spendCurrentBudget()
        return connection
    }
}
