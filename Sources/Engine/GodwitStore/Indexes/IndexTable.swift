//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// The SQL statements for the list of indexes.
struct IndexTable {
    let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// All indexes, in the order of their numbers.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if a number is impossible; errors of reading the
    ///   database.
    func all() throws -> [IndexDescription] {
        let statement = try connection.statement(
            "SELECT number, kind, design, name, definition, state, sequence, purges FROM indexes ORDER BY number")
        defer { statement.reset() }
        var indexes: [IndexDescription] = []
        while try statement.step() {
            indexes.append(
                IndexDescription(
                    number: try DatabaseState.number(statement.int64(0)), kind: statement.string(1),
                    design: statement.string(2), name: statement.string(3), definition: statement.bytes(4) ?? [],
                    state: .init(rawValue: statement.int(5)) ?? .behind,
                    sequence: try DatabaseState.number(statement.int64(6)),
                    purges: try DatabaseState.number(statement.int64(7))))
        }
        return indexes
    }

    /// An index by its number; `nil` if it is absent.
    func index(_ number: Int64) throws -> IndexDescription? {
        guard try DocumentTable(connection, scope: .all).has(.indexes) else { return nil }
        return try all().first { $0.number == number }
    }

    func insert(kind: String, design: String, _ definition: IndexDefinition) throws -> IndexDescription {
        let statement = try connection.statement(
            """
            INSERT INTO indexes(kind, design, name, definition, state, sequence, purges)
            VALUES(?1, ?2, ?3, ?4, 0, 0, 0)
            """)
        statement.bind(kind, at: 1)
        statement.bind(design, at: 2)
        statement.bind(definition.name, at: 3)
        statement.bind(definition.text, at: 4)
        try statement.run()
        return IndexDescription(
            number: connection.lastInsertedRow, kind: kind, design: design, name: definition.name,
            definition: definition.text, state: .behind, sequence: 0, purges: 0)
    }

    func update(_ index: IndexDescription) throws {
        invariant(index.sequence >= 0 && index.purges >= 0, "the numbers of an index are not negative")
        let statement = try connection.statement(
            "UPDATE indexes SET state = ?2, sequence = ?3, purges = ?4 WHERE number = ?1")
        statement.bind(index.number, at: 1)
        statement.bind(index.state.rawValue, at: 2)
        statement.bind(index.sequence, at: 3)
        statement.bind(index.purges, at: 4)
        try statement.run()
        invariant(connection.changedRows == 1, "an updated index is in the list")
    }

    func remove(_ index: IndexDescription) throws {
        let statement = try connection.statement("DELETE FROM indexes WHERE number = ?1")
        statement.bind(index.number, at: 1)
        try statement.run()
        invariant(connection.changedRows == 1, "a removed index is in the list")
    }

    /// Discards what indexes derive from their entries: in a file from elsewhere, it could contradict them. It is
    /// computed again before the next use of each index.
    func discardDerived(_ kinds: [String: any IndexKind]) throws {
        guard try DocumentTable(connection, scope: .all).has(.indexes) else { return }
        for var index in try all() {
            guard let kind = kinds[index.kind] as? any PrecomputingIndexKind,
                try kind.discardDerived(of: index, on: connection)
            else { continue }
            index.state = .behind
            try update(index)
        }
    }

    /// Applies the changes of a commit to complete indexes, and sets the state of indexes that cannot be updated to
    /// ``IndexDescription/State/behind``.
    func follow(
        _ changes: [IndexChange], from before: DatabaseState, to after: DatabaseState, in group: GroupTransaction
    ) throws {
        guard after.sequence > before.sequence || after.purges > before.purges else { return }
        for var index in try all() where index.state == .complete {
            invariant(index.sequence <= after.sequence, "an index knows no change after the last one")
            invariant(index.purges <= after.purges, "an index knows no purge after the last one")
            if let kind = group.database.follower(of: index) {
                try kind.apply(changes, to: index, on: connection)
            } else {
                (index.state, index.sequence, index.purges) = (.behind, before.sequence, before.purges)
                try update(index)
                group.memory.changesIndexes = true
            }
        }
    }

    /// The documents of the purges whose numbers are above `number`, and whether all of these purges are still
    /// remembered.
    func purged(after number: Int64, upTo last: Int64) throws -> (changes: [IndexChange], isComplete: Bool) {
        guard last > number else { return ([], true) }
        let statement = try connection.statement(
            """
            SELECT p.number, p.id, p.document, d.id FROM purges p LEFT JOIN documents d ON d.id = p.id
            WHERE p.number > ?1 ORDER BY p.number
            """)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        var (changes, first): ([IndexChange], Int64?) = ([], nil)
        while try statement.step() {
            first = first ?? statement.int64(0)
            changes.append(.removed(number: statement.int64(2), storedID: statement.string(1)))
        }
        return (changes, first == number + 1)
    }
}
