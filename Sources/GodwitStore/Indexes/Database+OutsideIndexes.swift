//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite

// An index that is kept outside of transactions is brought on step by step: a slice of changes is read, what they come to is
// worked out, and written together with how far the index follows then. In between documents may change; they come again
// with a later slice. One task at a time brings an index on, whoever asks meanwhile waits for it.

/// A database as a maintainer sees it that works outside of transactions.
package struct IndexedDatabase: Sendable {
    let database: Database

    init(database: Database) { self.database = database }

    package init(_ datastore: Datastore) { database = datastore.database }

    /// Stands for the database among all that there ever were.
    package var owner: String { database.file.path }
    package var name: String { database.name }
    /// Whether ids begin with a partition.
    package var isPartitioned: Bool { database.isPartitioned }
    package var limits: StoreLimits { database.file.limits }

    /// Lends a reader to `body` on the calling thread.
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

    /// Runs `body` in a write transaction, unless the index is gone.
    ///
    /// - Returns: `nil` when it is gone.
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
    /// Brings an index up to the changes that there are now.
    func catchUp(_ index: IndexDescription, by maintainer: any OutsideMaintainer) async throws {
        let wanted = hub.current
        var wasBroughtOn = false
        while let known = try read({ try IndexTable($0).index(index.number) }), known.state != .complete {
            // Under writers that never rest it is never complete; what was asked for is enough.
            if wasBroughtOn, known.follows(wanted) { return }
            try await builds.take(index.number) { [self] in
                try await bringOn(index.number, by: maintainer)
            }
            wasBroughtOn = true
        }
    }

    /// Brings an index on as far as the changes go when it begins.
    private func bringOn(_ number: Int64, by maintainer: some OutsideMaintainer) async throws {
        let wanted = hub.current
        while let index = try read({ try IndexTable($0).index(number) }) {
            guard index.follows(wanted) else {
                try await step(number, by: maintainer, wanted)
                try Task.checkCancellation()
                continue
            }
            let finish = try await maintainer.finish(index, in: IndexedDatabase(database: self))
            return try await complete(index, finish)
        }
    }

    /// Marks an index as complete when nothing has changed that it does not have.
    private func complete(
        _ index: IndexDescription, _ finish: @escaping @Sendable (SQLiteConnection) throws -> Void
    ) async throws {
        try await write { transaction in
            let table = IndexTable(transaction.connection)
            guard var now = try table.index(index.number), now == index else { return }
            try finish(transaction.connection)
            let state = transaction.group.memo.state
            guard now.sequence == state.sequence, now.purges == state.purges else { return }
            now.state = .complete
            try table.update(now)
            transaction.group.memo.changesIndexes = true
        }
    }

    private struct Step: Sendable {
        var index: IndexDescription
        var changes: [IndexChange]
        /// How far the index follows after them.
        var sequence: Int64
        var purges: Int64
    }

    /// Brings an index on by one slice.
    private func step(
        _ number: Int64, by maintainer: some OutsideMaintainer, _ wanted: DatabaseState
    ) async throws {
        guard let step = try await nextStep(number, by: maintainer) else { return }
        builds.note(step.index, sequence: step.index.sequence, wanted: wanted.sequence)
        let entries = try await maintainer.entries(
            of: step.changes, for: step.index, in: IndexedDatabase(database: self))
        try await write { transaction in
            let table = IndexTable(transaction.connection)
            guard var index = try table.index(number) else { return }
            try maintainer.apply(entries, to: index, on: transaction.connection)
            (index.sequence, index.purges) = (step.sequence, step.purges)
            try table.update(index)
        }
    }

    /// The changes that come next; an index that cannot be brought on is emptied first.
    private func nextStep(_ number: Int64, by maintainer: some OutsideMaintainer) async throws -> Step? {
        if let step = try read({ connection in try connection.read { try self.step(number, on: connection) } }) {
            return step
        }
        let isThere = try await write { transaction in
            let table = IndexTable(transaction.connection)
            guard var index = try table.index(number) else { return false }
            try maintainer.remove(index, on: transaction.connection)
            try maintainer.create(index, on: transaction.connection)
            (index.sequence, index.purges) = (0, transaction.group.memo.state.purges)
            try table.update(index)
            return true
        }
        return isThere ? try read { connection in try connection.read { try self.step(number, on: connection) } } : nil
    }

    /// - Returns: `nil` when the index is gone, or more was purged than is remembered.
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
    /// Whether it has the entries of all that a database had in some state.
    fileprivate func follows(_ wanted: DatabaseState) -> Bool {
        sequence >= wanted.sequence && purges >= wanted.purges
    }
}
