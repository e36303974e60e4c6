//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The state of a ``ReplicationLane``: whether a replication is running, and whether another replication was requested
/// during it.
struct ReplicationTurn {
    private(set) var isRunning = false
    private var isPending = false

    /// Requests a run.
    ///
    /// - Returns: Whether the run starts now. If `false`, another run follows the current one.
    mutating func request() -> Bool {
        guard isRunning else {
            isRunning = true
            return true
        }
        isPending = true
        return false
    }

    /// Ends a run.
    ///
    /// - Returns: Whether the next run starts now.
    mutating func end() -> Bool {
        isRunning = isPending
        isPending = false
        return isRunning
    }
}
