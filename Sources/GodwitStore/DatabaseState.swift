//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// The counters of one database, kept in its file and, at the writer, in memory.
package struct DatabaseState: Equatable, Sendable {
    /// The number of the last change.
    package var sequence: Int64 = 0
    /// Documents whose winner is not deleted.
    package var live = 0
    /// Documents whose winner is deleted.
    package var deleted = 0
    /// The bytes of all winners' bodies.
    package var bodyBytes = 0

    static func read(from connection: SQLiteConnection) throws -> (DatabaseState, DatabaseIdentity) {
        let statement = try connection.statement(
            "SELECT sequence, live, deleted, bodyBytes, epoch, instance FROM state WHERE one = 1")
        defer { statement.reset() }
        guard try statement.step() else { throw StoreError.damagedRow }
        let state = DatabaseState(
            sequence: statement.int64(0), live: statement.int(1), deleted: statement.int(2),
            bodyBytes: statement.int(3))
        return (state, DatabaseIdentity(epoch: statement.string(4), instance: statement.string(5)))
    }

    func write(to connection: SQLiteConnection) throws {
        let statement = try connection.statement(
            "UPDATE state SET sequence = ?1, live = ?2, deleted = ?3, bodyBytes = ?4 WHERE one = 1")
        statement.bind(sequence, at: 1)
        statement.bind(live, at: 2)
        statement.bind(deleted, at: 3)
        statement.bind(bodyBytes, at: 4)
        try statement.run()
    }
}

/// What tells one database from every other.
package struct DatabaseIdentity: Equatable, Sendable {
    /// Eight hexadecimal digits that all sequences of this file carry.
    package let epoch: String
    /// Thirty-two hexadecimal digits, for the identity of replications.
    package let instance: String

    static func random() -> DatabaseIdentity {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return DatabaseIdentity(epoch: bytes.prefix(4).hexadecimal, instance: bytes.dropFirst(4).hexadecimal)
    }
}

/// A place in the changes of one database: the number of a change and the epoch of the file, written `42-9f03a1c7`.
public struct UpdateSequence: Hashable, Sendable, CustomStringConvertible {
    /// The number of the last change that was seen.
    public let number: Int64
    /// The epoch of the database that gave it; `nil` for a bare number.
    public let epoch: String?

    package init(number: Int64, epoch: String?) {
        self.number = number
        self.epoch = epoch
    }

    /// Reads `number-epoch` or a bare number; `nil` when the text is something else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Int64(parts[0]), number >= 0 else { return nil }
        self.init(number: number, epoch: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// Before the first change.
    public static let zero = UpdateSequence(number: 0, epoch: nil)

    /// `number-epoch`, or the bare number.
    public var description: String { epoch.map { "\(number)-\($0)" } ?? "\(number)" }
}
