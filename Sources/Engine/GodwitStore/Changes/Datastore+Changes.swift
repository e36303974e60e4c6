//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A changed document in the changes feed.
public struct Change: Sendable {
    /// The position after this change. A feed that begins at this sequence continues with the next change.
    public let sequence: UpdateSequence
    /// The document's id.
    public let id: String
    /// The winning revision.
    public let revision: RevisionID
    /// Whether the winner is a deletion.
    public let isDeleted: Bool
    /// All leaves, the winner first.
    public let leaves: [RevisionID]
    /// The origin of the change; `nil` if the change was read from the file or from a server, because they do not store
    /// the origin.
    public let source: ChangeSource?
    /// The winning revision of the document, which may be a deletion, as it was when the change was read. The value is
    /// `nil` if documents were not requested.
    public let document: Document?

    /// Creates a change from the values of its properties.
    package init(
        sequence: UpdateSequence, id: String, revision: RevisionID, isDeleted: Bool, leaves: [RevisionID],
        source: ChangeSource?, document: Document?
    ) {
        self.sequence = sequence
        self.id = id
        self.revision = revision
        self.isDeleted = isDeleted
        self.leaves = leaves
        self.source = source
        self.document = document
    }
}

extension Datastore {
    /// Returns the documents that changed after a sequence, in the order of their last changes. Each document has its
    /// current state.
    ///
    /// The feed first returns the past changes: each changed document once. A live feed then waits for new changes. It
    /// returns a document again when the document changes again. The feed ends after `limit` changes. It also ends when
    /// the task is cancelled or the datastore is closed, after the changes that were already read. The feed reads in
    /// slices, when its consumer asks for the next change, and has no open transaction while it waits. Therefore, a
    /// slow consumer does not block other consumers.
    ///
    /// ```swift
    /// for try await change in trips.changes(since: place) { place = change.sequence }
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: A sequence of this database; by default the beginning. With a sequence of another database, the
    ///     feed starts at the beginning.
    ///   - limit: The largest number of changes; by default unlimited.
    ///   - live: Whether to wait for new changes.
    ///   - withDocuments: Whether each change includes its document.
    ///   - isIncluded: Returns whether to include a change; by default all are included.
    public func changes(
        since sequence: UpdateSequence = .zero, limit: Int = .max, live: Bool = true, withDocuments: Bool = false,
        where isIncluded: (@Sendable (Change) -> Bool)? = nil
    ) -> Changes {
        Changes(
            datastore: self, since: sequence, limit: limit, isLive: live, hasDocuments: withDocuments,
            isIncluded: isIncluded)
    }

    /// The changes of a database. See ``Datastore/changes(since:limit:live:withDocuments:where:)``.
    public struct Changes: AsyncSequence, Sendable {
        /// A changed document.
        public typealias Element = Change

        let datastore: Datastore
        let since: UpdateSequence
        let limit: Int
        let isLive: Bool
        let hasDocuments: Bool
        let isIncluded: (@Sendable (Change) -> Bool)?

        /// Creates an iterator that begins after the start sequence.
        public func makeAsyncIterator() -> Iterator {
            Iterator(feed: self, sequence: datastore.start(of: since), remainingCount: limit)
        }

        /// Reads the changes slice by slice.
        public struct Iterator: AsyncIteratorProtocol {
            let feed: Changes
            /// The number up to which changes were read.
            var sequence: Int64
            /// The number of changes that may still be returned.
            var remainingCount: Int
            var slice: ArraySlice<Change> = []

