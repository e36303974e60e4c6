//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

extension Datastore {
    /// Saves a new document, or creates a deleted one again.
    ///
    /// - Parameter document: The document. If it has no id, the store assigns one.
    /// - Returns: The document with its id and revision.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/conflict`` if a document with this id exists.
    ///   - ``StoreError/Code/invalidDocumentID`` for an invalid id.
    ///   - ``StoreError/Code/invalidDocument`` for a member that begins with an underscore.
    ///   - ``StoreError/Code/invalidJSON`` for a number that is not finite.
    ///   - ``StoreError/Code/documentTooLarge`` if the body is longer than `bodyBytesMax`.
    ///   - ``StoreError/Code/accessRefused`` if a validation function rejects the document.
    ///   - ``StoreError/Code/validationFailed`` if a validation function fails.
    public func create(_ document: Document) async throws(StoreError) -> Document {
        try await save(document, id: document.id ?? DocumentID.random(), revision: nil)
    }

    /// Saves a new revision of a document.
    ///
    /// - Parameter document: The document with the revision that was read.
    /// - Returns: The document with its new revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if the document was changed in the meantime,
    ///   ``StoreError/Code/invalidDocument`` if it was never saved, and the other errors of ``create(_:)``.
    public func update(_ document: Document) async throws(StoreError) -> Document {
        let (id, revision) = try document.identity()
        return try await save(document, id: id, revision: revision)
    }

    /// The document is checked on the caller's thread, so that the writer has less work.
    private func save(
        _ document: Document, id: String, revision: RevisionID?
    ) async throws(StoreError) -> Document {
        let document = try await uploading(document)
        let edit = try document.edit(id: id, revision: revision, limits: limits)
        if let refusal = try await refusals(of: [edit])[0] { throw refusal }
        return try written(document, id: id, at: try await save(edit))
    }

    /// The saved document at its new revision.
    func written(_ document: Document, id: String, at revision: RevisionID) throws(StoreError) -> Document {
        guard document.attachments.isEmpty else { return try self.document(id, at: revision) }
        return Document(id: id, revision: revision, isDeleted: false, body: document.body, attachments: [:])
    }

    /// Deletes a revision. If the document has no other live leaf, this deletes the document. Otherwise, it deletes
    /// only this leaf of the conflict.
    ///
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if the document was changed in the meantime or
    ///   is already deleted, ``StoreError/Code/invalidDocument`` if it was never saved, and the errors of validation as
    ///   for ``create(_:)``.
    @discardableResult
    public func delete(_ document: Document) async throws(StoreError) -> RevisionID {
        try await delete(document, keeping: [:])
    }

    /// Deletes a revision as ``delete(_:)-(Document)`` does, and stores members in the tombstone, which is the revision
    /// that records the deletion.
    ///
    /// - Parameter members: The members of the tombstone. With them, the tombstone can match the selectors of feeds and
    ///   replications, so that these transfer the deletion. A tombstone without members does not match a selector that
    ///   requires a member.
    /// - Returns: The revision that records the deletion.
    @discardableResult
    public func delete(
        _ document: Document, keeping members: JSONObject
    ) async throws(StoreError) -> RevisionID {
        let (id, revision) = try document.identity()
        var deletion = IncomingDocument(id: id, revision: revision, isDeleted: true)
        if !members.isEmpty {
            deletion = try Document(id: id, body: members).edit(id: id, revision: revision, limits: limits)
            deletion.isDeleted = true
        }
        if let refusal = try await refusals(of: [deletion])[0] { throw refusal }
        return try await save(deletion)
    }

    /// Deletes a document with all its conflicts. Every live leaf is deleted, in one write.
    ///
    /// - Returns: The revisions that record the deletions, the winner's first.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document has no live leaf, and the
    ///   validation errors of ``create(_:)``. If an error is thrown, no leaf was deleted.
    @discardableResult
    public func delete(_ id: String) async throws(StoreError) -> [RevisionID] {
        try await saveTogether(id) { try $0.deletions(of: id) } ?? []
    }

    /// Reads a document's winning revision.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document never existed,
    ///   ``StoreError/Code/deleted`` if it was deleted.
    public func document(_ id: String) throws(StoreError) -> Document { try read { try $0.document(id) } }

    /// Reads one revision of a document.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the revision is unknown or its body is no
    ///   longer stored.
    public func document(_ id: String, at revision: RevisionID) throws(StoreError) -> Document {
        try readTogether { try $0.document(id, at: revision) }
    }

    /// Reads the winning revisions of several documents, in the order of the ids.
    ///
    /// - Returns: For each id its document; `nil` if the document is absent or deleted.
    public func documents(_ ids: [String]) throws(StoreError) -> [Document?] {
        try readTogether { table in try ids.map { try table.liveDocument($0) } }
    }

