//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite

/// The time at which an acknowledged write is on disk.
public enum Durability: Sendable {
    /// A write is on disk before it is acknowledged. Therefore, it survives a power loss.
    case full
    /// A write is on disk after the next checkpoint. If the process is killed, no write is lost, but a power loss may
    /// lose the last writes.
    case normal

    /// The setting of SQLite that has this durability.
    package var synchronous: SQLiteConnection.Synchronous {
        switch self {
        case .full: .full
        case .normal: .normal
        }
    }
}
