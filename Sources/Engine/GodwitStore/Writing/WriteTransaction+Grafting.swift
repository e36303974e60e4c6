//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension WriteTransaction {
    /// Adds a revision of another database, with its history (`new_edits: false`).
    ///
    /// - Returns: Whether the revision is new here. The result is `false` if the revision is known, or if it expired
    ///   here and is therefore ignored.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/missingStub`` if a stub refers to bytes that are not stored
    ///   here.
    @discardableResult
    package func graft(_ document: IncomingDocument) throws -> Bool {
        guard let id = document.id else { throw StoreError(.invalidDocumentID, "Document id must not be empty") }
        guard let revision = document.revision else {
            throw StoreError(.invalidRevision, "a replicated document must have _rev or _revisions")
        }
        try checkIsOpen()
        guard try !isExpired(revision, of: id) else { return false }
        let path = document.path.isEmpty ? [revision] : document.path
        guard let row = try documents.row(id: id) else {
            try graftNew(document, id: id, path: path)
            return true
        }
        var tree = try row.tree()
        var outcome = tree.graft(path, isDeleted: document.isDeleted)
        let readsOlder = outcome == .needsOlder
        if readsOlder {
            tree = try documents.fullTree(of: row)
            outcome = tree.graft(path, isDeleted: document.isDeleted)
            invariant(outcome != .needsOlder, "a complete tree has no older ancestry")
        }
        let isLate = try !readsOlder && outcome != .added && keepLateBody(document, of: row, path: path, in: &tree)
        guard outcome != .known || isLate else { return false }
        if readsOlder {
            invariant(tree.olderCount == 0, "segments are removed when the tree has their revisions")
            try documents.removeSegments(number: row.number)
        }
        guard outcome == .added else {
            try addRevision(nil, into: row, tree: tree)
            return false
        }
        let ancestorAttachments = try attachmentsOfAncestors(path, row: row, tree: tree)
        let attachments = try store(
            document.attachments ?? [], parent: ancestorAttachments, generation: revision.generation,
            isReplicated: true, id: id)
        try addRevision(
            Addition(revision: revision, attachments: attachments, body: document.body), into: row, tree: tree)
        return true
    }

    /// Stores the body of a known ancestor whose body is not stored, until the next compaction. Another database may
    /// send the revisions of a history in any order.
    ///
    /// - Returns: Whether the body was stored. It is not stored if its attachments cannot be: the revision is known
    ///   anyway.
    private func keepLateBody(
        _ document: IncomingDocument, of row: DocumentRow, path: [RevisionID], in tree: inout RevisionTree
    ) throws -> Bool {
        guard !row.hasLeaf(path[0]), let index = tree.index(of: path[0]),
            try documents.body(of: tree.nodes[index], in: row) == nil
        else { return false }
        var attachments: [AttachmentRecord] = []
        let ancestors = try attachmentsOfAncestors(path, row: row, tree: tree)
        do {
            try nested {
                attachments = try store(
                    document.attachments ?? [], parent: ancestors, generation: path[0].generation, isReplicated: true,
                    id: row.id)
            }
        } catch let error as StoreError
            where [.missingStub, .notFound, .invalidDocument, .invalidRequest].contains(error.code)
        {
            return false
        }
        tree.nodes[index].isDeleted = document.isDeleted
        try supersede(Addition(revision: path[0], attachments: attachments, body: document.body), &tree)
        invariant(tree.nodes[index].position > 0, "a tree has the key of each superseded body")
        return true
    }

    private func graftNew(_ document: IncomingDocument, id: String, path: [RevisionID]) throws {
        var tree = RevisionTree()
        let outcome = tree.graft(path, isDeleted: document.isDeleted)
        invariant(
            outcome == .added && tree.nodes.count == path.count, "a new document has the revisions of its path")
        let attachments = try store(
            document.attachments ?? [], parent: [], generation: path[0].generation, isReplicated: true, id: id)
        try insertDocument(
            id: id, winner: .init(revision: path[0], isDeleted: document.isDeleted), attachments: attachments,
            body: document.body, tree: tree)
    }

    /// The attachments of the youngest ancestor whose body is stored; empty if there is none.
    private func attachmentsOfAncestors(
        _ path: [RevisionID], row: DocumentRow, tree: RevisionTree
    ) throws -> [AttachmentRecord] {
        for ancestor in path.dropFirst() {
            guard let index = tree.index(of: ancestor) else { continue }
            if let body = try documents.body(of: tree.nodes[index], in: row) { return body.attachments }
        }
        return []
    }
}
