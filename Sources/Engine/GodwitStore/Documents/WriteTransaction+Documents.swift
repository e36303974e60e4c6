//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension WriteTransaction {
    /// Saves a new document, or creates a deleted one again. See ``Datastore/create(_:)``.
    ///
    /// An attachment from a file or a stream must be uploaded first: see ``Datastore/upload(_:)``.
    public func create(_ document: Document) throws -> Document {
        let id = document.id ?? DocumentID.random()
        let edit = try document.edit(id: id, revision: nil, limits: limits)
        return try saved(document, id: id, try applyChecked(edit))
    }

    /// Saves a new revision of a document. See ``Datastore/update(_:)``.
    public func update(_ document: Document) throws -> Document {
        let (id, revision) = try document.identity()
        let edit = try document.edit(id: id, revision: revision, limits: limits)
        return try saved(document, id: id, try applyChecked(edit))
    }

    /// Deletes a revision. If the document has no other live leaf, this deletes the document. Otherwise, it deletes
    /// only this leaf of the conflict. See ``Datastore/delete(_:)``.
    @discardableResult
    public func delete(_ document: Document) throws -> RevisionID {
        let (id, revision) = try document.identity()
        return try applyChecked(IncomingDocument(id: id, revision: revision, isDeleted: true))
    }

    /// Deletes a document with all its conflicts.
    @discardableResult
    public func delete(_ id: String) throws -> [RevisionID] {
        try checkIsOpen()
        return try documents.deletions(of: id).map { try applyChecked($0) }
    }

    /// Reads a document's winning revision, including the changes of this transaction.
    public func document(_ id: String) throws -> Document {
        try checkIsOpen()
        return try documents.document(id)
    }

    /// Reads one revision of a document, including the changes of this transaction.
    public func document(_ id: String, at revision: RevisionID) throws -> Document {
        try checkIsOpen()
        return try documents.document(id, at: revision)
    }

    private func saved(_ document: Document, id: String, _ revision: RevisionID) throws -> Document {
        guard document.attachments.isEmpty else { return try documents.document(id, at: revision) }
        return Document(id: id, revision: revision, isDeleted: false, body: document.body, attachments: [:])
    }
}

extension Document {
    /// Returns the document as an edit of a revision, after the same checks as for a document from a client.
    func edit(id: String, revision: RevisionID?, limits: StoreLimits) throws(StoreError) -> IncomingDocument {
        var edit = try IncomingDocument(
            parsing: try checkedText(id: id, limits: limits), purpose: .edit, limits: limits)
        edit.id = id
        edit.revision = revision
        edit.attachments = try attachments.map { name, attachment throws(StoreError) in
            try AttachmentName.check(name)
            return try attachment.incoming(name: name)
        }
        return edit
    }

    /// Checks the body and the id, and returns the body's text.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDocument``, ``StoreError/Code/invalidJSON`` or
    ///   ``StoreError/Code/invalidDocumentID``.
    package func checkedText(id: String, limits: StoreLimits) throws(StoreError) -> [UInt8] {
        guard !body.keys.contains(where: { $0.utf8.first == UInt8(ascii: "_") }) else {
            throw StoreError(.invalidDocument, "a body must not contain a member that begins with an underscore")
        }
        let value = JSONValue.object(body)
        guard value.isFinite else {
            throw StoreError(.invalidJSON, "JSON cannot represent a number that is not finite")
        }
        try DocumentID.check(id, limits: limits)
        return value.jsonBytes()
    }

    /// The id and the revision of a saved document.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidDocument`` if the document was never saved.
    package func identity() throws(StoreError) -> (id: String, revision: RevisionID) {
        guard let id, let revision else {
            throw StoreError(.invalidDocument, "the document has not been saved: create it first")
        }
        return (id, revision)
    }
}

extension JSONValue {
    /// Whether every number in the value is finite. JSON has no form for other numbers.
    fileprivate var isFinite: Bool {
        var pendingValues = [self]
        while let value = pendingValues.popLast() {
            switch value {
            case .double(let double): if !double.isFinite { return false }
            case .array(let elements): pendingValues += elements
            case .object(let members): pendingValues += members.values
            default: break
            }
        }
        return true
    }
}
