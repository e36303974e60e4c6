//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
package import GodwitSQLite

/// The SQL statements for documents, for the bodies of revisions that are not the winner, and for older ancestors.
///
/// Each value of this type uses one connection: a reader's connection for reads, or the writer's connection for reads
/// and writes. Parameters and results have the ids that the scope shows, without the prefix that is stored in the file.
package struct DocumentTable {
    /// The connection that runs the statements.
    package let connection: SQLiteConnection
    /// The scope of the ids in parameters and results.
    package let scope: Scope
    /// Whether to check that bodies are valid UTF-8.
    var checksBodies = true

    init(_ connection: SQLiteConnection, scope: Scope) {
        self.connection = connection
        self.scope = scope
    }

    /// The row of a document, deleted or not; `nil` if the document is absent.
    package func row(id: String, detail: RowDetail = .bodies) throws -> DocumentRow? {
        let statement = try connection.statement(
            """
            SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents WHERE id = ?1
            """)
        defer { statement.reset() }
        statement.bind(scope.stored(id), at: 1)
        return try statement.step()
            ? DocumentRow(statement, detail: detail, scope: scope, checksBody: checksBodies) : nil
    }

    /// The row of a document with its revision tree, without body and attachments; `nil` if the document is absent.
    func rowWithTree(id: String) throws -> DocumentRow? {
        let statement = try connection.statement(
            "SELECT sequence, id, number, flags, winner, leaves, tree FROM documents WHERE id = ?1")
        defer { statement.reset() }
        statement.bind(scope.stored(id), at: 1)
        guard try statement.step() else { return nil }
        var row = try DocumentRow(statement, detail: .leaves, scope: scope)
        row.storedTree = statement.bytes(6)
        return row
    }

    /// The row of a document whose number is known; `nil` if the document is absent. The number of a document equals
    /// the sequence of its first change. Therefore, a document that was not changed again is found with one look-up by
    /// its number. Any other document needs a second look-up.
    package func row(number: Int64, id: String, detail: RowDetail = .bodies) throws -> DocumentRow? {
        let statement = try connection.statement(
            """
            SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents
            WHERE sequence = ?1 AND number = ?1
            """)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try statement.step()
            ? DocumentRow(statement, detail: detail, scope: scope, checksBody: checksBodies)
            : row(id: id, detail: detail)
    }

    /// Inserts a document.
    ///
    /// - Returns: `false` if a document with this id exists.
    func insert(_ row: DocumentRow) throws -> Bool {
        invariant(row.sequence == row.number, "the number of a new document is its sequence")
        invariant(row.otherLeaves.isEmpty, "a new document has one leaf")
        let statement = try connection.statement(
            "INSERT INTO documents VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT(id) DO NOTHING")
        try run(statement, with: row)
        return connection.changedRows == 1
    }

    /// Writes a document's new state. The row moves to the new sequence.
    func replace(sequence: Int64, with row: DocumentRow) throws {
        invariant(row.sequence > sequence, "a changed document moves to the end of the feed")
        invariant(row.storedTree != nil || row.otherLeaves.isEmpty, "a document with several leaves has a tree")
        let statement = try connection.statement(
            """
            UPDATE documents SET sequence = ?1, id = ?2, number = ?3, flags = ?4, winner = ?5, leaves = ?6,
            attachments = ?7, body = ?8, tree = ?9 WHERE sequence = ?10
            """)
        statement.bind(sequence, at: 10)
        try run(statement, with: row)
        invariant(connection.changedRows == 1, "a change replaces the row of its document")
    }

    private func run(_ statement: SQLiteStatement, with row: DocumentRow) throws {
        invariant(row.winner.revision.isStorable, "a stored revision has a generation and a hash")
        statement.bind(row.sequence, at: 1)
        statement.bind(scope.stored(row.id), at: 2)
        statement.bind(row.number, at: 3)
        statement.bind(row.flags.rawValue, at: 4)
        statement.bind(row.winner.revision.encoded, at: 5)
        statement.bind(row.otherLeaves.encoded, at: 6)
        statement.bind(row.attachments.encoded, at: 7)
        statement.bind(row.storedTree, at: 9)
        try statement.run(binding: row.body, at: 8)
    }

    func remove(sequence: Int64) throws {
        let statement = try connection.statement("DELETE FROM documents WHERE sequence = ?1")
        statement.bind(sequence, at: 1)
        try statement.run()
        invariant(connection.changedRows == 1, "a removed document has a row")
    }

    // MARK: Bodies of revisions that are not the winner

    /// Stores the body of a losing leaf.
    func insertBody(_ addition: WriteTransaction.Addition, number: Int64) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO bodies VALUES(?1, ?2, ?3, ?4)")
        statement.bind(number, at: 1)
        statement.bind(addition.revision.encoded, at: 2)
        statement.bind(addition.attachments.encoded, at: 3)
        try statement.run(binding: addition.body, at: 4)
    }

    /// Stores the body of a revision that has a child, until the next compaction.
    func insertSuperseded(_ addition: WriteTransaction.Addition, position: Int64) throws {
        invariant(position > 0, "the key of a superseded body is not 0, which means no body")
        let statement = try connection.statement("INSERT INTO superseded VALUES(?1, ?2, ?3)")
        statement.bind(position, at: 1)
        statement.bind(addition.attachments.encoded, at: 2)
        try statement.run(binding: addition.body, at: 3)
    }

    /// Removes the body of a losing leaf.
    func removeBody(number: Int64, revision: RevisionID) throws {
        let statement = try connection.statement("DELETE FROM bodies WHERE number = ?1 AND revision = ?2")
        statement.bind(number, at: 1)
        statement.bind(revision.encoded, at: 2)
        try statement.run()
        invariant(connection.changedRows == 1, "a removed body was stored")
    }

    /// A stored body with its attachments.
    typealias StoredBody = (attachments: [AttachmentRecord], body: [UInt8])

    /// Whether a document has a leaf other than its winner.
    package func hasLosingLeaves() throws -> Bool {
        guard try has(.bodies) else { return false }
        return try connection.integer("SELECT count(*) FROM (SELECT 1 FROM bodies LIMIT 1)") > 0
    }

    /// The body of a losing leaf; `nil` if it is not stored.
    func leafBody(number: Int64, revision: RevisionID) throws -> StoredBody? {
        guard try has(.bodies) else { return nil }
        let statement = try connection.statement(
            "SELECT attachments, body FROM bodies WHERE number = ?1 AND revision = ?2")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        statement.bind(revision.encoded, at: 2)
        return try statement.step() ? (try statement.attachments(0), statement.bytes(1) ?? []) : nil
    }

    /// The body of a revision; `nil` if it is not stored.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if it is not valid UTF-8.
    func body(of node: RevisionTree.Node, in row: DocumentRow) throws -> StoredBody? {
        let stored = try storedBody(of: node, in: row)
        guard stored?.body.withUnsafeBytes(\.isUTF8) != false else { throw StoreError.damagedDocument(row.id) }
        return stored
    }

    private func storedBody(of node: RevisionTree.Node, in row: DocumentRow) throws -> StoredBody? {
        if node.revision == row.winner.revision { return (row.attachments, row.body) }
        guard node.position > 0 else { return try leafBody(number: row.number, revision: node.revision) }
        guard try has(.superseded) else { return nil }
        let statement = try connection.statement("SELECT attachments, body FROM superseded WHERE place = ?1")
        defer { statement.reset() }
        statement.bind(node.position, at: 1)
        return try statement.step() ? (try statement.attachments(0), statement.bytes(1) ?? []) : nil
    }

    /// Whether the file contains a table that is created only when it is needed. The result is valid for the state of
    /// the file that this connection reads.
    func has(_ table: FileFormat.RareTable) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")
        defer { statement.reset() }
        statement.bind(table.rawValue, at: 1)
        return try statement.step()
    }

    // MARK: Older ancestry

    /// Appends a segment, which is a row with successive revisions of the older ancestry. The key of the segment is the
    /// generation of its oldest revision.
    func appendSegment(number: Int64, revisions: [RevisionTree.Node]) throws {
        invariant(revisions.count == StoreLimits.segmentRevisions, "a segment has all its revisions")
        invariant(revisions[0].parent == nil, "a segment begins with the oldest revision of its row")
        let statement = try connection.statement("INSERT INTO ancestry VALUES(?1, ?2, ?3)")
        statement.bind(number, at: 1)
        statement.bind(revisions[0].revision.generation, at: 2)
        statement.bind(revisions.encodedSegment, at: 3)
        try statement.run()
    }

    /// Removes the oldest segments, which together contain `revisions` revisions.
    func removeOldestSegments(number: Int64, revisions: Int) throws {
        invariant(
            revisions > 0 && revisions.isMultiple(of: StoreLimits.segmentRevisions), "only whole segments are removed")
        let statement = try connection.statement(
            """
            DELETE FROM ancestry WHERE number = ?1 AND segment IN (
                SELECT segment FROM ancestry WHERE number = ?1 ORDER BY segment LIMIT ?2)
            """)
        statement.bind(number, at: 1)
        statement.bind(revisions / StoreLimits.segmentRevisions, at: 2)
        try statement.run()
        invariant(
            connection.changedRows * StoreLimits.segmentRevisions == revisions, "the removed segments were stored")
    }

    func removeSegments(number: Int64) throws {
        guard try has(.ancestry) else { return }
        let statement = try connection.statement("DELETE FROM ancestry WHERE number = ?1")
        statement.bind(number, at: 1)
        try statement.run()
    }

    /// The revisions that are stored in the segments of a document's ancestry, the oldest first. The revisions have no
    /// links to their parents.
    func olderRevisions(number: Int64) throws -> [RevisionTree.Node] {
        let statement = try connection.statement("SELECT revisions FROM ancestry WHERE number = ?1 ORDER BY segment")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        var revisions: [RevisionTree.Node] = []
        while try statement.step() {
            revisions += try statement.decode(0) { bytes throws(StoreError) in
                try [RevisionTree.Node](decodingSegment: bytes)
            }
        }
        return revisions
    }

    /// The number of revisions that a document's history keeps.
    package var revisionsMax: Int {
        get throws {
            let statement = try connection.statement("SELECT revisionsMax FROM state")
            defer { statement.reset() }
            return try statement.step() ? max(statement.int(0), 1) : 1
        }
    }

    /// The complete revision tree of a document, older ancestry included.
    package func fullTree(of row: DocumentRow) throws -> RevisionTree {
        var tree = try row.tree()
        if tree.olderCount > 0 {
            let older = try olderRevisions(number: row.number)
            guard older.count == tree.olderCount, older.isHistory(of: tree.nodes[0].revision) else {
                throw StoreError.damagedRow
            }
            tree.restore(older: older)
            // Only complete segments are removed from the file, so more revisions may be stored than the history may
            // contain.
            tree.stem(to: try revisionsMax)
        }
        return tree
    }
}

