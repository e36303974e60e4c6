//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitSQLite

/// The transaction of the writes that share one commit.
final class GroupTransaction {
    /// The state in memory that belongs to the file. It is a value, so rolling back a write restores all of it at once.
    struct MemoryState {
        var state: DatabaseState
        var tables: Set<FileFormat.RareTable>
        /// The counters of the owners whose documents changed.
        var owners: [ExactText: DatabaseState.Counters] = [:]
        /// Whether the last reference to an attachment's bytes was removed.
        var freesBlobs = false
        /// Whether the list of indexes, or the state of an index, may have changed.
        var changesIndexes = false
        /// Whether there are new indexes to build.
        var makesIndexes = false
        /// The number of indexes that the edits of this transaction define, without those that they remove.
        var indexesAdded = 0
        /// The earliest expiration time that was set; `nil` if none was set.
        var expiration: Date?
    }

    /// An event of a write that other components process before or after the commit.
    private enum Note {
        /// A change for waiting feeds and observers.
        case changed(RecentChange)
        /// A change for the indexes.
        case indexed(IndexChange)
        /// A changed design document with its body; `nil` if it was deleted or removed.
        case design(id: String, body: [UInt8]?)
        /// The stored id of a document that became conflicted.
        case conflict(String)
    }

    let connection: SQLiteConnection
    let database: Database
    var memory: MemoryState
    /// Whether the commit has ended. A transaction must not be used after that.
    var isOver = false
    /// The events of all writes. When a write is rolled back, the list is truncated to its former length. The list is
    /// not copied before each write, because a thousand copies of a list with up to a thousand elements would be too
    /// costly.
    private var notes: [Note] = []
    private let isObserved: Bool
    private let isIndexed: Bool

    init(
        connection: SQLiteConnection, database: Database, state: DatabaseState, tables: Set<FileFormat.RareTable>
    ) {
        self.connection = connection
        self.database = database
        memory = MemoryState(state: state, tables: tables)
        isObserved = database.hub.waiterCount > 0
        isIndexed = tables.contains(.indexes)
    }

    var limits: StoreLimits { database.limits }

    /// Creates a rare table if it is absent.
    func ensure(_ table: FileFormat.RareTable) throws {
        guard !memory.tables.contains(table) else { return }
        try connection.execute(table.definition)
        memory.tables.insert(table)
    }

    /// Runs one of several writes. If it throws, all its changes are rolled back.
    func nested(_ body: () throws -> Void) throws {
        let (memory, count) = (memory, notes.count)
        do {
            try connection.nested(body)
        } catch {
            self.memory = memory
            invariant(notes.count >= count, "a write keeps the events of earlier writes")
            notes.removeLast(max(notes.count - count, 0))
            throw error
        }
    }

    /// Assigns the next number of the changes feed.
    func nextSequence() -> Int64 {
        memory.state.counters.sequence += 1
        return memory.state.counters.sequence
    }

    /// Records a document's new state.
    func note(_ row: DocumentRow, storedID: String, source: ChangeSource) {
        invariant(row.sequence == memory.state.sequence, "a noted change is the last one")
        invariant(row.number <= row.sequence, "a document is not younger than its change")
        if isObserved {
            notes.append(.changed(RecentChange(row: row, storedID: storedID, source: source)))
        }
        if DocumentID.isDesign(storedID) {
            notes.append(.design(id: storedID, body: row.winner.isDeleted ? nil : row.body))
        }
        if isIndexed { notes.append(.indexed(.changed(row, storedID: storedID))) }
    }

    /// Records a document that was removed completely.
    func note(removalOf row: DocumentRow, storedID: String) {
        if DocumentID.isDesign(storedID) { notes.append(.design(id: storedID, body: nil)) }
        if isIndexed { notes.append(.indexed(.removed(number: row.number, storedID: storedID))) }
    }

    /// Records a document that became conflicted.
    func note(conflictOf storedID: String) { notes.append(.conflict(storedID)) }

    /// Records the expiration time of a document.
    func note(expiration date: Date) { memory.expiration = min(memory.expiration ?? date, date) }

    /// Changes the counters of a document's owner. Does nothing if the document has no owner.
    func countOwner(ofStored id: String, _ change: (inout DatabaseState.Counters) -> Void) throws {
        guard let key = Scope.ownerKey(ofStored: id) else { return }
        try ensure(.owners)
        try ensure(.owned)
        var counters =
            try memory.owners[ExactText(key)] ?? DatabaseState.Counters.read(owner: key, from: connection)
        change(&counters)
        memory.owners[ExactText(key)] = counters
    }

    /// Writes the counters and updates the indexes. Called before the commit.
    func finish(before: DatabaseState) throws {
        invariant(!isOver, "a transaction ends once")
        checkInvariants(after: before)
        if memory.state != before { try memory.state.write(to: connection) }
        for (owner, counters) in memory.owners { try counters.write(owner: owner.text, to: connection) }
        if isIndexed {
            let changes = notes.compactMap { if case .indexed(let change) = $0 { change } else { nil } }
            try IndexTable(connection).follow(changes, from: before, to: memory.state, in: self)
        }
        for case .design(let id, let body) in notes { try follow(design: id, body: body) }
    }

    private func checkInvariants(after before: DatabaseState) {
        let (state, counters) = (memory.state, memory.state.counters)
        invariant(state.includes(before), "sequence and purges do not decrease")
        invariant(state.superseded >= before.superseded, "the keys of superseded bodies do not decrease")
        invariant(counters.areCounts, "no counter of documents is negative")
        invariant(state.revisionsMax > 0, "a history keeps a revision")
        for owner in memory.owners.values {
            invariant(owner.areCounts, "no counter of an owner is negative")
            invariant(owner.sequence <= state.sequence, "an owner's last change is a change of the database")
        }
    }

    /// The effects of the commit on other components.
    var effects: CommitResult.Effects {
        var effects = CommitResult.Effects(memory)
        for note in notes {
            switch note {
            case .changed(let change): effects.changes.append(change)
            case .indexed: break
            case .design: effects.changesDesigns = true
            case .conflict(let id): effects.conflicts.append(id)
            }
        }
        return effects
    }
}

extension DatabaseState.Counters {
    /// The counters of one owner; zeros if none are stored.
    static func read(owner: String, from connection: SQLiteConnection) throws -> DatabaseState.Counters {
        let statement = try connection.statement(
            "SELECT sequence, live, deleted, bodyBytes FROM owners WHERE name = ?1")
        defer { statement.reset() }
        statement.bind(owner, at: 1)
        guard try statement.step() else { return DatabaseState.Counters() }
        return try DatabaseState.Counters(statement)
    }

    fileprivate func write(owner: String, to connection: SQLiteConnection) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO owners VALUES(?1, ?2, ?3, ?4, ?5)")
        statement.bind(owner, at: 1)
        statement.bind(sequence, at: 2)
        statement.bind(live, at: 3)
        statement.bind(deleted, at: 4)
        statement.bind(bodyBytes, at: 5)
        try statement.run()
    }
}

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
