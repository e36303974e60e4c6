//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

import struct Synchronization.Atomic

// A database in which damage was found takes no writes until it is opened anew: they would be lost when it is replaced by a
// backup, and may make more of it unreadable. It can be read, and deleted.

extension Database {
    /// Notes damage, if that is what a failure tells of.
    func note(_ failure: any Error) {
        guard let damage = StoreError(damage: failure, in: name) else { return }
        isDamaged.store(true, ordering: .relaxed)
        damages.add(DamageReports.Report(database: name, finding: damage.message))
    }

    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` when damage was found.
    func checkIsWhole() throws(StoreError) {
        guard isDamaged.load(ordering: .relaxed) else { return }
        throw StoreError.damage(
            "the database \(name) is damaged: it can be read and deleted, and takes no writes. Restore it from a backup, "
                + "or stop the server and run `godwit doctor`, which lists what is damaged.")
    }
}

/// What is damaged, in words that name no file: the cause of an error whose message everybody may read, which those of other
/// errors with code ``StoreError/Code/corrupt`` are not for.
package struct Damage: Error, CustomStringConvertible {
    package let description: String
}

extension StoreError {
    /// - Parameter message: What is damaged, without a path.
    static func damage(_ message: String) -> StoreError {
        StoreError(.corrupt, message, cause: Damage(description: message))
    }

    /// The store's error for a failure that tells of damage; `nil` for any other.
    fileprivate init?(damage failure: any Error, in name: String) {
        switch failure {
        case let failure as StoreError where failure.code == .corrupt: self = failure
        case let failure as SQLiteError where failure.isCorrupt || failure.isDamagedPage:
            self.init(wrapping: failure, subject: "reading \(name)")
        default: return nil
        }
    }
}
