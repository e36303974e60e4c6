//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation

/// The results of jobs that shared a commit. The writer returns these results, and the database acts on them.
struct CommitResult {
    /// The effects of a successful commit on other components.
    struct Effects {
        let state: DatabaseState
        /// The changes for waiting feeds and observers; empty if no feed waits.
        var changes: [RecentChange] = []
        /// The stored ids of documents that became conflicted, because they have more than one live leaf now.
        var conflicts: [String] = []
        /// Whether design documents changed.
        var changesDesigns = false
        /// Whether the list of indexes, or the state of an index, may have changed.
        let changesIndexes: Bool
        /// Whether there are new indexes to build.
        let makesIndexes: Bool
        /// Whether the last reference to an attachment's bytes was removed.
        let freesBlobs: Bool
        /// The earliest expiration time that was set; `nil` if none was set.
        let expiration: Date?

        init(_ memory: GroupTransaction.MemoryState) {
            state = memory.state
            changesIndexes = memory.changesIndexes
            makesIndexes = memory.makesIndexes
            freesBlobs = memory.freesBlobs
            expiration = memory.expiration
        }
    }

    /// The error of each job; `nil` if the job is durable.
    var outcomes: [(any Error)?]
    /// The effects of the commit; `nil` if nothing was committed.
    var effects: Effects?
    /// Whether the connection was opened for this commit.
    var wasOpened = false
}
