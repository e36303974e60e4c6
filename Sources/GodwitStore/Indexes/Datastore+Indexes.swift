//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

extension Datastore {
    /// The indexes of the database, including indexes of unknown kinds.
    package func indexDescriptions() throws(StoreError) -> [IndexDescription] { try indexList().indexes }

    /// The indexes of the database, with the value that is cached for them.
    package func indexList() throws(StoreError) -> IndexList {
        do {
            return try database.indexes.all {
                try read { table in try table.has(.indexes) ? IndexTable(table.connection).all() : [] }
            }
        } catch {
            throw StoreError(wrapping: error, subject: "reading the indexes of \(name)")
        }
    }

    /// Whether a complete index stays complete, because each write updates it.
    package func keepsWithWrites(_ index: IndexDescription) -> Bool { database.follower(of: index) != nil }

    /// The kinds of indexes that the manager was opened with.
    package var indexKinds: [any IndexKind] { Array(database.kinds.values) }

    /// The progress of the indexes that are being updated outside of transactions.
    package var indexProgress: [IndexProgress] { database.builds.progress }

    /// Creates the indexes that a design document defines, if they are missing.
    package func makeIndexes(of design: String) async throws(StoreError) {
        try await transact { transaction in
            guard let row = try transaction.documents.row(id: design), !row.winner.isDeleted else { return }
            try transaction.group.follow(design: design, body: row.body)
        }
    }

    /// Updates an index before a query uses it.
    ///
    /// - Returns: Whether the index is complete now. It is `false` if the index was removed, its kind is unknown, or
    ///   new changes came meanwhile.
    package func catchUp(_ index: IndexDescription) async throws(StoreError) -> Bool {
        do {
            try await database.catchUpIndex(index.number)
        } catch {
            throw StoreError(wrapping: error, subject: "building the index \(index.name) of \(name)")
        }
        return try indexDescriptions().contains { $0.number == index.number && $0.state == .complete }
    }
}

extension DocumentTable {
    /// An index in the state that this connection reads; `nil` if it was removed.
    package func index(_ number: Int64) throws -> IndexDescription? { try IndexTable(connection).index(number) }

    /// Whether an index exists and is complete in the state that this connection reads.
    package func isComplete(_ index: IndexDescription) throws -> Bool {
        let statement = try connection.statement("SELECT state FROM indexes WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(index.number, at: 1)
        return try statement.step() && statement.int(0) == IndexDescription.State.complete.rawValue
    }
}
