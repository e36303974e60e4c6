//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

/// A transaction that reads and writes a database. Either all its changes are stored, or none of them.
///
/// ``Datastore/write(_:)`` passes a transaction to its closure, on the writer's thread. Do not use it after the closure
/// has returned. An edit after the end of the commit throws ``StoreError/Code/closed``. An edit between the end of the
/// closure and the end of the commit is not detected.
///
/// ```swift
/// try await trips.write { transaction in
///     var trip = try transaction.document("a")
///     trip.body["km"] = 43
///     trip = try transaction.update(trip)
///     try transaction.delete("b")
/// }
/// ```
public final class WriteTransaction {
    let group: GroupTransaction
    let scope: Scope
    /// The origin of the changes, for listeners.
    let source: ChangeSource
    /// The rules that validate the edits of a caller's closure; `nil` for no validation.
    private let rules: (any WriteRules)?
    /// The documents as this transaction sees them, including its own changes.
    package let documents: DocumentTable
    let blobs: BlobTable

    init(_ group: GroupTransaction, scope: Scope, source: ChangeSource, rules: (any WriteRules)? = nil) {
        self.group = group
        self.scope = scope
        self.source = source
        self.rules = rules
        documents = DocumentTable(group.connection, scope: scope)
        blobs = BlobTable(connection: group.connection)
    }

    /// The limits that the database applies.
    package var limits: StoreLimits { group.limits }

    var connection: SQLiteConnection { group.connection }

    /// Runs a part of the write. If it throws, the changes of the part are rolled back.
    func nested(_ part: () throws -> Void) throws { try group.nested(part) }

    /// Validates an edit and applies it.
    func applyChecked(_ edit: IncomingDocument) throws -> RevisionID {
        try checkIsOpen()
        if let refusal = try rules?.refusal(of: edit, in: documents) { throw refusal }
        return try apply(edit)
    }

    /// Throws ``StoreError/Code/closed`` if the commit has ended.
    func checkIsOpen() throws(StoreError) {
        guard !group.isOver else {
            throw StoreError(.closed, "the write transaction has ended. Use it only within its closure.")
        }
    }
}

// MARK: Edits

extension WriteTransaction {
    /// Applies an edit: it becomes a new revision (`new_edits: true`).
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
    ///   - ``StoreError/Code/invalidDocument`` if the edit is a design document that defines too many indexes.
    package func apply(_ document: IncomingDocument) throws -> RevisionID {
        try checkIsOpen()
        guard let id = document.id else { throw StoreError(.invalidDocumentID, "Document id must not be empty") }
        let revision = try add(document, id: id)
        let storedID = scope.stored(id)
        if DocumentID.isDesign(storedID) {
            try group.countIndexes(ofDesign: storedID, body: document.isDeleted ? nil : document.body)
        }
        return revision
    }

    private func add(_ document: IncomingDocument, id: String) throws -> RevisionID {
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
        invariant(revision.generation == 1, "a new document begins with generation 1")
        let isNew = try insertDocument(
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
        invariant(revision.generation == parent.generation + 1, "an edit is one generation younger than its parent")
        invariant(row.hasLeaf(parent), "the parent of an edit is a leaf in its document's row")
        guard tree.index(of: revision) == nil else { throw StoreError.conflict(id: row.id) }
        tree.append(revision, parent: parentIndex, isDeleted: document.isDeleted)
        try addRevision(
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