    /// A page of documents that are not deleted, in the order of their ids.
    ///
    /// The next page begins after the last id of this page: `IDRange(lower: last, lowerIsIncluded: false)`, or
    /// `IDRange(upper: last, upperIsIncluded: false)` if `descending` is `true`.
    ///
    /// - Parameters:
    ///   - range: The range of ids, in bytewise order.
    ///   - limit: The largest number of documents.
    ///   - descending: Whether to begin with the highest id.
    public func documents(
        in range: IDRange = IDRange(), limit: Int, descending: Bool = false
    ) throws(StoreError) -> [Document] {
        try readTogether { try $0.documents(in: range, limit: limit, descending: descending) }
    }

    /// A page of the ids of documents that are not deleted. This method does not read bodies.
    public func documentIDs(
        in range: IDRange = IDRange(), limit: Int, descending: Bool = false
    ) throws(StoreError) -> [String] {
        try read { table in
            try table.documents(
                in: range, descending: descending, detail: .leaves, rowsMax: limit, bytesMax: .max
            ).rows.map(\.id)
        }
    }

    /// All documents that are not deleted, in bytewise order of their ids. Loads all of them into memory.
    public func allDocuments() throws(StoreError) -> [Document] { try documents(limit: .max) }

    /// The history of a revision: the revision, then its known ancestors, the youngest first.
    ///
    /// - Parameters:
    ///   - id: The document's id.
    ///   - revision: The first revision of the history; the winner by default.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document or the revision is absent.
    public func history(of id: String, from revision: RevisionID? = nil) throws(StoreError) -> [HistoryEntry] {
        try readTogether { try $0.history(of: id, from: revision) }
    }
}

/// A revision in a document's history.
public struct HistoryEntry: Hashable, Sendable {
    /// The revision.
    public let revision: RevisionID
    /// Whether it is a deletion.
    public let isDeleted: Bool
    /// Whether the body of the revision is stored. A compaction removes the bodies of ancestors, and replication does
    /// not transfer these bodies.
    public let isAvailable: Bool
}

extension DocumentTable {
    /// The edits that delete all live leaves of a document, the winner first.
    func deletions(of id: String) throws -> [IncomingDocument] {
        let live = try row(id: id)?.leaves.filter { !$0.isDeleted } ?? []
        guard !live.isEmpty else { throw StoreError.missing(id: id) }
        return live.map { IncomingDocument(id: id, revision: $0.revision, isDeleted: true) }
    }

    func document(_ id: String) throws -> Document {
        guard let row = try row(id: id) else { throw StoreError.missing(id: id) }
        guard !row.winner.isDeleted else { throw StoreError.deleted(id: id) }
        return try Document(StoredRevision(winnerOf: row))
    }

    func liveDocument(_ id: String) throws -> Document? {
        guard let row = try row(id: id), !row.winner.isDeleted else { return nil }
        return try Document(StoredRevision(winnerOf: row))
    }

    func document(_ id: String, at revision: RevisionID) throws -> Document {
        guard let row = try row(id: id), let stored = try self.revision(revision, of: row) else {
            throw StoreError(.notFound, "\(id) has no revision \(revision), or the body of the revision was removed")
        }
        return try Document(stored)
    }

    func documents(in range: IDRange, limit: Int, descending: Bool) throws -> [Document] {
        let slice = try documents(
            in: range, descending: descending, detail: .bodies, rowsMax: limit, bytesMax: .max)
        return try slice.rows.map { try Document(StoredRevision(winnerOf: $0)) }
    }

    func history(of id: String, from revision: RevisionID?) throws -> [HistoryEntry] {
        guard let row = try row(id: id) else { throw StoreError.missing(id: id) }
        let tree = try fullTree(of: row)
        var nextIndex = tree.index(of: revision ?? row.winner.revision)
        guard nextIndex != nil else { throw StoreError(.notFound, "\(id) has no revision \(revision!)") }
        var history: [HistoryEntry] = []
        while let index = nextIndex {
            let node = tree.nodes[index]
            history.append(
                HistoryEntry(
                    revision: node.revision, isDeleted: node.isDeleted,
                    isAvailable: try body(of: node, in: row) != nil))
            nextIndex = node.parent
        }
        return history
    }
}

extension StoreError {
    /// Returns the error for a document that does not exist, with code ``StoreError/Code/notFound``.
    package static func missing(id: String) -> StoreError { StoreError(.notFound, "the document \(id) does not exist") }

    /// Returns the error for a document that is deleted, with code ``StoreError/Code/deleted``.
    package static func deleted(id: String) -> StoreError {
        StoreError(.deleted, "the document \(id) is deleted. Creating it again continues its history.")
    }
}
