//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Datastore {
    /// The indexes of the database.
    package func indexes() throws(StoreError) -> [IndexDescription] {
        try read { table in try table.has(.indexes) ? IndexTable(table.connection).all() : [] }
    }

    /// Makes an index, which is built in the background. The same one twice is one.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when the name stands for another one.
    package func ensureIndex(
        kind: String, named name: String, definition: [UInt8]
    ) async throws(StoreError) -> IndexDescription {
        let index = try await transact { transaction in
            guard let maintainer = transaction.group.database.kinds[kind] else {
                throw StoreError(.indexNotFound, "indexes of the kind \(kind) are not built here")
            }
            try transaction.group.ensure(.indexes)
            let table = IndexTable(transaction.connection)
            if let known = try table.all().first(where: { $0.name == name }) {
                guard known.kind == kind, known.definition == definition else {
                    throw StoreError(
                        .indexExists, "there is another index named \(name). Delete it, or take another name.")
                }
                return known
            }
            let index = try table.insert(kind: kind, name: name, definition: definition)
            try maintainer.create(index, on: transaction.connection)
            return index
        }
        database.catchUpIndexesSoon()
        return index
    }

    /// Removes an index with its tables.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexNotFound`` when there is none.
    package func deleteIndex(named name: String) async throws(StoreError) {
        try await transact { transaction in
            let table = IndexTable(transaction.connection)
            guard try transaction.documents.has(.indexes),
                let index = try table.all().first(where: { $0.name == name })
            else { throw StoreError(.indexNotFound, "there is no index named \(name)") }
            try transaction.group.database.kinds[index.kind]?.remove(index, on: transaction.connection)
            try table.remove(index)
        }
    }

    /// Brings an index up to the documents, for a query that is about to use it.
    package func catchUpIndex(named name: String) async throws(StoreError) {
        do {
            try await database.catchUpIndex(named: name)
        } catch {
            throw StoreError(wrapping: error, subject: "building the index \(name) of \(self.name)")
        }
    }
}

extension Database {
    /// Builds every index that is behind and whose kind is known here.
    func catchUpIndexes() async throws {
        let names = try read { try IndexTable($0).all().filter { $0.state == .behind }.map(\.name) }
        for name in names { try await catchUpIndex(named: name) }
    }

    func catchUpIndex(named name: String) async throws {
        while try await !write({ try $0.catchUpIndex(named: name) }) {
            try Task.checkCancellation()
        }
    }
}

extension WriteTransaction {
    /// Brings an index on by one slice.
    ///
    /// - Returns: Whether it is complete, or cannot be brought on here.
    fileprivate func catchUpIndex(named name: String) throws -> Bool {
        let table = IndexTable(connection)
        guard var index = try table.all().first(where: { $0.name == name }), index.state == .behind,
            let maintainer = group.database.kinds[index.kind]
        else { return true }
        let state = group.memo.state
        let purged = try table.purged(after: index.sequence == 0 ? state.purges : index.purges, upTo: state.purges)
        if !purged.isComplete {
            // More was purged than is remembered: only a new index is sure to be right.
            try maintainer.remove(index, on: connection)
            try maintainer.create(index, on: connection)
            index.sequence = 0
        }
        let slice = try documents.changes(
            after: index.sequence, detail: .bodies, rowsMax: limits.sliceRowsMax, bytesMax: limits.sliceBytesMax)
        let changes = slice.rows.map { IndexChange.changed($0, storedID: $0.id) }
        try maintainer.apply((purged.isComplete ? purged.changes : []) + changes, to: index, on: connection)
        index.purges = state.purges
        index.sequence = slice.hasMore ? slice.rows.last!.sequence : state.sequence
        index.state = slice.hasMore ? .behind : .complete
        try table.update(index)
        return !slice.hasMore
    }
}
