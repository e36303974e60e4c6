//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A store of documents: on this device (``Datastore``) or on a server (`CouchDatabase`). Both have the same types,
/// semantics and errors.
///
/// ```swift
/// func rename(_ id: String, to title: String, in trips: some DocumentStore) async throws {
///     var trip = try await trips.document(id)
///     trip.body["title"] = .string(title)
///     _ = try await trips.update(trip)
/// }
/// ```
///
/// Operations that a server cannot guarantee are not part of this protocol: transactions over several documents,
/// snapshots, private documents, purges. If a value has the concrete type `Datastore`, its reads need no `await`.
///
/// In addition to the errors of each method, a write throws ``StoreError/Code/accessRefused`` if a validation function
/// of the database rejects the document. A call on a server may also throw ``StoreError/Code/unreachable``,
/// ``StoreError/Code/accessRefused``, ``StoreError/Code/databaseNotFound``, ``StoreError/Code/overloaded``,
/// ``StoreError/Code/serverFailed``, ``StoreError/Code/badAnswer``, ``StoreError/Code/cancelled``. After the error
/// `unreachable`, the caller cannot know whether a write was done and must read the document again.
public protocol DocumentStore: Sendable {
    /// The type of the asynchronous sequence that ``changes(since:limit:live:withDocuments:where:)`` returns.
    associatedtype Changes: AsyncSequence<Change, any Error> & Sendable

    /// The counters and sizes of the database.
    func info() async throws(StoreError) -> DatabaseInfo

    /// The number of documents that are not deleted.
    var documentCount: Int { get async throws(StoreError) }

    // MARK: Reading

    /// Reads a document's winning revision.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document never existed,
    ///   ``StoreError/Code/deleted`` if it was deleted.
    func document(_ id: String) async throws(StoreError) -> Document

    /// Reads one revision of a document.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the revision is unknown or its body is no
    ///   longer stored.
    func document(_ id: String, at revision: RevisionID) async throws(StoreError) -> Document

    /// Reads a document's winning revision as a Swift value.
    ///
    /// - Throws: The errors of ``document(_:)``, and ``StoreError`` with code ``StoreError/Code/wrongDataType`` if the
    ///   document has another type, ``StoreError/Code/undecodable`` if a member is missing or has the wrong type.
    func object<Value: DocumentObject>(
        _ id: String, as type: Value.Type
    ) async throws(StoreError) -> TypedDocument<Value>

    /// Reads the winning revisions of several documents, in the order of the ids.
    ///
    /// - Returns: For each id its document; `nil` if the document is absent or deleted.
    func documents(_ ids: [String]) async throws(StoreError) -> [Document?]

    /// A page of documents that are not deleted, in the order of their ids.
    ///
    /// The next page begins after the last id of this page: `IDRange(lower: last, lowerIsIncluded: false)`, or
    /// `IDRange(upper: last, upperIsIncluded: false)` if `descending` is `true`.
    ///
    /// - Parameters:
    ///   - range: The range of ids, in bytewise order.
    ///   - limit: The largest number of documents.
    ///   - descending: Whether to begin with the highest id.
    func documents(in range: IDRange, limit: Int, descending: Bool) async throws(StoreError) -> [Document]

    /// A page of the ids of documents that are not deleted.
    func documentIDs(in range: IDRange, limit: Int, descending: Bool) async throws(StoreError) -> [String]

    /// The live leaves of a document, the winner first; empty if the document is deleted. If there is more than one
    /// live leaf, the document is in conflict.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document never existed.
    func leaves(of id: String) async throws(StoreError) -> [RevisionID]

    // MARK: Writing

    /// Saves a new document, or creates a deleted one again.
    ///
    /// - Parameter document: The document. If it has no id, an id is assigned.
    /// - Returns: The document with its id and revision.
    /// - Throws: ``StoreError``, among others with these codes:
    ///   - ``StoreError/Code/conflict`` if a document with this id exists.
    ///   - ``StoreError/Code/invalidDocumentID`` for an invalid id.
    ///   - ``StoreError/Code/invalidDocument`` for a member that begins with an underscore.
    ///   - ``StoreError/Code/invalidJSON`` for a number that is not finite.
    ///   - ``StoreError/Code/documentTooLarge`` if the body is longer than the store's limit.
    func create(_ document: Document) async throws(StoreError) -> Document

    /// Saves a new revision of a document.
    ///
    /// - Parameter document: The document with the revision that was read.
    /// - Returns: The document with its new revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if the document was changed in the meantime.
    func update(_ document: Document) async throws(StoreError) -> Document

    /// Deletes a revision. If the document has no other live leaf, this deletes the document. Otherwise, it deletes
    /// only this leaf of the conflict.
    ///
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` if the document was changed in the meantime.
    @discardableResult
    func delete(_ document: Document) async throws(StoreError) -> RevisionID

    /// Deletes a document with all its conflicts. Every live leaf is deleted. A datastore deletes the leaves in one
    /// write. On a server, some leaves may remain because of concurrent writes. In that case, the call throws
    /// ``StoreError/Code/conflict``.
    ///
    /// - Returns: The revisions that record the deletions, the winner's first.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the document has no live leaf.
    @discardableResult
    func delete(_ id: String) async throws(StoreError) -> [RevisionID]

    /// Writes many documents. Each document has its own outcome, so a conflict of one document does not affect the
    /// other documents.
    ///
    /// - Returns: For each edit its new revision, or its error.
    /// - Throws: ``StoreError`` if the operation itself failed. After such an error, a datastore has written nothing,
    ///   but a server may have written some of the edits.
    func writeEach(_ edits: [DocumentEdit]) async throws(StoreError) -> [Result<WrittenRevision, StoreError>]

    // MARK: Attachments and changes

    /// The bytes of a stored attachment, or a range of them, read in pieces on demand.
    ///
    /// - Parameters:
    ///   - attachment: An attachment of a document that was read from this store.
    ///   - range: The range of bytes, clamped to the attachment's length; `nil` for all.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` if the attachment was never stored or was
    ///   removed.
    func bytes(of attachment: Attachment, in range: Range<Int>?) async throws(StoreError) -> AttachmentBytes

    /// Returns the documents that changed after a sequence. Each document appears once, with its current state. The
    /// documents are in the order of their last changes.
    ///
    /// The feed first returns the past changes. A live feed then waits for new changes. The feed ends after `limit`
    /// changes, when the task is cancelled, or when the store is closed. It reads changes only when its consumer asks
    /// for the next change.
    ///
    /// - Parameters:
    ///   - sequence: A sequence of this database; ``UpdateSequence/zero`` for the beginning.
    ///   - limit: The largest number of changes.
    ///   - live: Whether to wait for new changes.
    ///   - withDocuments: Whether each change includes its document.
    ///   - isIncluded: A function that returns whether to include a change; `nil` for all changes. The function runs in
    ///     this process, even if the database is on a server.
    func changes(
        since sequence: UpdateSequence, limit: Int, live: Bool, withDocuments: Bool,
        where isIncluded: (@Sendable (Change) -> Bool)?
    ) -> Changes
}

extension Datastore: DocumentStore {}

extension DocumentStore {
    /// The documents that changed after a sequence. See ``changes(since:limit:live:withDocuments:where:)``.
    public func changes(
        since sequence: UpdateSequence = .zero, limit: Int = .max, live: Bool = true, withDocuments: Bool = false
    ) -> Changes {
        changes(since: sequence, limit: limit, live: live, withDocuments: withDocuments, where: nil)
    }
}
