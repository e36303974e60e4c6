//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

/// The difference between the indexes of a database and those that one of its design documents defines.
private struct IndexDifference {
    var unwanted: [IndexDescription] = []
    var new: [(kind: any IndexKind, definition: IndexDefinition)] = []

    init(of design: String, body: [UInt8]?, from all: [IndexDescription], in database: Database) {
        let wanted = database.definedIndexes(of: body)
        let known = all.filter { $0.design.isIdenticalText(to: design) }
        unwanted = known.filter { index in
            database.kinds[index.kind] != nil
                && !wanted.contains { index.isCreated(by: $0.definition, of: $0.kind) }
        }
        new = wanted.filter { kind, definition in
            !(kind.isShared ? all.filter(\.isShared) : known).contains { $0.isCreated(by: definition, of: kind) }
        }
    }
}

extension GroupTransaction {
    /// Creates the indexes that a design document defines, and removes indexes of known kinds that the document no
    /// longer defines. Indexes beyond ``StoreLimits/indexesMax`` are not created.
    ///
    /// - Parameter body: The document's body; `nil` if the document was deleted or removed.
    func follow(design id: String, body: [UInt8]?) throws {
        guard memory.tables.contains(.indexes) || !database.definedIndexes(of: body).isEmpty else { return }
        try ensure(.indexes)
        let table = IndexTable(connection)
        let all = try table.all()
        let difference = IndexDifference(of: id, body: body, from: all, in: database)
        for index in difference.unwanted {
            try database.kinds[index.kind]?.remove(index, on: connection)
            try table.remove(index)
        }
        let newCountMax = max(limits.indexesMax - (all.count - difference.unwanted.count), 0)
        for (kind, definition) in difference.new.prefix(newCountMax) {
            memory.makesIndexes = true
            let design = kind.isShared ? IndexDescription.shared : id
            try kind.create(try table.insert(kind: kind.kind, design: design, definition), on: connection)
        }
        memory.changesIndexes = true
    }

    /// Counts the indexes that an edit of a design document defines.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDocument`` if the database would have more than
    ///   ``StoreLimits/indexesMax``.
    func countIndexes(ofDesign id: String, body: [UInt8]?) throws {
        let all = memory.tables.contains(.indexes) ? try IndexTable(connection).all() : []
        let difference = IndexDifference(of: id, body: body, from: all, in: database)
        memory.indexesAdded += difference.new.count - difference.unwanted.count
        guard difference.new.count > difference.unwanted.count else { return }
        guard all.count + memory.indexesAdded <= limits.indexesMax else {
            throw StoreError(
                .invalidDocument,
                "The database would have more than \(limits.indexesMax) indexes. Delete indexes or design documents first."
            )
        }
    }
}

extension IndexDescription {
    fileprivate func isCreated(by definition: IndexDefinition, of kind: any IndexKind) -> Bool {
        self.kind.isIdenticalText(to: kind.kind) && name.isIdenticalText(to: definition.name)
            && self.definition == definition.text
    }
}

extension Database {
    fileprivate func definedIndexes(
        of design: [UInt8]?
    ) -> [(kind: any IndexKind, definition: IndexDefinition)] {
        guard let design else { return [] }
        return kinds.values.sorted { $0.kind < $1.kind }.flatMap { kind in
            kind.definitions(in: design).map { (kind, $0) }
        }
    }

    /// Creates, removes and updates indexes according to the design documents. This is necessary if a design document
    /// was written when the kind of its indexes was not registered.
    func followDesigns() async throws {
        let sequence = hub.current.sequence
        var designs: [String] = []
        var differs = false
        let known = try read { try DocumentTable($0, scope: .all).has(.indexes) ? IndexTable($0).all() : [] }
        _ = try designRows(scope: .all) { row in
            designs.append(row.id)
            let indexesOfDesign = known.filter { kinds[$0.kind] != nil && $0.design.isIdenticalText(to: row.id) }
            let wanted = definedIndexes(of: row.body)
            let known = indexesOfDesign + known.filter(\.isShared)
            differs =
                differs || indexesOfDesign.count != wanted.count { !$0.kind.isShared }
                || !wanted.allSatisfy { wanted in
                    known.contains { $0.isCreated(by: wanted.definition, of: wanted.kind) }
                }
            return false
        }
        let removedDesigns = known.lazy.filter { !$0.isShared }.map(\.design)
            .filter { design in !designs.contains { $0.isIdenticalText(to: design) } }
        if differs || !removedDesigns.isEmpty {
            let changed = designs + removedDesigns
            try await write { transaction in
                for id in changed {
                    let row = try transaction.documents.row(id: id)
                    let body = row.flatMap { $0.winner.isDeleted ? nil : $0.body }
                    try transaction.group.follow(design: id, body: body)
                }
            }
        } else {
            try read { connection in
                try connection.read {
                    guard try DatabaseState.read(from: connection).0.sequence == sequence else { return }
                    if let text = try DocumentTable(connection, scope: .all).designText() { followed.add(text) }
                }
            }
        }
        try await catchUpIndexes(isOpening: true)
    }
}

