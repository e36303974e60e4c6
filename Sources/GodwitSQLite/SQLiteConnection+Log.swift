//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// The kind of a checkpoint: how it treats readers that still need the log.
    package enum Checkpoint: Sendable {
        /// Copies the pages whose copying no reader prevents, and does not wait.
        case passive
        /// Waits until all pages are copied and the log can restart, at most for a time in milliseconds. During the
        /// wait, only writers are blocked; a new reader reads the file.
        case restart(milliseconds: Int32)
        /// Does not wait. Truncates the log's file if all pages could be copied and no reader uses the log.
        case truncate
    }

    /// Starts counting the log's pages. Replaces SQLite's automatic checkpoints within commits.
    func followLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                Unmanaged<SQLiteConnection>.fromOpaque(context!).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Copies the write-ahead log into the file.
    ///
    /// - Returns: Whether all pages were copied. It is `false` if readers or a writer prevent this, or if another
    ///   connection holds a lock for longer than the waiting time.
    @discardableResult
    package func checkpoint(_ kind: Checkpoint) throws(SQLiteError) -> Bool {
        var (logPageCount, copiedPages): (Int32, Int32) = (0, 0)
        let (mode, milliseconds) =
            switch kind {
            case .passive: (SQLITE_CHECKPOINT_PASSIVE, Int32(0))
            case .truncate: (SQLITE_CHECKPOINT_TRUNCATE, 0)
            case .restart(let milliseconds): (SQLITE_CHECKPOINT_RESTART, milliseconds)
            }
        sqlite3_busy_timeout(handle, milliseconds)
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logPageCount, &copiedPages)
        sqlite3_busy_timeout(handle, SQLiteConnection.busyMilliseconds)
        guard code & 0xff != SQLITE_BUSY else { return false }
        try check(code, "checkpointing")
        if copiedPages == logPageCount { logPages = 0 }
        return copiedPages == logPageCount
    }
}
