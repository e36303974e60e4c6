//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// The counters of one database. They are stored in its file, and the writer keeps them in memory.
package struct DatabaseState: Equatable, Sendable {
    /// The document counters and the last sequence, of the database or of one owner.
    package struct Counters: Equatable, Sendable {
        /// The number of the last change.
        package var sequence: Int64 = 0
        /// The number of documents whose winner is not deleted.
        package var live = 0
        /// The number of documents whose winner is deleted.
        package var deleted = 0
        /// The total size of all winners' bodies, in bytes.
        package var bodyBytes = 0

        /// Adds (`change` 1) or subtracts (`change` -1) a document.
        mutating func count(_ winner: RevisionTree.Leaf, bodyBytes bytes: Int, by change: Int) {
            if winner.isDeleted { deleted += change } else { live += change }
            bodyBytes += change * bytes
        }
    }

    /// The counters of the whole database, with the documents of all owners.
    package var counters = Counters()
    /// The number of the last purge.
    package var purges: Int64 = 0
    /// The key of the last row in the table `superseded`, which contains the bodies of revisions that have a child.
    var superseded: Int64 = 0
    /// The number of revisions that a document's history keeps (`_revs_limit`).
    package var revisionsMax = 1_000

    /// The number of the last change.
    package var sequence: Int64 { counters.sequence }

    static func read(from connection: SQLiteConnection) throws -> (DatabaseState, DatabaseIdentity) {
        let statement = try connection.statement(
            """
            SELECT sequence, live, deleted, bodyBytes, purges, superseded, revisionsMax, epoch, instance
            FROM state WHERE one = 1
            """)
        defer { statement.reset() }
        guard try statement.step() else { throw StoreError.damagedRow }
        let state = DatabaseState(
            counters: Counters(
                sequence: statement.int64(0), live: statement.int(1), deleted: statement.int(2),
                bodyBytes: statement.int(3)),
            purges: statement.int64(4), superseded: statement.int64(5), revisionsMax: statement.int(6))
        return (state, DatabaseIdentity(epoch: statement.string(7), instance: statement.string(8)))
    }

    func write(to connection: SQLiteConnection) throws {
        let statement = try connection.statement(
            """
            UPDATE state SET sequence = ?1, live = ?2, deleted = ?3, bodyBytes = ?4, purges = ?5, superseded = ?6,
            revisionsMax = ?7 WHERE one = 1
            """)
        statement.bind(counters.sequence, at: 1)
        statement.bind(counters.live, at: 2)
        statement.bind(counters.deleted, at: 3)
        statement.bind(counters.bodyBytes, at: 4)
        statement.bind(purges, at: 5)
        statement.bind(superseded, at: 6)
        statement.bind(revisionsMax, at: 7)
        try statement.run()
    }
}
