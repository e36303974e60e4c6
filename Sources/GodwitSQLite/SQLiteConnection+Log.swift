//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// How a checkpoint treats readers that still need the log.
    package enum Checkpoint: Sendable {
        /// Moves what can be moved and waits for nobody.
        case passive
        /// Waits until all is moved and the log can begin anew, at most for a time in milliseconds. Only writers wait
        /// with it; a reader that comes meanwhile reads the file.
        case restart(milliseconds: Int32)
        /// Waits for nobody; empties the log's file when all could be moved.
        case truncate
    }

    /// Counts the log's pages from now on; SQLite's own checkpoints, within a commit, are off.
    func followLog() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                Unmanaged<SQLiteConnection>.fromOpaque(context!).takeUnretainedValue().logPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Moves what the write-ahead log holds into the file.
    ///
    /// - Returns: Whether all of it was moved; readers may still need a part.
    @discardableResult
    package func checkpoint(_ kind: Checkpoint) throws(SQLiteError) -> Bool {
        var (pages, moved): (Int32, Int32) = (0, 0)
        let (mode, milliseconds) =
            switch kind {
            case .passive: (SQLITE_CHECKPOINT_PASSIVE, Int32(0))
            case .truncate: (SQLITE_CHECKPOINT_TRUNCATE, 0)
            case .restart(let milliseconds): (SQLITE_CHECKPOINT_RESTART, milliseconds)
            }
        sqlite3_busy_timeout(handle, milliseconds)
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &pages, &moved)
        sqlite3_busy_timeout(handle, SQLiteConnection.busyMilliseconds)
        guard code & 0xff != SQLITE_BUSY else { return false }
        try check(code, "checkpointing")
        if moved == pages { logPages = 0 }
        return moved == pages
    }
}
