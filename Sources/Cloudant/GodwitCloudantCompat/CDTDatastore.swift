//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import Godwit

/// A store of documents.
///
/// Origin: `CDTDatastore`. New: ``GodwitStore/Datastore``.
@available(*, deprecated, message: "Use Datastore.")
public final class CDTDatastore: @unchecked Sendable {
    // Proof of `Sendable`: only the initializer changes a member.

    /// The datastore of Godwit, which new code can use while old code uses this object.
    ///
    /// Origin: none. New: the datastore itself.
    public let store: Datastore

    private var posting: Task<Void, Never>?

    init(_ store: Datastore) {
        self.store = store
        posting = postChanges()
    }

    deinit { posting?.cancel() }

    /// The name.
    ///
    /// Origin: `name`. New: ``GodwitStore/Datastore/name``.
    public var name: String { store.name }

    /// The number of documents that are not deleted. Design documents are not counted, because Cloudant Sync did not
    /// store its indexes in design documents.
    ///
    /// Origin: `documentCount`. New: ``GodwitStore/Datastore/documentCount``.
    public var documentCount: Int { getAllDocumentIds().count }

    // MARK: Reading

    /// Reads the winning revision of a document.
    ///
    /// - Throws: ``CDTError`` with the code 404 if the document does not exist or is deleted.
    ///
    /// Origin: `getDocumentWithId:error:`. New: ``GodwitStore/Datastore/document(_:)``.
    @available(*, deprecated, message: "Use Datastore.document(_:).")
    public func getDocumentWithId(_ docId: String) throws -> CDTDocumentRevision {
        try CDTError.converting { CDTDocumentRevision(try store.document(docId), of: store) }
    }

    /// Reads a revision of a document; if `rev` is `nil`, the winning revision.
    ///
    /// - Throws: ``CDTError`` with the code 404 if the revision is unknown, or its body is not stored any more.
    ///
    /// Origin: `getDocumentWithId:rev:error:`. New: ``GodwitStore/Datastore/document(_:at:)``.
    @available(*, deprecated, message: "Use Datastore.document(_:at:).")
    public func getDocumentWithId(_ docId: String, rev: String?) throws -> CDTDocumentRevision {
        guard let rev else { return try getDocumentWithId(docId) }
        guard let revision = RevisionID(rev) else { throw CDTError(404, "\(rev) is no revision id.") }
        return try CDTError.converting { CDTDocumentRevision(try store.document(docId, at: revision), of: store) }
    }

    /// Reads all documents except design documents into memory. If they cannot be read, the list is empty.
    ///
    /// Origin: `getAllDocuments`. New: ``GodwitStore/Datastore/documents(in:limit:descending:)``, page by page.
    @available(*, deprecated, message: "Use Datastore.documents(in:limit:descending:).")
    public func getAllDocuments() -> [CDTDocumentRevision] { getDocumentsWithIds(getAllDocumentIds()) }

    /// Returns the ids of all documents except design documents, in ascending order. If they cannot be read, the list
    /// is empty.
    ///
    /// Origin: `getAllDocumentIds`. New: ``GodwitStore/Datastore/documentIDs(in:limit:descending:)``.
    @available(*, deprecated, message: "Use Datastore.documentIDs(in:limit:descending:).")
    public func getAllDocumentIds() -> [String] {
        ((try? store.documentIDs(in: IDRange(), limit: .max, descending: false)) ?? []).filter(CDTDatastore.isShown)
    }

    /// Reads a part of all documents, in the order of their ids.
    ///
    /// Origin: `getAllDocumentsOffset:limit:descending:`. New:
    /// ``GodwitStore/Datastore/documents(in:limit:descending:)``.
    @available(*, deprecated, message: "Use Datastore.documents(in:limit:descending:).")
    public func getAllDocumentsOffset(_ offset: Int, limit: Int, descending: Bool) -> [CDTDocumentRevision] {
        let ids = descending ? getAllDocumentIds().reversed() : getAllDocumentIds()
        return getDocumentsWithIds(Array(ids.dropFirst(max(0, offset)).prefix(max(0, limit))))
    }

    /// Reads several documents, in the order of the given ids. Documents that do not exist or are deleted are left out.
    /// If the datastore cannot be read, the list is empty.
    ///
    /// Origin: `getDocumentsWithIds:`. New: ``GodwitStore/Datastore/documents(_:)``.
    @available(*, deprecated, message: "Use Datastore.documents(_:).")
    public func getDocumentsWithIds(_ docIds: [String]) -> [CDTDocumentRevision] {
        ((try? store.documents(docIds)) ?? []).compactMap { $0.map { CDTDocumentRevision($0, of: store) } }
    }

