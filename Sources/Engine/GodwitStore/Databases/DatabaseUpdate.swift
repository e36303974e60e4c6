//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An event of one database in a directory: its creation, update or deletion.
public struct DatabaseUpdate: Hashable, Sendable {
    /// The kind of an update.
    public enum Kind: Int, Hashable, Sendable {
        case created = 1, updated, deleted
    }

    /// The number of the entry in the journal. To continue after an entry, pass its number to
    /// ``DatastoreManager/databaseUpdates(after:live:)``.
    public let sequence: Int64
    /// The database's name.
    public let name: String
    /// The kind of the database's latest event.
    public let kind: Kind
}

extension DatastoreManager {
    /// The journal entries whose number is greater than `sequence`, in ascending order. The journal has one entry for
    /// each database: its latest event. If `live` is `true`, new entries follow as they appear.
    ///
    /// A database with continuous writes appears about once in `updatesJournalSeconds`.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last entry that the caller has read; 0 for the beginning.
    ///   - live: Whether to wait for new entries.
    public func databaseUpdates(after sequence: Int64 = 0, live: Bool = true) -> DatabaseUpdates {
        DatabaseUpdates(manager: self, start: sequence, isLive: live)
    }

    /// A sequence of database updates. See ``DatastoreManager/databaseUpdates(after:live:)``.
    public struct DatabaseUpdates: AsyncSequence, Sendable {
        /// One update of a database.
        public typealias Element = DatabaseUpdate

        let manager: DatastoreManager
        let start: Int64
        let isLive: Bool

        /// Creates an iterator that begins after the sequence's start number.
        public func makeAsyncIterator() -> Iterator { Iterator(updates: self, sequence: start) }

        /// Reads the journal in slices.
        public struct Iterator: AsyncIteratorProtocol {
            let updates: DatabaseUpdates
            var sequence: Int64
            var slice: ArraySlice<DatabaseUpdate> = []

            /// Returns the next entry. If the sequence is live, waits for it. Returns `nil` at the end of a sequence
            /// that is not live, after the task was cancelled, or if the manager is closed during the wait.
            ///
            /// - Throws: ``StoreError`` if the journal cannot be read. The code is ``StoreError/Code/closed`` if the
            ///   manager was closed before.
            public mutating func next() async throws -> DatabaseUpdate? {
                while slice.isEmpty {
                    if Task.isCancelled { return nil }
                    let seenVersion = updates.manager.journal.version
                    do {
                        slice = try await updates.manager.updates(after: sequence)[...]
                    } catch {
                        guard error.code == .suspended else { throw error }
                        try await updates.manager.openFiles.waitUntilActive()
                        continue
                    }
                    guard slice.isEmpty else { break }
                    guard updates.isLive, await updates.manager.journal.wait(after: seenVersion) else { return nil }
                }
                let update = slice.removeFirst()
                invariant(update.sequence > sequence, "the journal is read in the order of its numbers")
                sequence = update.sequence
                return update
            }
        }
    }
}

extension DatastoreManager {
    /// Waits until the journal has an entry whose number is greater than `sequence`.
    ///
    /// - Returns: `false` if the task was cancelled, the manager was closed, or the journal cannot be read.
    package func waitForUpdate(after sequence: Int64) async -> Bool {
        while true {
            let seenVersion = journal.version
            guard let slice = try? await updates(after: sequence) else { return false }
            if !slice.isEmpty { return true }
            guard await journal.wait(after: seenVersion) else { return false }
        }
    }
    /// Adds an observer, which is called after each commit of each database. The argument is the name of the database.
    /// The observer is called on the thread of the database's writer, and the order of the calls is not defined. The
    /// observer must return quickly. After a crash, the observer is not called for the writes that were made before the
    /// crash, but ``databaseUpdates(after:live:)`` reports the databases with such writes.
    package func observeCommits(_ observer: @escaping @Sendable (_ name: String) -> Void) { journal.observe(observer) }
}
