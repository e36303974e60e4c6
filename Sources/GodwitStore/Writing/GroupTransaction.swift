//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

/// What the writes that share one commit have in common.
final class GroupTransaction {
    /// What is in memory beside the file, and goes back with it when a write is undone.
    struct Memo {
        var state: DatabaseState
        var tables: Set<FileFormat.RareTable>
        /// The counters of the owners whose documents were touched.
        var owners: [String: DatabaseState.Counters] = [:]
        /// What changed, for those who wait for it; empty when nobody does.
        var changes: [RecentChange] = []
        /// Whether attachments lost their last use.
        var freesBlobs = false
        /// The design documents that changed, with their bodies; `nil` for those that are gone.
        var designs: [(id: String, body: [UInt8]?)] = []
        /// The documents that have more than one live leaf now.
        var conflicts: [String] = []
        /// Whether the list of indexes may be another now, or the state of one.
        var changesIndexes = false
        /// Whether there are new ones, which are to be built.
        var makesIndexes = false
    }

    let connection: SQLiteConnection
    let database: Database
    var memo: Memo
    /// Set when the commit is over: what was handed to a closure must not be used later.
    var isOver = false
    /// What the indexes must follow.
    private var indexed: [IndexChange] = []
    private let isObserved: Bool
    private let isIndexed: Bool

    init(
        connection: SQLiteConnection, database: Database, state: DatabaseState, tables: Set<FileFormat.RareTable>
    ) {
        self.connection = connection
        self.database = database
        memo = Memo(state: state, tables: tables)
        isObserved = database.hub.waiterCount > 0
        isIndexed = tables.contains(.indexes)
    }

    var limits: StoreLimits { database.limits }

    /// Makes a rare table when the first row for it comes.
    func ensure(_ table: FileFormat.RareTable) throws {
        guard !memo.tables.contains(table) else { return }
        try connection.execute(table.definition)
        memo.tables.insert(table)
    }

    /// Runs one of several writes; when it throws, nothing of it stays.
    func nested(_ body: () throws -> Void) throws {
        // The lists are cut instead of kept: a copy for each of a thousand writes would be a million elements.
        let (state, tables, owners, frees) = (memo.state, memo.tables, memo.owners, memo.freesBlobs)
        let (changes, follows, designs) = (memo.changes.count, indexed.count, memo.designs.count)
        let conflicts = memo.conflicts.count
        do {
            try connection.nested(body)
        } catch {
            (memo.state, memo.tables, memo.owners, memo.freesBlobs) = (state, tables, owners, frees)
            memo.designs.removeLast(memo.designs.count - designs)
            memo.conflicts.removeLast(memo.conflicts.count - conflicts)
            memo.changes.removeLast(memo.changes.count - changes)
            indexed.removeLast(indexed.count - follows)
            throw error
        }
    }

    /// Takes the next number of the changes feed.
    func nextSequence() -> Int64 {
        memo.state.counters.sequence += 1
        return memo.state.counters.sequence
    }

    /// Takes note of a document's new state.
    func note(_ row: DocumentRow, storedID: String, source: ChangeSource) {
        if isObserved {
            memo.changes.append(RecentChange(row: row, storedID: storedID, source: source))
        }
        if DocumentID.isDesign(storedID) {
            memo.designs.append((storedID, row.winner.isDeleted ? nil : row.body))
        }
        if isIndexed { indexed.append(.changed(row, storedID: storedID)) }
    }

    /// Takes note of a document that is gone altogether.
    func note(removalOf row: DocumentRow, storedID: String) {
        if DocumentID.isDesign(storedID) { memo.designs.append((storedID, nil)) }
        if isIndexed { indexed.append(.removed(number: row.number, storedID: storedID)) }
    }

    /// Changes the counters of a document's owner, if it has one.
    func countOwner(ofStored id: String, _ change: (inout DatabaseState.Counters) -> Void) throws {
        guard let key = Scope.ownerKey(ofStored: id) else { return }
        try ensure(.owners)
        try ensure(.owned)
        var counters = try memo.owners[key] ?? DatabaseState.Counters.read(owner: key, from: connection)
        change(&counters)
        memo.owners[key] = counters
    }

    /// Writes what was counted and lets the indexes follow, before the commit.
    func finish(before: DatabaseState) throws {
        if memo.state != before { try memo.state.write(to: connection) }
        for (owner, counters) in memo.owners { try counters.write(owner: owner, to: connection) }
        if isIndexed { try IndexTable(connection).follow(indexed, from: before, to: memo.state, in: self) }
        for (id, body) in memo.designs { try follow(design: id, body: body) }
    }
}

extension DatabaseState.Counters {
    /// The counters of one owner; zeros when there are none.
    static func read(owner: String, from connection: SQLiteConnection) throws -> DatabaseState.Counters {
        let statement = try connection.statement(
            "SELECT sequence, live, deleted, bodyBytes FROM owners WHERE name = ?1")
        defer { statement.reset() }
        statement.bind(owner, at: 1)
        guard try statement.step() else { return DatabaseState.Counters() }
        return DatabaseState.Counters(
            sequence: statement.int64(0), live: statement.int(1), deleted: statement.int(2),
            bodyBytes: statement.int(3))
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
