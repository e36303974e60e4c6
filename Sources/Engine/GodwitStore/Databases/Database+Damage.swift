//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

import struct Synchronization.Atomic

// A database in which damage was found accepts no writes until it is opened again. There are two reasons: further
// writes would be lost when a backup replaces the database, and they could make more data unreadable. Such a database
// can be read and deleted.

extension Database {
    /// Records damage if the error reports damage. Ignores other errors.
    func note(_ failure: any Error) {
        // The process that writes finds damage itself. What another process sees may be removed while it is read.
        guard !isReadOnly, let damage = StoreError(damage: failure, in: name) else { return }
        isDamaged.store(true, ordering: .relaxed)
        damages.add(DamageReports.Report(database: name, finding: damage.message))
    }

    /// Checks that no damage was found since the database was opened.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if damage was found.
    func checkIsUndamaged() throws(StoreError) {
        guard isDamaged.load(ordering: .relaxed) else { return }
        throw StoreError.damage(
            "the database \(name) is damaged: it can be read and deleted, but not written. Restore it from a backup, "
                + "or stop the server and run `godwit doctor`, which lists what is damaged.")
    }
}

/// A description of damage that contains no file path. If the `cause` of a ``StoreError`` with code
/// ``StoreError/Code/corrupt`` is a `Damage`, the message of the error may be shown to any client. The messages of
/// other errors with this code may contain paths.
package struct Damage: Error, CustomStringConvertible {
    package let description: String
}

extension StoreError {
    /// Creates an error with code ``StoreError/Code/corrupt``.
    ///
    /// - Parameter message: A description of the damage, without a path.
    static func damage(_ message: String) -> StoreError {
        StoreError(.corrupt, message, cause: Damage(description: message))
    }

    /// Converts an error that reports damage; `nil` for any other error.
    fileprivate init?(damage failure: any Error, in name: String) {
        switch failure {
        case let failure as StoreError where failure.code == .corrupt: self = failure
        case let failure as SQLiteError where failure.isCorrupt || failure.isDamagedPage:
            self.init(wrapping: failure, subject: "reading \(name)")
        default: return nil
        }
    }
}
