//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Datastore {
    /// Saves a new document.
    ///
    /// - Parameter document: The document; without an id it gets one.
    /// - Returns: The document with its id and revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when the id is taken,
    ///   ``StoreError/Code/invalidDocument`` for a member that begins with an underscore,
    ///   ``StoreError/Code/invalidJSON`` for a number that is not finite,
    ///   ``StoreError/Code/documentTooLarge`` above `bodyBytesMax`.
    public func create(_ document: Document) async throws(StoreError) -> Document {
        try await save(document, id: document.id ?? DocumentID.random(), revision: nil, isDeleted: false)
    }

    /// Saves a new revision of a document.
    ///
    /// - Parameter document: The document with the revision that it was read at.
    /// - Returns: The document with its new revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first.
    public func update(_ document: Document) async throws(StoreError) -> Document {
        let (id, revision) = try document.identity()
        return try await save(document, id: id, revision: revision, isDeleted: false)
    }

    /// Deletes a revision: the document, or one side of a conflict.
    ///
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first.
    @discardableResult
    public func delete(_ document: Document) async throws(StoreError) -> RevisionID {
        let (id, revision) = try document.identity()
        let tombstone = IncomingDocument(id: id, revision: revision, isDeleted: true)
        return try await write { try $0.save(tombstone) }
    }

    /// Reads a document's winning revision.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there never was one,
    ///   ``StoreError/Code/deleted`` when it was deleted.
    public func document(_ id: String) throws(StoreError) -> Document {
        guard let row = try read({ try $0.row(id: id) }) else {
            throw StoreError(.notFound, "there is no document \(id) in \(name)")
        }
        guard !row.winner.isDeleted else { throw StoreError(.deleted, "the document \(id) in \(name) is deleted") }
        return try Document(StoredRevision(winnerOf: row))
    }

    /// Reads one revision of a document.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when the revision is unknown or its body is not
    ///   kept here.
    public func document(_ id: String, at revision: RevisionID) throws(StoreError) -> Document {
        let found = try snapshot { table in try table.row(id: id).flatMap { try table.revision(revision, of: $0) } }
        guard let found else {
            throw StoreError(.notFound, "there is no revision \(revision) of \(id) in \(name)")
        }
        return try Document(found)
    }

    /// The live leaves of a document, the winner first: more than one is a conflict.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there never was such a document.
    public func leaves(of id: String) throws(StoreError) -> [RevisionID] {
        guard let row = try read({ try $0.row(id: id) }) else {
            throw StoreError(.notFound, "there is no document \(id) in \(name)")
        }
        return row.leaves.lazy.filter { !$0.isDeleted }.map(\.revision)
    }

    /// Ends a conflict in one transaction: saves what is to stay over the winner, and deletes every other live leaf.
    ///
    /// - Parameter document: What is to stay, with the winner's revision.
    /// - Returns: The document with its new revision, now the only leaf that is not deleted.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when the winner changed meanwhile.
    public func resolve(_ document: Document) async throws(StoreError) -> Document {
        let (id, revision) = try document.identity()
        let edit = try incoming(document, id: id, revision: revision, isDeleted: false)
        let saved = try await write { transaction in
            guard let row = try transaction.documents.row(id: id), row.winner.revision == revision else {
                throw StoreError.conflict(id: id)
            }
            let saved = try transaction.save(edit)
            for loser in row.conflicts {
                _ = try transaction.save(IncomingDocument(id: id, revision: loser, isDeleted: true))
            }
            return saved
        }
        return try self.document(id, at: saved)
    }

    private func save(
        _ document: Document, id: String, revision: RevisionID?, isDeleted: Bool
    ) async throws(StoreError) -> Document {
        let edit = try incoming(document, id: id, revision: revision, isDeleted: isDeleted)
        let saved = try await write { try $0.save(edit) }
        return try self.document(id, at: saved)
    }

    private func incoming(
        _ document: Document, id: String, revision: RevisionID?, isDeleted: Bool
    ) throws(StoreError) -> IncomingDocument {
        guard !document.body.keys.contains(where: { $0.utf8.first == UInt8(ascii: "_") }) else {
            throw StoreError(.invalidDocument, "a body holds no member that begins with an underscore")
        }
        let value = JSONValue.object(document.body)
        guard value.isFinite else { throw StoreError(.invalidJSON, "JSON has no word for a number that is not finite") }
        let text = value.jsonBytes()
        var edit = try IncomingDocument(parsing: text, purpose: .edit, limits: limits)
        try DocumentID.check(id, limits: limits)
        edit.id = id
        edit.revision = revision
        edit.isDeleted = isDeleted
        edit.attachments = document.attachments.map { name, attachment in
            switch attachment.content {
            case .bytes(let bytes): .inline(name: name, contentType: attachment.contentType, bytes: bytes)
            case .stored: .stub(name: name)
            }
        }
        return edit
    }
}

extension JSONValue {
    /// Whether every number within it is finite; JSON would say `null` of another.
    fileprivate var isFinite: Bool {
        var waiting = [self]
        while let value = waiting.popLast() {
            switch value {
            case .double(let double): if !double.isFinite { return false }
            case .array(let elements): waiting += elements
            case .object(let members): waiting += members.values
            default: break
            }
        }
        return true
    }
}

extension Document {
    fileprivate func identity() throws(StoreError) -> (id: String, revision: RevisionID) {
        guard let id, let revision else {
            throw StoreError(.invalidDocument, "the document was never saved: create it first")
        }
        return (id, revision)
    }
}

extension Datastore {
    /// All documents that are not deleted, in bytewise order of their ids. They are all in memory at once.
    ///
    /// - Throws: ``StoreError``.
    public func allDocuments() throws(StoreError) -> [Document] {
        var documents: [Document] = []
        var range = IDRange()
        while true {
            let slice = try read { table in
                try table.documents(
                    in: range, descending: false, detail: .bodies, rowsMax: limits.sliceRowsMax,
                    bytesMax: limits.sliceBytesMax)
            }
            for row in slice.rows { documents.append(try Document(StoredRevision(winnerOf: row))) }
            guard slice.hasMore, let last = slice.rows.last else { return documents }
            range.goOn(after: last.id, descending: false)
        }
    }
}
