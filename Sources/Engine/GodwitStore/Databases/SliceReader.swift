//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Reads a database in slices, for answers that are too long for one read. All slices see the state of the first.
///
/// If more slices follow the first, its read transaction stays open as a ``Snapshot``. There are three cases in which
/// the state cannot be kept, and the next slice reads the database as it is then: too many snapshots are open
/// (``StoreLimits/snapshotsKeptMax``), the client takes its answer slowly and another answer needs the snapshot
/// (``StoreLimits/snapshotIdleSecondsMax``), or writes have made the log too long (``StoreLimits/logBytesMax``).
///
/// The state is given back with the last slice, or when the object is no longer used.
package final class SliceReader: Sendable {
    /// The database that is read.
    package let datastore: Datastore
    private let keepsState: Bool
    private let kept = Mutex<Snapshot?>(nil)

    /// Creates a reader.
    ///
    /// - Parameter keepsState: `false` to read the present state in each slice. Answers with the bytes of attachments
    ///   need this: the bytes of an earlier state may have been removed.
    package init(_ datastore: Datastore, keepsState: Bool = true) {
        self.datastore = datastore
        self.keepsState = keepsState
    }

    deinit { end() }

    /// Runs `body` on the calling thread, with the state of the first slice.
    ///
    /// - Parameter body: Reads a slice. Sets its second argument, which is `false` at first, if it was the last slice.
    /// - Throws: ``StoreError``.
    package func read<Result>(
        _ body: (DocumentTable, inout Bool) throws -> Result
    ) throws(StoreError) -> Result {
        if let snapshot = kept.withLock({ $0 }) {
            var isLast = false
            let result = try snapshot.readIfOpen { table in try body(table, &isLast) }
            if isLast || result == nil { end() }
            if let result { return result }
        }
        let (result, snapshot) = try datastore.database.readKeepingState(scope: datastore.scope) { table, isLast in
            let result = try body(table, &isLast)
            if !keepsState { isLast = true }
            return result
        }
        let replaced = kept.withLock { kept in
            defer { kept = snapshot }
            return kept
        }
        replaced?.end()
        return result
    }

    private func end() { kept.withLock { $0.take() }?.end() }
}
