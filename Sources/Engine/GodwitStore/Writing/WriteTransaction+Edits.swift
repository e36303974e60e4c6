//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension WriteTransaction {
    /// Saves an edit as a new revision (`new_edits: true`).
    ///
    /// - Parameter document: The edit, with an id. Its `revision` is the leaf that it changes. The revision is `nil`
    ///   for a new document, and to create a deleted document again.
    /// - Returns: The new revision.
    /// - Throws: ``StoreError``, with the errors of storing the attachments and these codes:
    ///   - ``StoreError/Code/conflict`` if the given revision is not a leaf.
    ///   - ``StoreError/Code/conflict`` if no revision is given and the document exists.
    ///   - ``StoreError/Code/conflict`` if a deleted document is deleted again.
    ///   - ``StoreError/Code/conflict`` if the new revision exists already.
    ///   - ``StoreError/Code/invalidRevision`` if the given revision has the highest generation.
    ///   - ``StoreError/Code/invalidDocumentID`` if the edit has no id.
    package func save(_ document: IncomingDocument) throws -> RevisionID {
        try checkIsOpen()
        guard let id = document.id else { throw StoreError(.invalidDocumentID, "Document id must not be empty") }
        // Most edits without a revision are new documents, so the document is inserted without first checking whether
        // it exists. If a document with the id exists, the insertion itself detects this.
        if document.revision == nil, document.attachments?.isEmpty != false,
            let newRevision = try create(document, id: id)
        {
            return newRevision
        }
        if let row = try documents.row(id: id) { return try update(row, with: document) }
        guard document.revision == nil, let newRevision = try create(document, id: id) else {
            throw StoreError.conflict(id: id)
        }
        return newRevision
    }

    /// Inserts a new document and returns its revision. Returns `nil` if a document with this id exists.
    private func create(_ document: IncomingDocument, id: String) throws -> RevisionID? {
        let attachments = try store(document.attachments ?? [], parent: [], generation: 1, id: id)
        let revision = document.derived(parent: nil, attachments: attachments)
        let isNew = try insert(
            id: id, winner: .init(revision: revision, isDeleted: document.isDeleted), attachments: attachments,
            body: document.body, tree: nil)
        return isNew ? revision : nil
    }

    private func update(_ row: DocumentRow, with document: IncomingDocument) throws -> RevisionID {
        // As in CouchDB, a deleted document is not deleted again.
        guard row.winner.isDeleted ? !document.isDeleted : document.revision != nil else {
            throw StoreError.conflict(id: row.id)
        }
        var tree = try row.tree()
        // If the winner is a deletion, an edit without a revision becomes its child. In this way, the document is
        // created again.
        guard let parent = document.revision ?? (row.winner.isDeleted ? row.winner.revision : nil),
            let parentIndex = tree.index(of: parent), tree.isLeaf(parentIndex)
        else { throw StoreError.conflict(id: row.id) }
        guard parent.generation < RevisionID.generationMax else {
            throw StoreError(.invalidRevision, "\(row.id) has reached the highest generation of revisions. Purge it.")
        }
        let parentAttachments = try attachments(of: row, revision: parent)
        let attachments = try store(
            document.attachments ?? [], parent: parentAttachments, generation: parent.generation + 1, id: row.id)
        let revision = document.derived(parent: parent, attachments: attachments)
        guard tree.index(of: revision) == nil else { throw StoreError.conflict(id: row.id) }
        tree.append(revision, parent: parentIndex, isDeleted: document.isDeleted)
        try put(
            Addition(revision: revision, attachments: attachments, body: document.body), into: row, tree: tree)
        return revision
    }
}

extension StoreError {
    /// Returns the error for an edit that does not match the current state of the document, with code
    /// ``StoreError/Code/conflict``.
    package static func conflict(id: String) -> StoreError {
        StoreError(.conflict, "Document update conflict. Read \(id) again and repeat the change on its new revision.")
    }
}