    /// Returns a revision and its known ancestors, the youngest first. If the body of an ancestor is not stored any
    /// more, the returned body is empty. If the revision is unknown, the list is empty.
    ///
    /// Origin: `getRevisionHistory:`. New: ``GodwitStore/Datastore/history(of:from:)``.
    @available(*, deprecated, message: "Use Datastore.history(of:from:).")
    public func getRevisionHistory(_ revision: CDTDocumentRevision) -> [CDTDocumentRevision] {
        guard let id = revision.docId, let leaf = try? revision.revision(),
            let entries = try? store.history(of: id, from: leaf)
        else { return [] }
        return entries.map { entry in
            if entry.isAvailable, let document = try? store.document(id, at: entry.revision) {
                return CDTDocumentRevision(document, of: store)
            }
            let past = CDTDocumentRevision(docId: id, revisionId: entry.revision.description, body: [:])
            past.deleted = entry.isDeleted
            return past
        }
    }

    /// Whether an id belongs to a document of the app. Design documents do not belong to the app, because Godwit stores
    /// indexes in them.
    static func isShown(_ id: String) -> Bool { !id.utf8.starts(with: "_design/".utf8) }

    // MARK: Writing

    /// Saves a new document.
    ///
    /// - Throws: ``CDTError`` with the code 409 if a document with this id exists, 400 if a member is reserved, 493 if
    ///   JSON cannot represent a value.
    ///
    /// Origin: `createDocumentFromRevision:error:`. New: ``GodwitStore/Datastore/create(_:)``.
    @available(*, deprecated, message: "Use Datastore.create(_:).")
    @discardableResult
    public func createDocumentFromRevision(_ revision: CDTDocumentRevision) throws -> CDTDocumentRevision {
        let (store, document) = (store, try revision.document())
        return saved(try CDTError.waiting { try await store.create(document) })
    }

    /// Saves a new revision of a document.
    ///
    /// - Throws: ``CDTError`` with the code 409 if the document was changed or deleted in the meantime, 404 if it does
    ///   not exist, 400 if the revision was not read from a datastore or has a reserved member, 493 if JSON cannot
    ///   represent a value.
    ///
    /// Origin: `updateDocumentFromRevision:error:`. New: ``GodwitStore/Datastore/update(_:)``.
    @available(*, deprecated, message: "Use Datastore.update(_:).")
    @discardableResult
    public func updateDocumentFromRevision(_ revision: CDTDocumentRevision) throws -> CDTDocumentRevision {
        let (store, document, base) = (store, try revision.document(), try revision.revision())
        guard let id = revision.docId else { throw CDTError(400, "The revision has no document id.") }
        return saved(
            try CDTError.waiting {
                // The saved revision has exactly the attachments of the caller's revision.
                var current = try CDTDatastore.current(id, base, in: store)
                (current.body, current.attachments) = (document.body, document.attachments)
                return try await store.update(current)
            })
    }

    /// Deletes a document.
    ///
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``CDTError`` with the code 409 if the document was changed or deleted in the meantime, 404 if it does
    ///   not exist.
    ///
    /// Origin: `deleteDocumentFromRevision:error:`. New: ``GodwitStore/Datastore/delete(_:)-(Document)``.
    @available(*, deprecated, message: "Use Datastore.delete(_:).")
    @discardableResult
    public func deleteDocumentFromRevision(_ revision: CDTDocumentRevision) throws -> CDTDocumentRevision {
        let (store, base) = (store, try revision.revision())
        guard let id = revision.docId else { throw CDTError(400, "The revision has no document id.") }
        let deletion = try CDTError.waiting {
            try await store.delete(try CDTDatastore.current(id, base, in: store))
        }
        return CDTDatastore.tombstone(id, deletion)
    }

    /// Deletes a document with all its conflicting revisions.
    ///
    /// - Returns: The revisions that record the deletions.
    /// - Throws: ``CDTError`` with the code 404 if the document does not exist or is deleted.
    ///
    /// Origin: `deleteDocumentWithId:error:`. New: ``GodwitStore/Datastore/delete(_:)-(String)``.
    @available(*, deprecated, message: "Use Datastore.delete(_:).")
    @discardableResult
    public func deleteDocumentWithId(_ docId: String) throws -> [CDTDocumentRevision] {
        let store = store
        return try CDTError.waiting { try await store.delete(docId) }.map { CDTDatastore.tombstone(docId, $0) }
    }

    /// Removes unused attachments, and the bodies of those revisions that have a child. Godwit also removes them
    /// automatically after some time, but this call removes them at once.
    ///
    /// Origin: `compactWithError:`. New: ``GodwitStore/Datastore/compact()``.
    @available(*, deprecated, message: "Use Datastore.compact().")
    public func compact() throws {
        let store = store
        try CDTError.waiting { _ = try await store.compact() }
    }

    /// Returns the revision to change. If the given revision is no longer a leaf, throws the error for a conflict.
    private static func current(_ id: String, _ base: RevisionID, in store: Datastore) throws -> Document {
        guard try store.leaves(of: id).contains(base) else {
            throw CDTError(409, "The document \(id) was changed in between. Read it again.")
        }
        return try store.document(id, at: base)
    }

    private static func tombstone(_ id: String, _ revision: RevisionID) -> CDTDocumentRevision {
        let deleted = CDTDocumentRevision(docId: id, revisionId: revision.description, body: [:])
        deleted.deleted = true
        return deleted
    }

    private func saved(_ document: Document) -> CDTDocumentRevision { CDTDocumentRevision(document, of: store) }
}
