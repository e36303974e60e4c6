//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// The time at which a commit is on disk.
    package enum Synchronous: String, Sendable {
        /// Every commit is flushed before it is acknowledged.
        case full = "FULL"
        /// Only checkpoints are flushed. A power loss can lose the last commits. Each of them is lost completely or not
        /// at all.
        case normal = "NORMAL"
    }

    /// The number of bytes to which the file of the log is truncated when the log restarts and the file is larger. The
    /// file is not truncated to fewer bytes, so that it does not have to grow again for every transaction.
    private static let logFileBytesKept = 8 << 20

    /// Configures the connection that writes and checkpoints a file. A file has at most one such connection.
    ///
    /// - Parameters:
    ///   - synchronous: The time at which a commit is on disk.
    ///   - cacheBytes: The size of the page cache of this connection, in bytes.
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

    /// Configures a connection that only reads and never checkpoints. `cacheBytes` is the size of its page cache, in
    /// bytes.
    package func configureReader(cacheBytes: Int) throws(SQLiteError) {
        try execute("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 0;")
        try setCache(bytes: cacheBytes)
    }

    /// Sets the size of the page cache.
    package func setCache(bytes: Int) throws(SQLiteError) {
        try execute("PRAGMA cache_size = -\(max(bytes / 1024, 1))")
    }

    /// Empties the page cache, except for pages that a statement is using.
    package func releaseMemory() { sqlite3_db_release_memory(handle) }
}
