//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in a write transaction that takes the write lock at once.
    ///
    /// Commits when `body` returns. If `body` or the commit throws, rolls back all changes.
    package func write<Result>(_ body: () throws -> Result) throws -> Result {
        try statement("BEGIN IMMEDIATE").run()
        do {
            let result = try body()
            try statement("COMMIT").run()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs `body` in a read transaction. All its statements read the same state of the file: commits during the
    /// transaction are not visible.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        // This also ends a transaction whose first statement was interrupted.
        defer { rollBack() }
        try beginReading()
        return try body()
    }

    /// Begins a read transaction. Its first statement fixes the state that all its statements read. The caller ends it
    /// with ``rollBack()``.
    package func beginReading() throws { try statement("BEGIN DEFERRED").run() }

    /// Runs `body` in a savepoint of the open transaction. If `body` throws, only the changes that `body` made are
    /// rolled back. After some errors, such as a full disk, SQLite rolls back the complete transaction.
    package func nested<Result>(_ body: () throws -> Result) throws -> Result {
        try statement("SAVEPOINT godwit").run()
        do {
            let result = try body()
            try statement("RELEASE godwit").run()
            return result
        } catch {
            // If the disk was full, SQLite may have rolled back everything, including the savepoint.
            if isInTransaction {
                try statement("ROLLBACK TO godwit").run()
                try statement("RELEASE godwit").run()
            }
            throw error
        }
    }

    /// Ends the open transaction, if there is one, and undoes its changes.
    package func rollBack() {
        // After some errors (a full disk, an I/O error) SQLite has already rolled back.
        guard isInTransaction else { return }
        try? statement("ROLLBACK").run()
    }
}
