//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite

/// The time at which an acknowledged write is on disk.
public enum Durability: Sendable {
    /// Before it is acknowledged: it survives a power loss.
    case full
    /// At the next checkpoint: a killed process loses nothing, a power loss may lose the last writes.
    case normal

    package var synchronous: SQLiteConnection.Synchronous {
        switch self {
        case .full: .full
        case .normal: .normal
        }
    }
}
