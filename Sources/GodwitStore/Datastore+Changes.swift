//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A document that changed, as the changes feed shows it.
public struct Change: Sendable {
    /// Where the feed goes on after this change.
    public let sequence: UpdateSequence
    /// The document's id.
    public let id: String
    /// The winning revision.
    public let revision: RevisionID
    /// Whether the winner is a deletion.
    public let isDeleted: Bool
    /// All leaves, the winner first.
    public let leaves: [RevisionID]
}

extension Datastore {
    /// The documents that changed after a place, each once with its state now, in the order of their last change.
    ///
    /// The sequence first gives what has changed already, then waits for further changes for as long as it is iterated;
    /// it ends when the task is cancelled or the datastore closed. It reads at the pace of its consumer, in slices, and
    /// holds no transaction while it waits.
    ///
    /// - Parameter sequence: A place that this database gave; the beginning by default. A place of another database
    ///   begins at the beginning.
    public func changes(since sequence: UpdateSequence = .zero) -> Changes { Changes(datastore: self, since: sequence) }

    /// The changes of a database, live. See ``Datastore/changes(since:)``.
    public struct Changes: AsyncSequence, Sendable {
        /// A document that changed.
        public typealias Element = Change

        let datastore: Datastore
        let since: UpdateSequence

        /// Reads from the place that the sequence was made with.
        public func makeAsyncIterator() -> Iterator {
            Iterator(datastore: datastore, sequence: datastore.start(of: since))
        }

        /// Reads the changes slice by slice.
        public struct Iterator: AsyncIteratorProtocol {
            let datastore: Datastore
            var sequence: Int64
            var slice: ArraySlice<DocumentRow> = []

            /// The next change, as soon as there is one.
            public mutating func next() async throws -> Change? {
                while slice.isEmpty {
                    if Task.isCancelled { return nil }
                    guard let rows = try datastore.changesUnlessClosed(after: sequence) else { return nil }
                    slice = rows[...]
                    if slice.isEmpty, await !datastore.waitForChange(after: sequence) { return nil }
                }
                let row = slice.removeFirst()
                sequence = row.sequence
                return Change(
                    sequence: datastore.sequence(row.sequence), id: row.id, revision: row.winner.revision,
                    isDeleted: row.winner.isDeleted, leaves: row.leaves.map(\.revision))
            }
        }
    }

    /// The next slice of a feed; `nil` when the datastore was closed meanwhile, which ends it.
    private func changesUnlessClosed(after sequence: Int64) throws(StoreError) -> [DocumentRow]? {
        do {
            return try changes(after: sequence, detail: .leaves).rows
        } catch {
            guard error.code == .closed else { throw error }
            return nil
        }
    }

    /// One slice of the changes after a number, bounded by `sliceRowsMax`, `sliceBytesMax` and `rowsMax`.
    package func changes(
        after sequence: Int64, detail: RowDetail, rowsMax: Int = .max
    ) throws(StoreError) -> RowSlice {
        try read { table in
            try table.changes(
                after: sequence, detail: detail, rowsMax: min(rowsMax, limits.sliceRowsMax),
                bytesMax: limits.sliceBytesMax)
        }
    }

    /// Waits for a change after a number.
    ///
    /// - Returns: `false` when the task was cancelled or the datastore closed instead.
    package func waitForChange(after sequence: Int64) async -> Bool { await hub.wait(after: sequence) }
}
