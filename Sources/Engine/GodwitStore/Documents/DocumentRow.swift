//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitSQLite

/// One row of `documents`: the winner, the other leaves and the recent part of the revision tree.
package struct DocumentRow: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: Int
        /// The winner is a deletion.
        static let deleted = Flags(rawValue: 1)
        /// Another leaf is not deleted.
        static let conflicted = Flags(rawValue: 2)
    }

    /// The number of the document's last change.
    package var sequence: Int64
    /// The document's id in the scope of the read.
    package var id: String
    /// The document's number, which never changes.
    package var number: Int64
    /// The winning leaf, deleted or not.
    package var winner: RevisionTree.Leaf
    /// All leaves except the winner, in the order of precedence.
    package var otherLeaves: [RevisionTree.Leaf] = []
    /// The winner's attachments; empty if the row was read without bodies.
    package var attachments: [AttachmentRecord] = []
    /// The winner's body without reserved members; empty if the row was read without bodies.
    package var body: [UInt8]
    /// The recent part of the revision tree; `nil` if the tree consists of a single revision.
    package var storedTree: [UInt8]?
    /// The flags as stored in the file.
    private(set) var storedFlags: Flags = []

    /// All leaves, the winner first.
    package var leaves: [RevisionTree.Leaf] { [winner] + otherLeaves }

    /// The live leaves other than the winner.
    package var conflicts: [RevisionID] { otherLeaves.lazy.filter { !$0.isDeleted }.map(\.revision) }

    /// Decodes the recent part of the tree.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if it is damaged.
    package func tree() throws(StoreError) -> RevisionTree {
        guard let storedTree else {
            return RevisionTree(
                nodes: [.init(revision: winner.revision, parent: nil, isDeleted: winner.isDeleted)])
        }
        var result: Result<RevisionTree, StoreError> = .failure(.damagedRow)
        storedTree.withUnsafeBytes { bytes in
            result = Result { () throws(StoreError) in try RevisionTree(decoding: bytes) }
        }
        return try result.get()
    }

    var flags: Flags {
        var flags: Flags = winner.isDeleted ? .deleted : []
        if otherLeaves.contains(where: { !$0.isDeleted }) { flags.insert(.conflicted) }
        return flags
    }
}

/// The columns that a scan reads. The body is one of the last columns of a row, so a scan without bodies does not read
/// it from the disk.
package enum RowDetail: Sendable {
    /// The id, the sequence and the leaves.
    case leaves
    /// The columns of ``leaves``, and the winner's attachments, its body and the revision tree.
    case bodies
}

extension DocumentRow {
    /// Reads the current row of a statement over `sequence, id, number, flags, winner, leaves[, attachments, body[,
    /// tree]]`.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the row is damaged, or if `checksBody` is
    ///   `true` and the body is damaged.
    package init(
        _ statement: SQLiteStatement, detail: RowDetail, scope: Scope, hasTree: Bool = true, checksBody: Bool = true
    ) throws {
        let flags = Flags(rawValue: statement.int(3))
        let revision =
            try statement.withBytes(4) { RevisionID(usual: $0) }
            ?? statement.decode(4) { bytes throws(StoreError) in try RevisionID(decoding: bytes) }
        self.init(
            sequence: statement.int64(0), id: scope.visible(statement.string(1)), number: statement.int64(2),
            winner: .init(revision: revision, isDeleted: flags.contains(.deleted)), body: [])
        storedFlags = flags
        if !statement.isNull(5) {
            otherLeaves = try statement.decode(5) { bytes throws(StoreError) in
                try [RevisionTree.Leaf](decoding: bytes)
            }
        }
        guard detail == .bodies else { return }
        attachments = try statement.attachments(6)
        body = try checksBody ? statement.body(7, of: id) : statement.bytes(7) ?? []
        guard hasTree else { return }
        storedTree = statement.bytes(8)
    }
}

extension SQLiteStatement {
    /// Decodes a blob without copying it.
    func decode<Value>(
        _ column: Int32, _ decode: (UnsafeRawBufferPointer) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = withBytes(column) { bytes in
            Result { () throws(StoreError) in try decode(bytes) }
        }
        return try result.get()
    }
}

// Stored bodies are copied into responses without parsing, so damage of the file would reach clients. Therefore, the
// UTF-8 of a body is checked when its row is read. If a damaged body is still valid UTF-8, the damage is found only
// when the body is parsed or the database is checked.

extension SQLiteStatement {
    /// A stored body.
    ///
    /// - Parameter id: The document's id, for the error message.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the body is not valid UTF-8.
    func body(_ column: Int32, of id: @autoclosure () -> String) throws(StoreError) -> [UInt8] {
        guard withBytes(column, { $0.isUTF8 }) else { throw .damagedDocument(id()) }
        return bytes(column) ?? []
    }
}

extension StoreError {
    /// The error for a document whose stored body is damaged.
    static func damagedDocument(_ id: String) -> StoreError { .damage("the document \(id) is damaged") }
}