// MARK: Databases with the same design documents

/// Remembers sets of design documents and indexes that were found to match. In a matching set, the indexes are exactly
/// those that the design documents define. One list serves all databases of a manager. Often, the databases of all
/// users of an application have the same set, so the comparison for one database is sufficient for all of them.
final class FollowedDesigns: Sendable {
    private let texts = Mutex<Set<[UInt8]>>([])

    func contains(_ text: [UInt8]) -> Bool { texts.withLock { $0.contains(text) } }

    func add(_ text: [UInt8]) {
        texts.withLock { texts in
            if texts.count >= StoreLimits.followedDesignsMax { texts.removeAll() }
            texts.insert(text)
        }
    }
}

extension DocumentTable {
    /// All design documents and indexes in one text. Two databases with the same set have the same text.
    ///
    /// - Returns: `nil` if the text is longer than `followedDesignsBytesMax`.
    func designText() throws -> [UInt8]? {
        let bytesMax = StoreLimits.followedDesignsBytesMax
        // Bodies are not checked, because a database with a damaged design document must still open.
        var unchecked = self
        unchecked.checksBodies = false
        let designs = try unchecked.documents(
            in: IDRange(lower: DocumentID.designPrefix, upper: DocumentID.designsEnd), descending: false,
            detail: .bodies, rowsMax: .max, bytesMax: bytesMax)
        guard !designs.hasMore else { return nil }
        var text = ByteWriter()
        text.append(designs.rows.count)
        for row in designs.rows {
            text.append(run: row.id.utf8)
            text.append(run: row.body)
        }
        for index in try has(.indexes) ? IndexTable(connection).all() : [] {
            for part in [index.kind, index.design, index.name] { text.append(run: part.utf8) }
            text.append(run: index.definition)
        }
        return text.bytes.count <= bytesMax ? text.bytes : nil
    }
}

extension Database {
    /// Whether the indexes of a file need work in the background. This is the case if the indexes may differ from those
    /// that the design documents of the file define, or if an index lacks changes and must be built.
    static func mustFollowDesigns(
        _ table: DocumentTable, kinds: [String: any IndexKind], followed: FollowedDesigns
    ) throws -> Bool {
        guard !kinds.isEmpty else { return false }
        let indexes = try table.has(.indexes) ? IndexTable(table.connection).all() : []
        guard try !indexes.isEmpty || table.hasDesigns() else { return false }
        let isBehind = indexes.contains { $0.state == .behind && !(kinds[$0.kind] is any PrecomputingIndexKind) }
        guard !isBehind, let text = try table.designText() else { return true }
        return !followed.contains(text)
    }
}

// MARK: Shared indexes

extension Database {
    /// Removes the shared indexes of a kind that no design document defines.
    func removeUnwantedIndexes(of kind: String) async throws {
        try await write { transaction in
            let table = IndexTable(transaction.connection)
            guard try transaction.documents.has(.indexes) else { return }
            var unwanted = try table.all().filter {
                $0.isShared && $0.kind.isIdenticalText(to: kind) && self.kinds[kind] != nil
            }
            _ = try self.designRows(scope: .all) { row in
                let wanted = self.definedIndexes(of: row.body)
                unwanted.removeAll { index in
                    wanted.contains { index.isCreated(by: $0.definition, of: $0.kind) }
                }
                return unwanted.isEmpty
            }
            for index in unwanted {
                try self.kinds[index.kind]?.remove(index, on: transaction.connection)
                try table.remove(index)
            }
            if !unwanted.isEmpty { transaction.group.memory.changesIndexes = true }
        }
    }
}

extension Datastore {
    /// Removes shared indexes that no design document defines now: CouchDB's `_view_cleanup` and Cloudant's
    /// `_search_cleanup`.
    ///
    /// - Parameter kind: The kind of the indexes.
    package func removeUnwantedIndexes(of kind: String) async throws(StoreError) {
        do {
            try await database.removeUnwantedIndexes(of: kind)
        } catch {
            throw StoreError(wrapping: error, subject: "removing indexes of \(name)")
        }
    }
}
