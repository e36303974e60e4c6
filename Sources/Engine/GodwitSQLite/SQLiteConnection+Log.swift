//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// The kind of a checkpoint: how it treats readers that still need the log.
    package enum Checkpoint: Sendable {
        /// Does not wait. Copies the pages that can be copied while readers use the log.
        case passive
        /// Waits, at most for the given time, until all pages are copied and no reader needs the log. The next writer
        /// can then overwrite the log from its start. During the wait, writers are blocked, but readers can begin: they
        /// read the file and not the log.
        case restart(milliseconds: Int32)
        /// Does not wait. Truncates the log's file if all pages could be copied and no reader uses the log.
        case truncate
    }

    /// Starts counting the log's pages. After this call, SQLite no longer runs checkpoints automatically at commits,
    /// because the callback that counts replaces the callback for automatic checkpoints.
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
