//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` in a write transaction, taking the write lock at once.
    ///
    /// Commits when `body` returns. When it or the commit throws, nothing of it stays in the file.
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

    /// Runs `body` over one state of the file: what is committed meanwhile is not seen.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        // Also a transaction whose first statement was interrupted.
        defer { rollBack() }
        try statement("BEGIN DEFERRED").run()
        return try body()
    }

    /// Runs `body` within an open transaction so that its failure undoes only its own changes.
    package func nested<Result>(_ body: () throws -> Result) throws -> Result {
        try statement("SAVEPOINT godwit").run()
        do {
            let result = try body()
            try statement("RELEASE godwit").run()
            return result
        } catch {
            // After a full disk SQLite may have rolled back everything, the savepoint included.
            if isInTransaction {
                try statement("ROLLBACK TO godwit").run()
                try statement("RELEASE godwit").run()
            }
            throw error
        }
    }

    private func rollBack() {
        // SQLite rolls back by itself after some failures (a full disk, an I/O error); there is nothing to do then.
        guard isInTransaction else { return }
        try? statement("ROLLBACK").run()
    }
}
