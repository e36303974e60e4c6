//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// When a commit is on disk.
    package enum Synchronous: String, Sendable {
        /// Every commit is flushed before it is acknowledged.
        case full = "FULL"
        /// Only checkpoints are flushed; the last commits can be lost with the power, never half of one.
        case normal = "NORMAL"
    }

    /// What is kept of the log's file when the log begins anew: room for it to grow without the file system's help.
    private static let logFileBytesKept = 8 << 20

    /// Settings for the one connection of a file that writes and checkpoints.
    ///
    /// - Parameters:
    ///   - synchronous: When a commit is on disk.
    ///   - cacheBytes: The page cache of this connection.
    package func configureWriter(synchronous: Synchronous, cacheBytes: Int) throws(SQLiteError) {
        try execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = \(synchronous.rawValue);
            PRAGMA secure_delete = FAST;
            PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = \(SQLiteConnection.logFileBytesKept);
            """)
        try setCache(bytes: cacheBytes)
        followLog()
    }

    /// Settings for a reader: it never writes, and never checkpoints.
    package func configureReader(cacheBytes: Int) throws(SQLiteError) {
        try execute("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 0;")
        try setCache(bytes: cacheBytes)
    }

    /// Sets the size of the page cache.
    package func setCache(bytes: Int) throws(SQLiteError) {
        try execute("PRAGMA cache_size = -\(max(bytes / 1024, 1))")
    }

    /// Empties the page cache of all that no statement uses now.
    package func releaseMemory() { sqlite3_db_release_memory(handle) }
}