            /// Returns the next change. A live feed waits for the change. Returns `nil` in these cases:
            ///
            /// - `limit` changes were returned.
            /// - The feed is not live, and the last change was returned.
            /// - The task is cancelled, or the datastore is closed.
            ///
            /// - Throws: ``StoreError`` if a change or its document cannot be read.
            public mutating func next() async throws -> Change? {
                guard remainingCount > 0 else { return nil }
                while true {
                    while let change = slice.popFirst() {
                        guard feed.isIncluded?(change) != false else { continue }
                        remainingCount -= 1
                        return change
                    }
                    if Task.isCancelled || feed.datastore.hub.isClosed { return nil }
                    let previousSequence = sequence
                    do {
                        slice = try feed.datastore.nextSlice(after: &sequence, withDocuments: feed.hasDocuments)[...]
                    } catch {
                        guard error.code == .suspended else { throw error }
                        sequence = previousSequence
                        try await feed.datastore.waitUntilActive()
                        continue
                    }
                    invariant(sequence >= previousSequence, "a feed goes forward")
                    guard slice.isEmpty, sequence == previousSequence else { continue }
                    guard feed.isLive, await feed.datastore.waitForChange(after: sequence) else { return nil }
                }
            }
        }
    }

    /// Returns the next slice of a feed. It is read from memory, or from the file if the changes in memory begin after
    /// the position of the feed.
    ///
    /// - Parameter sequence: The position of the feed. Set to the end of the slice.
    private func nextSlice(after sequence: inout Int64, withDocuments: Bool) throws(StoreError) -> [Change] {
        let latest = hub.current.sequence
        if let recent = hub.recent(after: sequence, rowsMax: limits.sliceRowsMax) {
            sequence = recent.last?.sequence ?? max(sequence, latest)
            var changes: [Change] = []
            for change in recent where change.storedID.utf8.starts(with: scope.prefix.utf8) {
                if let change = try self.change(change, withDocuments: withDocuments) { changes.append(change) }
            }
            return changes
        }
        let slice: RowSlice
        do {
            slice = try changes(after: sequence, detail: withDocuments ? .bodies : .leaves)
        } catch {
            // The datastore was closed during the read, so the feed ends.
            guard error.code == .closed else { throw error }
            return []
        }
        // If the slice has no rows, the feed continues after the last committed number, because the numbers in between
        // belong to documents that were removed.
        sequence = slice.rows.last?.sequence ?? max(sequence, latest)
        return try slice.rows.map { row throws(StoreError) in
            Change(
                sequence: self.sequence(row.sequence), id: row.id, revision: row.winner.revision,
                isDeleted: row.winner.isDeleted, leaves: row.leaves.map(\.revision), source: nil,
                document: withDocuments ? try Document(StoredRevision(winnerOf: row)) : nil)
        }
    }

    /// A change from memory. The result is `nil` if the document of the change is requested but has changed since then,
    /// because a later change will include the document.
    private func change(_ recent: RecentChange, withDocuments: Bool) throws(StoreError) -> Change? {
        let id = scope.visible(recent.storedID)
        var document: Document?
        if withDocuments {
            guard let row = try read({ try $0.row(id: id) }), row.sequence == recent.sequence else { return nil }
            document = try Document(StoredRevision(winnerOf: row))
        }
        return Change(
            sequence: self.sequence(recent.sequence), id: id, revision: recent.winner.revision,
            isDeleted: recent.winner.isDeleted,
            leaves: [recent.winner.revision] + recent.otherLeaves.map(\.revision), source: recent.source,
            document: document)
    }

    /// One slice of the changes after `sequence`, bounded by `sliceRowsMax`, `sliceBytesMax` and `rowsMax`.
    package func changes(
        after sequence: Int64, detail: RowDetail, rowsMax: Int = .max
    ) throws(StoreError) -> RowSlice {
        try read { table in
            try table.changes(
                after: sequence, detail: detail, rowsMax: min(rowsMax, limits.sliceRowsMax),
                bytesMax: limits.sliceBytesMax)
        }
    }

    /// Waits until a change whose number is greater than `sequence` is committed in the database. The change may belong
    /// to any scope.
    ///
    /// - Returns: `false` if the task was cancelled or the datastore was closed.
    package func waitForChange(after sequence: Int64) async -> Bool { await hub.wait(after: sequence) }
}
