//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Whether a replication runs, and whether another one was asked for meanwhile: at most one runs, and one waits.
struct ReplicationTurn {
    private(set) var isRunning = false
    private var isPending = false

    /// Asks for a run.
    ///
    /// - Returns: Whether it begins now; otherwise one that runs is followed by another.
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
    /// - Returns: Whether the next one begins now.
    mutating func end() -> Bool {
        isRunning = isPending
        isPending = false
        return isRunning
    }
}
