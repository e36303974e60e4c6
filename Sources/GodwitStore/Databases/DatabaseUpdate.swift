//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What happened to a database of a directory.
public struct DatabaseUpdate: Hashable, Sendable {
    /// A kind of happening.
    public enum Kind: Int, Hashable, Sendable {
        case created = 1, updated, deleted
    }

    /// The number of the entry in the journal; the last one that was seen is where to go on.
    public let sequence: Int64
    /// The database's name.
    public let name: String
    /// What happened; of several things the last.
    public let kind: Kind
}

extension DatastoreManager {
    /// What happened to the databases after a number, each database once, in order; then what happens, live.
    ///
    /// A database that is written to all the time comes about once in `updatesJournalSeconds`.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last entry seen; 0 for the beginning.
    ///   - live: Whether to wait for further ones.
    public func databaseUpdates(after sequence: Int64 = 0, live: Bool = true) -> DatabaseUpdates {
        DatabaseUpdates(manager: self, start: sequence, isLive: live)
    }

    /// What happens to databases. See ``DatastoreManager/databaseUpdates(after:live:)``.
    public struct DatabaseUpdates: AsyncSequence, Sendable {
        /// What happened to a database.
        public typealias Element = DatabaseUpdate

        let manager: DatastoreManager
        let start: Int64
        let isLive: Bool

        /// Reads from the number that the sequence was made with.
        public func makeAsyncIterator() -> Iterator { Iterator(updates: self, sequence: start) }

        /// Reads the journal in slices.
        public struct Iterator: AsyncIteratorProtocol {
            let updates: DatabaseUpdates
            var sequence: Int64
            var slice: ArraySlice<DatabaseUpdate> = []

            /// The next entry, as soon as there is one.
            public mutating func next() async throws -> DatabaseUpdate? {
                while slice.isEmpty {
                    if Task.isCancelled { return nil }
                    let seen = updates.manager.journal.version
                    slice = try await updates.manager.updates(after: sequence)[...]
                    guard slice.isEmpty else { break }
                    guard updates.isLive, await updates.manager.journal.wait(after: seen) else { return nil }
                }
                let update = slice.removeFirst()
                sequence = update.sequence
                return update
            }
        }
    }
}

extension DatastoreManager {
    /// Waits for an entry after a number.
    ///
    /// - Returns: `false` when the task was cancelled or the manager closed instead.
    package func waitForUpdate(after sequence: Int64) async -> Bool {
        while true {
            let seen = journal.version
            guard let slice = try? await updates(after: sequence) else { return false }
            if !slice.isEmpty { return true }
            guard await journal.wait(after: seen) else { return false }
        }
    }
    /// Tells somebody the name of a database after each of its commits, at once and in no order, on the thread of its
    /// writer: what is done there must be short. What was written before a crash is in ``databaseUpdates(after:live:)``.
    package func observeCommits(_ observer: @escaping @Sendable (_ name: String) -> Void) { journal.observe(observer) }
}
