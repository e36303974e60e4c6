//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitSQLite

// A sequence is a number and an epoch. A number says nothing when the file was put back to an earlier state: after the
// restore of a backup the numbers that followed are given again, to other changes. So such a file begins a new epoch and
// remembers at which number the old one branched off; whoever comes with a place of the old epoch beyond that number goes
// on from the branch, and nobody misses a change silently.

/// What tells one database from every other.
package struct DatabaseIdentity: Equatable, Sendable {
    /// Eight hexadecimal digits that all sequences of this file carry.
    package let epoch: String
    /// Thirty-two hexadecimal digits, for the identity of replications.
    package let instance: String

    static func random() -> DatabaseIdentity {
        DatabaseIdentity(epoch: [UInt8].random(count: 4).hexadecimal, instance: [UInt8].random(count: 16).hexadecimal)
    }

    /// Gives the file a new epoch, which branches off the old one at the last change that the file holds.
    ///
    /// - Parameter copy: The identity of a file that is a copy of another; `nil` for the same database.
    static func beginEpoch(on connection: SQLiteConnection, as copy: DatabaseIdentity? = nil) throws {
        let (state, identity) = try DatabaseState.read(from: connection)
        let fresh = copy ?? DatabaseIdentity.random()
        try connection.write {
            // An unknown epoch restarts from zero, where an empty file branches off.
            if state.sequence > 0 { try recordBranch(of: identity.epoch, at: state.sequence, on: connection) }
            let update = try connection.statement("UPDATE state SET epoch = ?1, instance = ?2")
            update.bind(fresh.epoch, at: 1)
            update.bind(copy?.instance ?? identity.instance, at: 2)
            try update.run()
        }
    }

    private static func recordBranch(of epoch: String, at sequence: Int64, on connection: SQLiteConnection) throws {
        try connection.execute(FileFormat.RareTable.epochs.definition)
        let branch = try connection.statement("INSERT OR REPLACE INTO epochs VALUES(?1, ?2)")
        branch.bind(epoch, at: 1)
        branch.bind(sequence, at: 2)
        try branch.run()
        // What branched off later than this state, branched off a future that is gone.
        let cut = try connection.statement("UPDATE epochs SET branch = min(branch, ?1)")
        cut.bind(sequence, at: 1)
        try cut.run()
    }

    /// The last number that each former epoch shares with this file.
    static func branches(on connection: SQLiteConnection) throws -> [String: Int64] {
        let statement = try connection.statement("SELECT epoch, branch FROM epochs")
        var branches: [String: Int64] = [:]
        while try statement.step() { branches[statement.string(0)] = statement.int64(1) }
        return branches
    }
}
