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
    /// Who made the change; `nil` when it was read from the file or from a server, which do not say.
    public let source: ChangeSource?
    /// The winner's document, deleted or not, as it was when the change was read; `nil` unless asked for.
    public let document: Document?

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
    /// The documents that changed after a place, each once with its state now, in the order of their last change.
    ///
    /// The sequence first gives what has changed already, then waits for further changes for as long as it is iterated;
    /// it ends when the task is cancelled or the datastore closed. It reads at the pace of its consumer, in slices, and
    /// holds no transaction while it waits, so a slow consumer holds nobody up.
    ///
    /// ```swift
    /// for try await change in trips.changes(since: place) { place = change.sequence }
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: A place that this database gave; the beginning by default. A place of another database begins at the
    ///     beginning.
    ///   - limit: At most so many changes; all by default.
    ///   - live: Whether to wait for further changes.
    ///   - withDocuments: Whether each change brings its document.
    ///   - isIncluded: Which changes to give; all by default.
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
        /// A document that changed.
        public typealias Element = Change

        let datastore: Datastore
        let since: UpdateSequence
        let limit: Int
        let isLive: Bool
        let hasDocuments: Bool
        let isIncluded: (@Sendable (Change) -> Bool)?

        /// Reads from the place that the sequence was made with.
        public func makeAsyncIterator() -> Iterator {
            Iterator(feed: self, sequence: datastore.start(of: since), left: limit)
        }

        /// Reads the changes slice by slice.
        public struct Iterator: AsyncIteratorProtocol {
            let feed: Changes
            /// All up to here was given or left out.
            var sequence: Int64
            var left: Int
            var slice: ArraySlice<Change> = []

            /// The next change, as soon as there is one.
            public mutating func next() async throws -> Change? {
                guard left > 0 else { return nil }
                while true {
                    while let change = slice.popFirst() {
                        guard feed.isIncluded?(change) != false else { continue }
                        left -= 1
                        return change
                    }
                    if Task.isCancelled || feed.datastore.hub.isClosed { return nil }
                    let before = sequence
                    slice = try feed.datastore.nextSlice(after: &sequence, withDocuments: feed.hasDocuments)[...]
                    guard slice.isEmpty, sequence == before else { continue }
                    guard feed.isLive, await feed.datastore.waitForChange(after: sequence) else { return nil }
                }
            }
        }
    }

    /// The next slice of a feed, from memory when all of it is there.
    ///
    /// - Parameter sequence: Where the feed is; moved to where the slice ends.
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
            // Closed while it read: the feed is over.
            guard error.code == .closed else { throw error }
            return []
        }
        // Numbers without a row are those of purges.
        sequence = slice.rows.last?.sequence ?? max(sequence, latest)
        return try slice.rows.map { row throws(StoreError) in
            Change(
                sequence: self.sequence(row.sequence), id: row.id, revision: row.winner.revision,
                isDeleted: row.winner.isDeleted, leaves: row.leaves.map(\.revision), source: nil,
                document: withDocuments ? try Document(StoredRevision(winnerOf: row)) : nil)
        }
    }

    /// A change from memory; `nil` when its document is wanted and has changed since, so that a later change has it.
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
