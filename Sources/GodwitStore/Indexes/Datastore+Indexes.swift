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
    /// Whether an index is there and complete in the state that this reader sees.
    package func isComplete(_ index: IndexDescription) throws -> Bool {
        let statement = try connection.statement("SELECT state FROM indexes WHERE number = ?1")
        defer { statement.reset() }
        statement.bind(index.number, at: 1)
        return try statement.step() && statement.int(0) == IndexDescription.State.complete.rawValue
    }
}

// MARK: What design documents say

extension GroupTransaction {
    /// Makes the indexes that a design document defines, and removes those of known kinds that it no longer does.
    ///
    /// - Parameter body: `nil` when the document is gone.
    func follow(design id: String, body: [UInt8]?) throws {
        let wanted = database.wantedIndexes(of: body)
        guard !wanted.isEmpty || memo.tables.contains(.indexes) else { return }
        try ensure(.indexes)
        let table = IndexTable(connection)
        let known = try table.all().filter { $0.design.isIdenticalText(to: id) }
        for index in known where !wanted.contains(where: { index.isMade(by: $0.definition, of: $0.kind) }) {
            guard let kind = database.kinds[index.kind] else { continue }
            try kind.remove(index, on: connection)
            try table.remove(index)
        }
        for (kind, definition) in wanted where !known.contains(where: { $0.isMade(by: definition, of: kind) }) {
            memo.makesIndexes = true
            try kind.create(try table.insert(kind: kind.kind, design: id, definition), on: connection)
        }
        memo.changesIndexes = true
    }
}

extension IndexDescription {
    fileprivate func isMade(by definition: IndexDefinition, of kind: any IndexMaintainer) -> Bool {
        self.kind == kind.kind && name.isIdenticalText(to: definition.name) && self.definition == definition.text
    }
}

extension Database {
    fileprivate func wantedIndexes(
        of design: [UInt8]?
    ) -> [(kind: any IndexMaintainer, definition: IndexDefinition)] {
        guard let design else { return [] }
        return kinds.values.sorted { $0.kind < $1.kind }.flatMap { kind in
            kind.definitions(in: design).map { (kind, $0) }
        }
    }

    /// Makes and removes indexes as the design documents say, which may have come when their kinds were not known, and
    /// brings them up to date.
    func followDesigns() async throws {
        var designs: [String] = []
        var differs = false
        let known = try read { try DocumentTable($0, scope: .all).has(.indexes) ? IndexTable($0).all() : [] }
        _ = try designRows(scope: .all) { row in
            designs.append(row.id)
            let own = known.filter { kinds[$0.kind] != nil && $0.design.isIdenticalText(to: row.id) }
            let wanted = wantedIndexes(of: row.body)
            differs =
                differs || own.count != wanted.count
                || !wanted.allSatisfy { wanted in own.contains { $0.isMade(by: wanted.definition, of: wanted.kind) } }
            return false
        }
        let gone = known.map(\.design).filter { design in !designs.contains { $0.isIdenticalText(to: design) } }
        if differs || !gone.isEmpty {
            let changed = designs + gone
            try await write { transaction in
                for id in changed {
                    let row = try transaction.documents.row(id: id)
                    let body = row.flatMap { $0.winner.isDeleted ? nil : $0.body }
                    try transaction.group.follow(design: id, body: body)
                }
            }
        }
        try await catchUpIndexes()
    }
}

// MARK: Catching up

extension Database {
    /// Builds every index that is behind and whose kind is known here.
    func catchUpIndexes() async throws {
        let numbers = try read { connection in
            guard try DocumentTable(connection, scope: .all).has(.indexes) else { return [Int64]() }
            return try IndexTable(connection).all().filter { $0.state == .behind }.map(\.number)
        }
        for number in numbers { try await catchUpIndex(number) }
    }

    func catchUpIndex(_ number: Int64) async throws {
        var pace = CatchUpPace()
        while true {
            let factor = pace.factor
            let step = try await write { try $0.catchUpIndex(number, factor: factor) }
            guard let behind = step else { return }
            pace.note(behind)
            try Task.checkCancellation()
        }
    }
}

extension WriteTransaction {
    /// Brings an index on by one slice.
    ///
    /// - Parameter factor: How many times the usual a slice may take.
    /// - Returns: How many changes it is behind; `nil` when it is complete, gone, or cannot be brought on here.
    fileprivate func catchUpIndex(_ number: Int64, factor: Int) throws -> Int64? {
        let table = IndexTable(connection)
        guard try documents.has(.indexes), var index = try table.all().first(where: { $0.number == number }),
            index.state == .behind, let maintainer = group.database.kinds[index.kind]
        else { return nil }
        let state = group.memo.state
        let purged = try table.purged(after: index.sequence == 0 ? state.purges : index.purges, upTo: state.purges)
        if !purged.isComplete {
            // More was purged than is remembered: only a new index is sure to be right.
            try maintainer.remove(index, on: connection)
            try maintainer.create(index, on: connection)
            index.sequence = 0
        }
        let slice = try documents.changes(
            after: index.sequence, detail: .bodies, rowsMax: limits.indexedPerCommit * factor,
            bytesMax: limits.sliceBytesMax * factor)
        let changes = slice.rows.map { IndexChange.changed($0, storedID: $0.id) }
        try maintainer.apply((purged.isComplete ? purged.changes : []) + changes, to: index, on: connection)
        index.purges = state.purges
        index.sequence = slice.hasMore ? slice.rows.last!.sequence : state.sequence
        index.state = slice.hasMore ? .behind : .complete
        try table.update(index)
        if index.state == .complete { group.memo.changesIndexes = true }
        return slice.hasMore ? state.sequence - index.sequence : nil
    }
}

/// How much a build takes at once: more when writers add changes as fast as it follows them, or it would never end.
struct CatchUpPace {
    /// Slices after which it is seen whether the build comes nearer.
    private static let slicesPerLook = 8
    /// The most that a slice takes, in times the usual.
    private static let factorMax = 32

    private(set) var factor = 1
    private var slices = 0
    private var behindThen = Int64.max

    mutating func note(_ behind: Int64) {
        slices += 1
        guard slices.isMultiple(of: Self.slicesPerLook) else { return }
        if behind >= behindThen { factor = min(factor * 2, Self.factorMax) }
        behindThen = behind
    }
}
