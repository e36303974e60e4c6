//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Datastore {
    /// Saves a new document, or makes a deleted one again.
    ///
    /// - Parameter document: The document; without an id it gets one.
    /// - Returns: The document with its id and revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when the id is taken,
    ///   ``StoreError/Code/invalidDocument`` for a member that begins with an underscore,
    ///   ``StoreError/Code/invalidJSON`` for a number that is not finite,
    ///   ``StoreError/Code/documentTooLarge`` above `bodyBytesMax`, ``StoreError/Code/accessRefused`` when a validation
    ///   refuses it, ``StoreError/Code/validationFailed`` when one gives no answer.
    public func create(_ document: Document) async throws(StoreError) -> Document {
        try await save(document, id: document.id ?? DocumentID.random(), revision: nil)
    }

    /// Saves a new revision of a document.
    ///
    /// - Parameter document: The document with the revision that it was read at.
    /// - Returns: The document with its new revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first, and for a validation
    ///   as ``create(_:)`` does.
    public func update(_ document: Document) async throws(StoreError) -> Document {
        let (id, revision) = try document.identity()
        return try await save(document, id: id, revision: revision)
    }

    /// Saves an edit that was checked, also against the rules of the database.
    package func save(_ edit: IncomingDocument) async throws(StoreError) -> RevisionID {
        var edit = edit
        edit.prepare()
        let prepared = edit
        return try await transact { try $0.save(prepared) }
    }

    /// Checks the document on the caller's thread, so that the writer's only writes.
    private func save(
        _ document: Document, id: String, revision: RevisionID?
    ) async throws(StoreError) -> Document {
        let document = try await uploading(document)
        let edit = try document.edit(id: id, revision: revision, limits: limits)
        if let refusal = try await refusals(of: [edit])[0] { throw refusal }
        return try written(document, id: id, at: try await save(edit))
    }

    /// A document as it was written at a revision.
    func written(_ document: Document, id: String, at revision: RevisionID) throws(StoreError) -> Document {
        guard document.attachments.isEmpty else { return try self.document(id, at: revision) }
        return Document(id: id, revision: revision, isDeleted: false, body: document.body, attachments: [:])
    }

    /// Deletes a revision: the document, or one side of a conflict.
    ///
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first, and for a validation
    ///   as ``create(_:)`` does.
    @discardableResult
    public func delete(_ document: Document) async throws(StoreError) -> RevisionID {
        let (id, revision) = try document.identity()
        let deletion = IncomingDocument(id: id, revision: revision, isDeleted: true)
        if let refusal = try await refusals(of: [deletion])[0] { throw refusal }
        return try await save(deletion)
    }

    /// Deletes a document with all its conflicts: every live leaf gets a deletion, in one write.
    ///
    /// - Returns: The revisions that record the deletions, that of the winner first.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there is no live leaf, and for a validation as
    ///   ``create(_:)`` does: all leaves stay then.
    @discardableResult
    public func delete(_ id: String) async throws(StoreError) -> [RevisionID] {
        try await saveTogether(id) { try $0.deletions(of: id) } ?? []
    }

    /// Reads a document's winning revision.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there never was one,
    ///   ``StoreError/Code/deleted`` when it was deleted.
    public func document(_ id: String) throws(StoreError) -> Document { try read { try $0.document(id) } }

    /// Reads one revision of a document.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when the revision is unknown or its body is not
    ///   kept here.
    public func document(_ id: String, at revision: RevisionID) throws(StoreError) -> Document {
        try readTogether { try $0.document(id, at: revision) }
    }

    /// Reads the winning revisions of some documents, in the order of the ids.
    ///
    /// - Returns: For each id its document; `nil` when there is none or it is deleted.
    public func documents(_ ids: [String]) throws(StoreError) -> [Document?] {
        try readTogether { table in try ids.map { try table.liveDocument($0) } }
    }

    /// A page of documents that are not deleted, by their ids.
    ///
    /// The next page begins after the last id of this one: `IDRange(lower: last, lowerIsIncluded: false)`.
    ///
    /// - Parameters:
    ///   - range: The ids wanted, in bytewise order.
    ///   - limit: At most so many.
    ///   - descending: From the highest id down.
    public func documents(
        in range: IDRange = IDRange(), limit: Int, descending: Bool = false
    ) throws(StoreError) -> [Document] {
        try readTogether { try $0.documents(in: range, limit: limit, descending: descending) }
    }

    /// A page of the ids of documents that are not deleted. No body is read.
    public func documentIDs(
        in range: IDRange = IDRange(), limit: Int, descending: Bool = false
    ) throws(StoreError) -> [String] {
        try read { table in
            try table.documents(
                in: range, descending: descending, detail: .leaves, rowsMax: limit, bytesMax: .max
            ).rows.map(\.id)
        }
    }

    /// All documents that are not deleted, in bytewise order of their ids. They are all in memory at once.
    public func allDocuments() throws(StoreError) -> [Document] { try documents(limit: .max) }

    /// The history of a revision, itself first, as far as it is kept.
    ///
    /// - Parameters:
    ///   - id: The document.
    ///   - revision: The revision to begin with; the winner by default.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there is no such revision.
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
    /// Whether its body is still here: that of an ancestor goes with the next compaction, and replication brings none.
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
        guard let row = try row(id: id), let found = try self.revision(revision, of: row) else {
            throw StoreError(.notFound, "there is no revision \(revision) of \(id), or its body is no longer kept")
        }
        return try Document(found)
    }

    func documents(in range: IDRange, limit: Int, descending: Bool) throws -> [Document] {
        let slice = try documents(
            in: range, descending: descending, detail: .bodies, rowsMax: limit, bytesMax: .max)
        return try slice.rows.map { try Document(StoredRevision(winnerOf: $0)) }
    }

    func history(of id: String, from revision: RevisionID?) throws -> [HistoryEntry] {
        guard let row = try row(id: id) else { throw StoreError.missing(id: id) }
        let tree = try fullTree(of: row)
        var next = tree.index(of: revision ?? row.winner.revision)
        guard next != nil else { throw StoreError(.notFound, "there is no revision \(revision!) of \(id)") }
        var history: [HistoryEntry] = []
        while let place = next {
            let node = tree.nodes[place]
            history.append(
                HistoryEntry(
                    revision: node.revision, isDeleted: node.isDeleted,
                    isAvailable: try body(of: node, in: row) != nil))
            next = node.parent
        }
        return history
    }
}

extension StoreError {
    package static func missing(id: String) -> StoreError { StoreError(.notFound, "there is no document \(id)") }

    package static func deleted(id: String) -> StoreError {
        StoreError(.deleted, "the document \(id) is deleted. Creating it again continues its history.")
    }
}
