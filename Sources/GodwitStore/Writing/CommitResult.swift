//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What became of jobs that shared a commit. The database acts on it; the writer does not.
struct CommitResult {
    /// What a commit that succeeded means to others.
    struct Effects {
        let state: DatabaseState
        /// The changes, for feeds and observers that wait for them; empty when none waits.
        var changes: [RecentChange] = []
        /// The documents that have more than one live leaf now.
        var conflicts: [String] = []
        /// Whether design documents changed.
        var changesDesigns = false
        /// Whether the list of indexes may be another now, or the state of one.
        let changesIndexes: Bool
        /// Whether there are new indexes, which are to be built.
        let makesIndexes: Bool
        /// Whether attachments lost their last use.
        let freesBlobs: Bool
        /// When the first of the documents expires whose time was set; `nil` when none was.
        let expiration: Date?

        init(_ memo: GroupTransaction.Memo) {
            state = memo.state
            changesIndexes = memo.changesIndexes
            makesIndexes = memo.makesIndexes
            freesBlobs = memo.freesBlobs
            expiration = memo.expiration
        }
    }

    /// What each job failed with; `nil` for one that is durable.
    var outcomes: [(any Error)?]
    /// `nil` when nothing was committed.
    var effects: Effects?
    /// Whether the connection was opened for it.
    var wasOpened = false
}
