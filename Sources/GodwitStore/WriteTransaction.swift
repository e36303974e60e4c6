//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// One write transaction of a database: what a job of the writer works with.
///
/// Valid within its job alone, on the writer's thread.
package final class WriteTransaction {
    package let limits: StoreLimits
    let documents: DocumentTable
    let blobs: BlobTable
    let connection: SQLiteConnection
    var state: DatabaseState
    private(set) var tables: Set<FileFormat.RareTable>

    init(
        connection: SQLiteConnection, state: DatabaseState, tables: Set<FileFormat.RareTable>, limits: StoreLimits
    ) {
        self.connection = connection
        self.state = state
        self.tables = tables
        self.limits = limits
        documents = DocumentTable(connection)
        blobs = BlobTable(connection: connection)
    }

    /// Makes a rare table when the first row for it comes.
    func ensure(_ table: FileFormat.RareTable) throws {
        guard !tables.contains(table) else { return }
        try connection.execute(table.definition)
        tables.insert(table)
    }

    /// Runs one of several jobs that share this transaction; when it throws, nothing of it stays.
    func nested(_ job: () throws -> Void) throws {
        let before = (state, tables)
        do {
            try connection.nested(job)
        } catch {
            (state, tables) = before
            throw error
        }
    }

    /// Takes the next number of the changes feed.
    func nextSequence() -> Int64 {
        state.sequence += 1
        return state.sequence
    }
}
