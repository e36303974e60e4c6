//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
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

        /// Whether no counter is negative.
        var areCounts: Bool { sequence >= 0 && live >= 0 && deleted >= 0 && bodyBytes >= 0 }

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

    /// Whether a reader of this state sees all changes and purges of another state.
    func includes(_ other: DatabaseState) -> Bool { sequence >= other.sequence && purges >= other.purges }

    /// The greatest number of a change, a purge or a stored body that is accepted from a file. A database reaches it
    /// after a hundred thousand writes in each second of ninety years. The numbers above it are free: the next numbers
    /// are computed from it, and so are the numbers of entries in geospatial and text indexes, which are up to 14 bits
    /// longer.
    static let numberMax: Int64 = 1 << 48

    /// Checks a number from a file.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if it is negative or greater than ``numberMax``.
    static func number(_ stored: Int64) throws(StoreError) -> Int64 {
        guard (0...numberMax).contains(stored) else { throw .damagedRow }
        return stored
    }

    static func read(from connection: SQLiteConnection) throws -> (DatabaseState, DatabaseIdentity) {
        let statement = try connection.statement(
            """
            SELECT sequence, live, deleted, bodyBytes, purges, superseded, revisionsMax, epoch, instance
            FROM state WHERE one = 1
            """)
        defer { statement.reset() }
        guard try statement.step() else { throw StoreError.damagedRow }
        let state = DatabaseState(
            counters: try Counters(statement), purges: try number(statement.int64(4)),
            superseded: try number(statement.int64(5)), revisionsMax: max(statement.int(6), 1))
        return (state, DatabaseIdentity(epoch: statement.string(7), instance: statement.string(8)))
    }

    /// Stores the state.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if a number is greater than ``numberMax``. The file
    ///   was edited then, and could not be opened again.
    func write(to connection: SQLiteConnection) throws {
        for number in [counters.sequence, purges, superseded] { _ = try DatabaseState.number(number) }
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
        invariant(connection.changedRows == 1, "a database has one state")
    }

    /// Checks the counters of a backup against its documents, before a database is created from it.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if they contradict each other.
    static func checkCounters(on connection: SQLiteConnection, path: String) throws {
        let (state, _) = try read(from: connection)
        let statement = try connection.statement(
            """
            SELECT ifnull(min(sequence), 1), ifnull(max(sequence), 0), ifnull(min(number), 1), ifnull(max(number), 0),
                count(*) - ifnull(sum(flags & 1), 0), ifnull(sum(flags & 1), 0), ifnull(sum(length(body)), 0)
            FROM documents
            """)
        defer { statement.reset() }
        let counters = state.counters
        guard try statement.step(), statement.int64(0) > 0, statement.int64(1) <= counters.sequence,
            statement.int64(2) > 0, statement.int64(3) <= counters.sequence, statement.int(4) == counters.live,
            statement.int(5) == counters.deleted, statement.int(6) == counters.bodyBytes
        else {
            throw StoreError(
                .corrupt, "\(path) is damaged: its counters contradict its documents. Use another backup.")
        }
        if try DocumentTable(connection, scope: .all).has(.indexes) { _ = try IndexTable(connection).all() }
    }
}

extension DatabaseState.Counters {
    /// Reads four columns: the last sequence and the three counts. A count that no database can have, which only a file
    /// from outside can contain, is replaced by the nearest possible one, because counts are only reported.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the sequence is impossible.
    init(_ statement: SQLiteStatement) throws(StoreError) {
        self.init(
            sequence: try DatabaseState.number(statement.int64(0)), live: Self.count(statement.int(1)),
            deleted: Self.count(statement.int(2)), bodyBytes: Self.count(statement.int(3)))
    }

    private static func count(_ stored: Int) -> Int { min(max(stored, 0), Int(DatabaseState.numberMax)) }
}