// MARK: Documents of owners and conflicted documents

extension DocumentTable {
    func moveOwned(owner: String, from old: Int64?, to new: Int64?) throws {
        invariant(old != nil || new != nil, "an owner's document is added, changed or removed")
        if let old {
            let statement = try connection.statement("DELETE FROM owned WHERE owner = ?1 AND sequence = ?2")
            statement.bind(owner, at: 1)
            statement.bind(old, at: 2)
            try statement.run()
            invariant(connection.changedRows == 1, "the last change of an owner's document is in the owner's list")
        }
        guard let new else { return }
        let statement = try connection.statement("INSERT INTO owned VALUES(?1, ?2)")
        statement.bind(owner, at: 1)
        statement.bind(new, at: 2)
        try statement.run()
    }

    func setConflicted(_ isConflicted: Bool, storedID: String) throws {
        let statement =
            isConflicted
            ? try connection.statement("INSERT OR REPLACE INTO conflicted VALUES(?1)")
            : try connection.statement("DELETE FROM conflicted WHERE id = ?1")
        statement.bind(storedID, at: 1)
        try statement.run()
        invariant(connection.changedRows == 1, "a document in conflict is in the list of conflicts once")
    }

    /// The number of documents in conflict in the complete database, at most `countMax`.
    package func conflictedCount(atMost countMax: Int) throws -> Int {
        guard try has(.conflicted) else { return 0 }
        let statement = try connection.statement("SELECT count(*) FROM (SELECT 1 FROM conflicted LIMIT ?1)")
        defer { statement.reset() }
        statement.bind(countMax, at: 1)
        return try statement.step() ? statement.int(0) : 0
    }

    /// The ids of documents with more than one live leaf, in bytewise order, after `id`, at most `rowsMax`.
    package func conflictedIDs(after id: String?, rowsMax: Int) throws -> [String] {
        guard try has(.conflicted) else { return [] }
        let statement = try connection.statement(
            "SELECT id FROM conflicted WHERE id > ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id LIMIT ?3")
        defer { statement.reset() }
        statement.bind(scope.stored(id ?? ""), at: 1)
        if let end = scope.end { statement.bind(end, at: 2) } else { statement.bindNull(at: 2) }
        statement.bind(rowsMax, at: 3)
        var ids: [String] = []
        while try statement.step() { ids.append(scope.visible(statement.string(0))) }
        return ids
    }
}

extension SQLiteStatement {
    /// Decodes a column of attachments; empty if the column is null.
    func attachments(_ column: Int32) throws(StoreError) -> [AttachmentRecord] {
        guard !isNull(column) else { return [] }
        return try decode(column) { bytes throws(StoreError) in try [AttachmentRecord](decoding: bytes) }
    }
}
