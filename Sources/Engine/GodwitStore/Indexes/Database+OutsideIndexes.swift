//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitSQLite

// An index that is maintained outside of transactions is updated in steps. In each step, a slice of changes is read,
// the entries for these changes are computed, and the entries are written together with the index's new sequence.
// Documents that change during a step are in a later slice. For each index, only one task at a time updates the index.
// Other callers that need the index wait for this task.

/// The interface of a database for a maintainer that works outside of transactions.
package struct IndexedDatabase: Sendable {
    let database: Database

    init(database: Database) { self.database = database }

    /// Creates the interface of a datastore's database. The scope of the datastore is ignored.
    package init(_ datastore: Datastore) { database = datastore.database }

    /// A text that identifies the database in this process: the path of its file.
    package var owner: String { database.file.path }
    /// The name of the database in its manager.
    package var name: String { database.name }
    /// Whether document ids begin with a partition.
    package var isPartitioned: Bool { database.isPartitioned }
    /// The limits that the database applies.
    package var limits: StoreLimits { database.file.limits }

    /// Runs `body` in a read transaction on the calling thread.
    package func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try database.read { connection in try connection.read { try body(connection) } }
    }

    /// The ids of the design documents that define an index.
    package func designs(of index: IndexDescription) throws -> [String] {
        guard let kind = database.kinds[index.kind] else { return [] }
        var designs: [String] = []
        _ = try database.designRows(scope: .all) { row in
            if kind.definitions(in: row.body).contains(where: { $0.text == index.definition }) {
                designs.append(row.id)
            }
            return false
        }
        return designs
    }

    /// Runs `body` in a write transaction if the index exists.
    ///
    /// - Returns: The result of `body`; `nil` if the index was removed.
    package func write<Result: Sendable>(
        _ index: IndexDescription, _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result? {
        try await database.write { transaction in
            guard try IndexTable(transaction.connection).index(index.number) != nil else { return nil }
            return try body(transaction.connection)
        }
    }
}

extension Database {
    /// Updates an index so that it contains at least the changes that existed at the time of the call.
    func catchUp(_ index: IndexDescription, by maintainer: any PrecomputingIndexKind) async throws {
        let targetState = hub.current
        var wasUpdated = false
        while let current = try read({ try IndexTable($0).index(index.number) }), current.state != .complete {
            // If writes never stopped, the index would never contain all changes. It is sufficient that the index
            // contains the changes that existed at the time of the call.
            if wasUpdated, current.follows(targetState) { return }
            try await builds.take(index, at: { hub.current }) { [self] in
                try await updateIndex(index.number, by: maintainer)
            }
            wasUpdated = true
        }
    }

    /// Updates an index so that it contains the changes that existed at the time of the call. If there are no later
    /// changes, marks the index as complete.
    private func updateIndex(_ number: Int64, by maintainer: some PrecomputingIndexKind) async throws {
        let targetState = hub.current
        while let index = try read({ try IndexTable($0).index(number) }) {
            guard index.follows(targetState) else {
                try await step(number, by: maintainer, targetState)
                try Task.checkCancellation()
                continue
            }
            let finish = try await maintainer.finish(index, in: IndexedDatabase(database: self))
            return try await complete(index, finish)
        }
    }

    /// Marks an index as complete if it contains all changes.
    private func complete(
        _ index: IndexDescription, _ finish: @escaping @Sendable (SQLiteConnection) throws -> Void
    ) async throws {
        try await write { transaction in
            let table = IndexTable(transaction.connection)
            guard var currentIndex = try table.index(index.number), currentIndex == index else { return }
            try finish(transaction.connection)
            let state = transaction.group.memory.state
            guard currentIndex.sequence == state.sequence, currentIndex.purges == state.purges else { return }
            currentIndex.state = .complete
            try table.update(currentIndex)
            transaction.group.memory.changesIndexes = true
        }
    }

    private struct Step: Sendable {
        var index: IndexDescription
        var changes: [IndexChange]
        /// The index's sequence after the changes.
        var sequence: Int64
        var purges: Int64
    }

    /// Updates an index by one slice.
    private func step(
        _ number: Int64, by maintainer: some PrecomputingIndexKind, _ targetState: DatabaseState
    ) async throws {
        guard let step = try await nextStep(number, by: maintainer) else { return }
        builds.note(step.index, sequence: step.index.sequence, wanted: targetState.sequence)
        let entries = try await maintainer.entries(
            of: step.changes, for: step.index, in: IndexedDatabase(database: self))
        try await write { transaction in
            let table = IndexTable(transaction.connection)
            guard var index = try table.index(number) else { return }
            invariant(index.sequence == step.index.sequence, "one task at a time updates an index")
            invariant(step.sequence >= index.sequence, "a build goes forward")
            try maintainer.apply(entries, to: index, on: transaction.connection)
            (index.sequence, index.purges) = (step.sequence, step.purges)
            try table.update(index)
        }
    }

    /// The next changes; `nil` if the index was removed. If some purges are no longer remembered, the index is emptied
    /// first.
    private func nextStep(_ number: Int64, by maintainer: some PrecomputingIndexKind) async throws -> Step? {
        if let step = try read({ connection in try connection.read { try self.step(number, on: connection) } }) {
            return step
        }
        let exists = try await write { transaction in
            let table = IndexTable(transaction.connection)
            guard var index = try table.index(number) else { return false }
            try maintainer.remove(index, on: transaction.connection)
            try maintainer.create(index, on: transaction.connection)
            (index.sequence, index.purges) = (0, transaction.group.memory.state.purges)
            try table.update(index)
            return true
        }
        return exists ? try read { connection in try connection.read { try self.step(number, on: connection) } } : nil
    }

    /// - Returns: `nil` if the index was removed, or if some purges are no longer remembered.
    private func step(_ number: Int64, on connection: SQLiteConnection) throws -> Step? {
        let table = IndexTable(connection)
        guard let index = try table.index(number) else { return nil }
        let (state, _) = try DatabaseState.read(from: connection)
        let purged = try table.purged(after: index.sequence == 0 ? state.purges : index.purges, upTo: state.purges)
        guard purged.isComplete else { return nil }
        let slice = try DocumentTable(connection, scope: .all).changes(
            after: index.sequence, detail: .bodies, rowsMax: file.limits.indexedPerCommit,
            bytesMax: file.limits.sliceBytesMax)
        return Step(
            index: index, changes: purged.changes + slice.rows.map { .changed($0, storedID: $0.id) },
            sequence: slice.hasMore ? slice.rows.last!.sequence : state.sequence, purges: state.purges)
    }
}

extension IndexDescription {
    /// Whether the index contains all changes and purges of a state of the database.
    func follows(_ targetState: DatabaseState) -> Bool {
        sequence >= targetState.sequence && purges >= targetState.purges
    }
}
