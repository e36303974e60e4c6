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

    /// Settings for the one connection of a file that writes and checkpoints.
    ///
    /// - Parameters:
    ///   - synchronous: When a commit is on disk.
    ///   - cacheBytes: The page cache of this connection.
    ///   - checkpointPages: The length of the write-ahead log, in pages, that starts a checkpoint.
    package func configureWriter(
        synchronous: Synchronous, cacheBytes: Int, checkpointPages: Int
    ) throws(SQLiteError) {
        try execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = \(synchronous.rawValue);
            PRAGMA secure_delete = FAST;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(cacheBytes / 1024);
            PRAGMA wal_autocheckpoint = \(checkpointPages);
            """)
    }

    /// Settings for a reader: it never writes, and never checkpoints.
    package func configureReader(cacheBytes: Int) throws(SQLiteError) {
        try execute(
            """
            PRAGMA query_only = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(cacheBytes / 1024);
            PRAGMA wal_autocheckpoint = 0;
            """)
    }

    /// Moves what the write-ahead log holds into the file and empties the log, as far as readers allow.
    package func checkpoint() throws(SQLiteError) {
        try check(
            sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil), "checkpointing")
    }
}
