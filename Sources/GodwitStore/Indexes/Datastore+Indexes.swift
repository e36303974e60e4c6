//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitJSON
import GodwitSQLite

extension Datastore {
    /// The indexes of the database, also of kinds that are unknown here.
    package func indexDescriptions() throws(StoreError) -> [IndexDescription] { try indexList().indexes }

    /// The same, with what was made of them.
    package func indexList() throws(StoreError) -> IndexList {
        do {
            return try database.indexes.all {
                try read { table in try table.has(.indexes) ? IndexTable(table.connection).all() : [] }
            }
        } catch {
            throw StoreError(wrapping: error, subject: "reading the indexes of \(name)")
        }
    }

    /// Whether an index, once complete, stays so until it goes: each write brings it along.
    package func keepsWithWrites(_ index: IndexDescription) -> Bool { database.follower(of: index) != nil }

    /// The kinds of indexes that the manager was opened with.
    package var indexKinds: [any IndexKind] { Array(database.kinds.values) }

    /// The indexes that are being brought up to date now, of kinds that work outside of transactions.
    package var indexProgress: [IndexProgress] { database.builds.progress }

    /// Makes the indexes that a design document defines, where they are missing.
    package func makeIndexes(of design: String) async throws(StoreError) {
        try await transact { transaction in
            guard let row = try transaction.documents.row(id: design), !row.winner.isDeleted else { return }
            try transaction.group.follow(design: design, body: row.body)
        }
    }

    /// Brings an index up to the documents, for a query that is about to use it.
    ///
    /// - Returns: Whether it is complete now: it may be gone, or of a kind that is unknown here.
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
    /// An index as this reader sees it; `nil` when it is gone.
    package func index(_ number: Int64) throws -> IndexDescription? { try IndexTable(connection).index(number) }

    /// Whether an index is there and complete in the state that this reader sees.
    package func isComplete(_ index: IndexDescription) throws -> Bool {
        let statement = try connection.statement("SELECT state FROM indexes WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(index.number, at: 1)
        return try statement.step() && statement.int(0) == IndexDescription.State.complete.rawValue
    }
}
