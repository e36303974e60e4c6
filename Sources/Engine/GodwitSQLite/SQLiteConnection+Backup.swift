//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

/// Copies the database of one connection to the database of another connection, in steps.
package final class SQLiteBackup {
    private let handle: OpaquePointer
    private let target: SQLiteConnection

    /// Begins a copy.
    ///
    /// - Parameters:
    ///   - source: The source connection. If it is within a read transaction, other connections can write to the source
    ///     during the copy.
    ///   - target: The connection of an empty database.
    package init(from source: SQLiteConnection, to target: SQLiteConnection) throws(SQLiteError) {
        guard let handle = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw SQLiteError(
                code: sqlite3_extended_errcode(target.handle), operation: "beginning a backup", handle: target.handle)
        }
        self.handle = handle
        self.target = target
    }

    deinit { sqlite3_backup_finish(handle) }

    /// Copies at most `pages` pages.
    ///
    /// - Returns: Whether more pages remain.
    package func step(pages: Int32) throws(SQLiteError) -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            throw SQLiteError(code: code, operation: "copying a database", handle: nil)
        }
        return code == SQLITE_OK
    }

    /// The number of all pages of the source, and the number of those pages that are not copied yet. Both numbers are
    /// valid after the first step.
    package var progress: (pages: Int, remaining: Int) {
        (Int(sqlite3_backup_pagecount(handle)), Int(sqlite3_backup_remaining(handle)))
    }
}
