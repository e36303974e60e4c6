//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitSQLite

/// The statements over documents, their other bodies and their older ancestry.
///
/// A value over a connection: a reader's for looking up, the writer's for both.
package struct DocumentTable {
    let connection: SQLiteConnection

    package init(_ connection: SQLiteConnection) { self.connection = connection }

    /// The row of a document, deleted or not; `nil` when there never was one.
    package func row(id: String) throws -> DocumentRow? {
        let statement = try connection.statement(
            """
            SELECT sequence, id, number, flags, winner, leaves, attachments, body, tree FROM documents WHERE id = ?1
            """)
        defer { statement.reset() }
        statement.bind(id, at: 1)
        return try statement.step() ? DocumentRow(statement, detail: .bodies) : nil
    }

    func insert(_ row: DocumentRow) throws {
        let statement = try connection.statement("INSERT INTO documents VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        try bind(row, to: statement)
    }

    /// Writes a document's new state; its row moves to the new sequence.
    func replace(sequence: Int64, with row: DocumentRow) throws {
        let statement = try connection.statement(
            """
            UPDATE documents SET sequence = ?1, id = ?2, number = ?3, flags = ?4, winner = ?5, leaves = ?6,
            attachments = ?7, body = ?8, tree = ?9 WHERE sequence = ?10
            """)
        statement.bind(sequence, at: 10)
        try bind(row, to: statement)
    }

    private func bind(_ row: DocumentRow, to statement: SQLiteStatement) throws {
        statement.bind(row.sequence, at: 1)
        statement.bind(row.id, at: 2)
        statement.bind(row.number, at: 3)
        statement.bind(row.flags.rawValue, at: 4)
        statement.bind(row.winner.revision.encoded, at: 5)
        statement.bind(row.otherLeaves.encoded, at: 6)
        statement.bind(row.attachments.encoded, at: 7)
        statement.bind(row.body, at: 8)
        statement.bind(row.storedTree, at: 9)
        try statement.run()
    }

    // MARK: Bodies of revisions that are not the winner

    func insertBody(_ addition: WriteTransaction.Addition, number: Int64) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO bodies VALUES(?1, ?2, ?3, ?4)")
        statement.bind(number, at: 1)
        statement.bind(addition.revision.encoded, at: 2)
        statement.bind(addition.attachments.encoded, at: 3)
        statement.bind(addition.body, at: 4)
        try statement.run()
    }

    func removeBody(number: Int64, revision: RevisionID) throws {
        let statement = try connection.statement("DELETE FROM bodies WHERE number = ?1 AND revision = ?2")
        statement.bind(number, at: 1)
        statement.bind(revision.encoded, at: 2)
        try statement.run()
    }

    /// The body and attachments of a revision that is not the winner; `nil` when they are not kept here.
    func body(number: Int64, revision: RevisionID) throws -> (attachments: [AttachmentRecord], body: [UInt8])? {
        guard try has(.bodies) else { return nil }
        let statement = try connection.statement(
            "SELECT attachments, body FROM bodies WHERE number = ?1 AND revision = ?2")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        statement.bind(revision.encoded, at: 2)
        guard try statement.step() else { return nil }
        let attachments =
            statement.isNull(0)
            ? [] : try statement.decode(0) { bytes throws(StoreError) in try [AttachmentRecord](decoding: bytes) }
        return (attachments, statement.bytes(1) ?? [])
    }

    /// Whether a rare table is in the file, in the state that this connection sees.
    private func has(_ table: FileFormat.RareTable) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")
        defer { statement.reset() }
        statement.bind(table.rawValue, at: 1)
        return try statement.step()
    }

    // MARK: Older ancestry

    func appendSegment(number: Int64, segment: Int, revisions: [RevisionTree.Node]) throws {
        var writer = ByteWriter()
        for node in revisions {
            writer.append(raw: node.isDeleted ? 1 : 0)
            writer.append(node.revision.generation)
            writer.append(node.revision.hash)
        }
        let statement = try connection.statement("INSERT INTO ancestry VALUES(?1, ?2, ?3)")
        statement.bind(number, at: 1)
        statement.bind(segment, at: 2)
        statement.bind(writer.bytes, at: 3)
        try statement.run()
    }

    func removeSegments(number: Int64) throws {
        let statement = try connection.statement("DELETE FROM ancestry WHERE number = ?1")
        statement.bind(number, at: 1)
        try statement.run()
    }

    /// The revisions of all segments, the oldest first, without their parents.
    func olderRevisions(number: Int64) throws -> [RevisionTree.Node] {
        let statement = try connection.statement("SELECT revisions FROM ancestry WHERE number = ?1 ORDER BY segment")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        var revisions: [RevisionTree.Node] = []
        while try statement.step() {
            revisions += try statement.decode(0) { bytes throws(StoreError) in
                var reader = ByteReader(bytes)
                var segment: [RevisionTree.Node] = []
                while !reader.isAtEnd {
                    let isDeleted = try reader.byte() == 1
                    let revision = try RevisionID(decoding: &reader)
                    segment.append(RevisionTree.Node(revision: revision, parent: nil, isDeleted: isDeleted))
                }
                return segment
            }
        }
        return revisions
    }

    /// A document's whole tree, older ancestry included.
    package func fullTree(of row: DocumentRow) throws -> RevisionTree {
        var tree = try row.tree()
        if tree.olderCount > 0 {
            let older = try olderRevisions(number: row.number)
            guard older.count == tree.olderCount else { throw StoreError.damagedRow }
            tree.restore(older: older)
        }
        return tree
    }
}
