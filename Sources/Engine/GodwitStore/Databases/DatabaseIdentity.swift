//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitSQLite

// A sequence is a number and an epoch. The number alone is ambiguous after the file has returned to an earlier state,
// for example to the state of a backup. The changes after this state are lost, and their numbers are assigned again, to
// other changes. Therefore, such a file begins a new epoch and stores the number of the last change that both epochs
// have in common. If a client has a sequence of the old epoch with a larger number, the feed of the client continues
// after the stored number. So the client misses no change.

/// The identifiers that distinguish a database from every other database.
package struct DatabaseIdentity: Equatable, Sendable {
    /// Eight hexadecimal digits that are part of every sequence of this file.
    package let epoch: String
    /// Thirty-two hexadecimal digits that identify the database in replications.
    package let instance: String

    /// The number of digits at the beginning of ``instance`` that contain the time when the database was created.
    private static let timeDigits = 8

    /// An identity that no other database has. The instance begins with the time in seconds, in hexadecimal digits.
    static func random() -> DatabaseIdentity {
        let seconds = UInt32(truncatingIfNeeded: Int(Date.now.timeIntervalSince1970))
        let time = withUnsafeBytes(of: seconds.bigEndian) { Array($0) }
        return DatabaseIdentity(
            epoch: [UInt8].random(count: 4).hexadecimal,
            instance: (time + [UInt8].random(count: 16 - DatabaseIdentity.timeDigits / 2)).hexadecimal)
    }

    /// CouchDB's `instance_start_time`: the time when the database was created, in microseconds since 1970, as a decimal
    /// number. It changes when the database is deleted and made again, when it is restored, and with each other epoch.
    ///
    /// The seconds are those of the creation. The microseconds are derived from the epoch. In databases of early
    /// versions, the instance is random, so the time is too.
    package var startTime: String {
        // Bounded: a text of at most eight digits is parsed.
        let seconds = UInt64(instance.prefix(DatabaseIdentity.timeDigits), radix: 16) ?? 0
        // Bounded: a text is parsed.
        let fraction = (UInt64(epoch, radix: 16) ?? 0) % 1_000_000
        return String(seconds * 1_000_000 + fraction)
    }

    /// Begins a new epoch, which branches off the old epoch at the last change in the file.
    ///
    /// - Parameter copy: The new identity, if the file is a copy of another database; `nil` if the file remains the
    ///   same database.
    static func beginEpoch(on connection: SQLiteConnection, as copy: DatabaseIdentity? = nil) throws {
        let (state, identity) = try DatabaseState.read(from: connection)
        let newIdentity = copy ?? DatabaseIdentity.random()
        try connection.transaction {
            // A file without changes records no branch. A client with a sequence of the old epoch then starts at zero,
            // because the file does not know this epoch.
            if state.sequence > 0 { try recordBranch(of: identity.epoch, at: state.sequence, on: connection) }
            let update = try connection.statement("UPDATE state SET epoch = ?1, instance = ?2")
            update.bind(newIdentity.epoch, at: 1)
            update.bind(copy?.instance ?? identity.instance, at: 2)
            try update.run()
        }
    }

    private static func recordBranch(of epoch: String, at sequence: Int64, on connection: SQLiteConnection) throws {
        try connection.execute(FileFormat.RareTable.epochs.definition)
        let insertStatement = try connection.statement("INSERT OR REPLACE INTO epochs VALUES(?1, ?2)")
        insertStatement.bind(epoch, at: 1)
        insertStatement.bind(sequence, at: 2)
        try insertStatement.run()
        // Changes after this state are lost, so a former epoch has no later change in common with this file.
        let limitStatement = try connection.statement("UPDATE epochs SET branch = min(branch, ?1)")
        limitStatement.bind(sequence, at: 1)
        try limitStatement.run()
    }

    /// For each former epoch, the last sequence number that the epoch has in common with this file.
    static func branches(on connection: SQLiteConnection) throws -> [ExactText: Int64] {
        let statement = try connection.statement("SELECT epoch, branch FROM epochs")
        var branches: [ExactText: Int64] = [:]
        while try statement.step() { branches[ExactText(statement.string(0))] = statement.int64(1) }
        return branches
    }
}
