//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

extension Datastore {
    /// The indexes of the database, including indexes of kinds that are not registered.
    package func indexDescriptions() throws(StoreError) -> [IndexDescription] { try indexList().indexes }

    /// The cached list of the database's indexes. The list can hold one value that is derived from it: see
    /// ``IndexList/kept(make:)``. For an index that is being built, the sequence in this list may be older than the
    /// stored sequence.
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
    package func followsWrites(_ index: IndexDescription) -> Bool { database.follower(of: index) != nil }

    /// The kinds of indexes that the manager was opened with.
    package var indexKinds: [any IndexKind] { Array(database.kinds.values) }

    /// The progress of the indexes that are being updated outside of transactions.
    package var indexProgress: [IndexProgress] { database.builds.progress }

    /// Creates the indexes that a design document defines and that do not exist yet, and removes indexes that the
    /// document no longer defines. A new index is built in the background. Does nothing if the design document is
    /// absent or deleted. Call this method only in the scope of all documents.
    package func makeIndexes(of design: String) async throws(StoreError) {
        try await transact { transaction in
            guard let row = try transaction.documents.row(id: design), !row.winner.isDeleted else { return }
            try transaction.group.countIndexes(ofDesign: design, body: row.body)
            try transaction.group.follow(design: design, body: row.body)
        }
    }

    /// Updates an index before a query uses it.
    ///
    /// - Returns: Whether the index is complete now. The result is `false` if the index was removed, if its kind is
    ///   unknown, or if new changes were written during the update.
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
    /// An index in the state of the database that this connection reads; `nil` if this state does not contain the
    /// index.
    package func index(_ number: Int64) throws -> IndexDescription? { try IndexTable(connection).index(number) }

    /// Whether an index exists and is complete in the state of the database that this connection reads.
    package func isComplete(_ index: IndexDescription) throws -> Bool {
        let statement = try connection.statement("SELECT state FROM indexes WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(index.number, at: 1)
        return try statement.step() && statement.int(0) == IndexDescription.State.complete.rawValue
    }
}
