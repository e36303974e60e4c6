//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Documents, on this disk (``Datastore``) or on a server (`CouchDatabase`): what both can do, with the same types,
/// meanings and errors.
///
/// ```swift
/// func rename(_ id: String, to title: String, in trips: some DocumentStore) async throws {
///     var trip = try await trips.document(id)
///     trip.body["title"] = .string(title)
///     _ = try await trips.update(trip)
/// }
/// ```
///
/// What a server cannot promise is not here: writes of several documents that are kept together or not at all, snapshots,
/// private documents, purges. A datastore's reads need no `await` where its type is known.
///
/// A write may throw besides what is named with each ``StoreError/Code/accessRefused`` when a validation of the database
/// refuses it, and a call on a server ``StoreError/Code/unreachable``,
/// ``StoreError/Code/accessRefused``, ``StoreError/Code/databaseNotFound``, ``StoreError/Code/overloaded``,
/// ``StoreError/Code/serverFailed``, ``StoreError/Code/badAnswer``, ``StoreError/Code/cancelled``. Whether a write was
/// done that ended with `unreachable` is unknown: read the document again.
public protocol DocumentStore: Sendable {
    /// The changes of the database.
    associatedtype Changes: AsyncSequence<Change, any Error> & Sendable

    /// What the database holds, in numbers.
    func info() async throws(StoreError) -> DatabaseInfo

    /// The number of documents that are not deleted.
    var documentCount: Int { get async throws(StoreError) }

    // MARK: Reading

    /// Reads a document's winning revision.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there never was one,
    ///   ``StoreError/Code/deleted`` when it was deleted.
    func document(_ id: String) async throws(StoreError) -> Document

    /// Reads one revision of a document.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when the revision is unknown or its body is not
    ///   kept there.
    func document(_ id: String, at revision: RevisionID) async throws(StoreError) -> Document

    /// Reads a document's winning revision as a Swift value.
    ///
    /// - Throws: ``StoreError`` as ``document(_:)`` does, and with code ``StoreError/Code/wrongDataType`` when it is of
    ///   another type, ``StoreError/Code/undecodable`` when a member is missing or is none of its type.
    func object<Value: DocumentObject>(
        _ id: String, as type: Value.Type
    ) async throws(StoreError) -> TypedDocument<Value>

    /// Reads the winning revisions of some documents, in the order of the ids.
    ///
    /// - Returns: For each id its document; `nil` when there is none or it is deleted.
    func documents(_ ids: [String]) async throws(StoreError) -> [Document?]

    /// A page of documents that are not deleted, by their ids.
    ///
    /// The next page begins after the last id of this one: `IDRange(lower: last, lowerIsIncluded: false)`.
    ///
    /// - Parameters:
    ///   - range: The ids wanted, in bytewise order.
    ///   - limit: At most so many.
    ///   - descending: From the highest id down.
    func documents(in range: IDRange, limit: Int, descending: Bool) async throws(StoreError) -> [Document]

    /// A page of the ids of documents that are not deleted.
    func documentIDs(in range: IDRange, limit: Int, descending: Bool) async throws(StoreError) -> [String]

    /// The live leaves of a document, the winner first: more than one is a conflict.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there never was such a document.
    func leaves(of id: String) async throws(StoreError) -> [RevisionID]

    // MARK: Writing

    /// Saves a new document, or makes a deleted one again.
    ///
    /// - Parameter document: The document; without an id it gets one.
    /// - Returns: The document with its id and revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when the id is taken,
    ///   ``StoreError/Code/invalidDocument`` for a member that begins with an underscore,
    ///   ``StoreError/Code/invalidJSON`` for a number that is not finite,
    ///   ``StoreError/Code/documentTooLarge`` when the body is above the store's limit.
    func create(_ document: Document) async throws(StoreError) -> Document

    /// Saves a new revision of a document.
    ///
    /// - Parameter document: The document with the revision that it was read at.
    /// - Returns: The document with its new revision.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first.
    func update(_ document: Document) async throws(StoreError) -> Document

    /// Deletes a revision: the document, or one side of a conflict.
    ///
    /// - Returns: The revision that records the deletion.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/conflict`` when another write came first.
    @discardableResult
    func delete(_ document: Document) async throws(StoreError) -> RevisionID

    /// Deletes a document with all its conflicts: every live leaf gets a deletion. A datastore does it in one write; on a
    /// server some leaves may be left when another write came between, which throws ``StoreError/Code/conflict``.
    ///
    /// - Returns: The revisions that record the deletions, that of the winner first.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when there is no live leaf.
    @discardableResult
    func delete(_ id: String) async throws(StoreError) -> [RevisionID]

    /// Writes many documents, each with an outcome of its own: a conflict of one is no failure of others.
    ///
    /// - Returns: For each edit the new revision, or why there is none.
    /// - Throws: ``StoreError`` when the writing itself failed. On a datastore nothing was written then; on a server some
    ///   edits may have been.
    func writeEach(_ edits: [DocumentEdit]) async throws(StoreError) -> [Result<WrittenRevision, StoreError>]

    // MARK: Attachments and changes

    /// The bytes of a stored attachment, or a part of them, read in pieces as they are asked for.
    ///
    /// - Parameters:
    ///   - attachment: Of a document that was read from this store.
    ///   - range: The bytes wanted, cut to those that there are; `nil` for all.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/notFound`` when the attachment is not stored there, or no
    ///   longer.
    func bytes(of attachment: Attachment, in range: Range<Int>?) async throws(StoreError) -> AttachmentBytes

    /// The documents that changed after a place, each once with its state now, in the order of their last change.
    ///
    /// The sequence first gives what has changed already, then waits for further changes for as long as it is iterated;
    /// it ends when the task is cancelled. It reads at the pace of its consumer.
    ///
    /// - Parameters:
    ///   - sequence: A place that this database gave; ``UpdateSequence/zero`` is the beginning.
    ///   - limit: At most so many changes.
    ///   - live: Whether to wait for further changes.
    ///   - withDocuments: Whether each change brings its document.
    ///   - isIncluded: Which changes to give; all when it is `nil`. It runs in this process.
    func changes(
        since sequence: UpdateSequence, limit: Int, live: Bool, withDocuments: Bool,
        where isIncluded: (@Sendable (Change) -> Bool)?
    ) -> Changes
}

extension Datastore: DocumentStore {}

extension DocumentStore {
    /// The documents that changed after a place. See ``changes(since:limit:live:withDocuments:where:)``.
    public func changes(
        since sequence: UpdateSequence = .zero, limit: Int = .max, live: Bool = true, withDocuments: Bool = false
    ) -> Changes {
        changes(since: sequence, limit: limit, live: live, withDocuments: withDocuments, where: nil)
    }
}
