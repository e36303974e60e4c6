//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite

/// Whether a write is on disk when it is acknowledged, or only after the next checkpoint.
public enum Durability: Sendable {
    /// A write is on disk before it is acknowledged. Therefore, it survives a power loss.
    case full
    /// A write is on disk after the next checkpoint. No write is lost if the process is killed. A power loss may lose
    /// the last writes: usually some megabytes, and up to three quarters of ``StoreLimits/logBytesMax`` while a long answer
    /// or a snapshot is read.
    case normal

    /// SQLite's setting `synchronous` for this durability.
    package var synchronous: SQLiteConnection.Synchronous {
        switch self {
        case .full: .full
        case .normal: .normal
        }
    }
}
