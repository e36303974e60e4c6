//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

/// A copy of a database on its way into another connection, in steps.
package final class SQLiteBackup {
    private let handle: OpaquePointer
    private let target: SQLiteConnection

    /// Begins to copy.
    ///
    /// - Parameters:
    ///   - source: A connection, best within a read transaction: then others may write meanwhile.
    ///   - target: An empty database.
    package init(from source: SQLiteConnection, to target: SQLiteConnection) throws(SQLiteError) {
        guard let handle = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw SQLiteError(
                code: sqlite3_extended_errcode(target.handle), operation: "beginning a backup", handle: target.handle)
        }
        self.handle = handle
        self.target = target
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies some pages.
    ///
    /// - Returns: Whether more remain.
    package func step(pages: Int32) throws(SQLiteError) -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            throw SQLiteError(code: code, operation: "copying a database", handle: nil)
        }
        return code == SQLITE_OK
    }

    /// The pages of the source, and how many of them are still to be copied; both known after the first step.
    package var progress: (pages: Int, remaining: Int) {
        (Int(sqlite3_backup_pagecount(handle)), Int(sqlite3_backup_remaining(handle)))
    }
}
