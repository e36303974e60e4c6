//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitSQLite

/// Reads a document's winner, the leaf that CouchDB's rule selects as its current revision. The columns of the
/// statement are `id`, `winner` (the revision), `attachments` and `body`. The current row of the statement is a
/// document that is not deleted.
extension StoredRevision {
    fileprivate init(_ statement: SQLiteStatement, scope: Scope) throws {
        let revision = try statement.decode(1) { bytes throws(StoreError) in try RevisionID(decoding: bytes) }
        let id = scope.visible(statement.string(0))
        self.init(
            id: id, leaf: .init(revision: revision, isDeleted: false), attachments: try statement.attachments(2),
            body: try statement.body(3, of: id))
    }
}

extension SQLiteStatement {
    /// The revision of a winner; `nil` if the winner has attachments, or if its revision is not stored in the usual
    /// form. The usual form is a generation below 128 and a hash of 128 bits.
    fileprivate var plainWinner: RevisionID? {
        isNull(2) ? withBytes(1) { RevisionID(usual: $0) } : nil
    }
}

extension DocumentText {
    /// Appends a winner, usually without creating a `StoredRevision`.
    ///
    /// - Returns: The size of its body, in bytes.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/corrupt`` if the body is not valid UTF-8, or if the
    ///   revision or the attachments cannot be decoded.
    package mutating func append(winnerOf statement: SQLiteStatement, scope: Scope) throws -> Int {
        guard let revision = statement.plainWinner else {
            let stored = try StoredRevision(statement, scope: scope)
            DocumentRenderer().append(stored, to: &self)
            return stored.body.count
        }
        bytes.append(literal: "{\"_id\":")
        statement.withBytes(0) { id in
            let visible = UnsafeRawBufferPointer(rebasing: id.dropFirst(scope.prefix.utf8.count))
            JSONWriter.appendQuoted(utf8: visible, to: &bytes)
        }
        bytes.append(literal: ",\"_rev\":\"")
        bytes.append(revision)
        return try statement.withBytes(3) { body throws(StoreError) in
            guard body.isUTF8 else { throw .damagedDocument(scope.visible(statement.string(0))) }
            bytes.append(literal: body.count > 2 ? "\"," : "\"}")
            if body.count > 2 { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: body[1...])) }
            return body.count
        }
    }
}

extension Document {
    /// A winner, and the size of its body in bytes.
    package static func winner(
        of statement: SQLiteStatement, scope: Scope
    ) throws -> (document: Document, bytes: Int) {
        guard let revision = statement.plainWinner else {
            let stored = try StoredRevision(statement, scope: scope)
            return (try Document(stored), stored.body.count)
        }
        let body = statement.bytes(3) ?? []
        let id = scope.visible(statement.string(0))
        let members = try Document.members(of: body, id: id)
        return (Document(id: id, revision: revision, isDeleted: false, body: members, attachments: [:]), body.count)
    }
}
