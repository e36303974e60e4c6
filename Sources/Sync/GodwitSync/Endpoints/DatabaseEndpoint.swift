//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore
public import GodwitTransport

/// One side of a replication: a local datastore or a database on a server.
///
/// Each method is a step that can be repeated without harm.
public protocol DatabaseEndpoint: Sendable {
    /// Returns a text that identifies the database. The id of the replication is derived from this text. The text
    /// contains no credentials and never changes.
    func identity() async throws(ReplicationError) -> String

    /// Returns a text that changes when the database is deleted and made again, and when it is restored from a backup:
    /// CouchDB's `instance_start_time`. The result is `nil` if this is unknown, as the default implementation returns.
    func instance() async throws(ReplicationError) -> String?

    /// Checks that the database exists. Throws an error if it does not.
    ///
    /// - Parameter creating: Whether to create the database if it does not exist.
    /// - Returns: The result of ``instance()``.
    func open(creating: Bool) async throws(ReplicationError) -> String?

    /// Returns a page of the changes after a sequence, in the order of the changes.
    func changes(_ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage

    /// Returns those of the given revisions that this database does not have.
    func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions]

    /// Reads revisions with their history.
    ///
    /// Small attachments that the other side needs are returned with their bytes, in the document. Larger attachments
    /// are described in the document, and ``attachment(_:of:from:)`` reads them. If a revision is no longer a leaf, the
    /// leaves that descend from it may be returned instead. A revision that is not in ``RevisionsRead/documents``,
    /// ``RevisionsRead/unread`` or ``RevisionsRead/failures`` of the result is no longer in the database.
    ///
    /// - Parameters:
    ///   - wanted: The revisions to read.
    ///   - bytesMax: The maximum number of bytes to read. Further revisions are returned in ``RevisionsRead/unread``.
    ///     At least one document is read.
    ///   - attachmentBytesMax: The maximum length of attachments that are returned with their bytes. A document with a
    ///     longer attachment is returned without the bytes of any attachment. With -1, empty attachments are returned
    ///     in this way, too.
    func read(
        _ wanted: [WantedRevisions], bytesMax: Int, attachmentBytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead

    /// Reads the bytes of an attachment.
    ///
    /// - Parameters:
    ///   - attachment: The attachment, as the document describes it.
    ///   - document: The document that was read.
    ///   - start: The offset of the first byte to read. The stream may begin at 0 instead (``AttachmentStream/start``).
    func attachment(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream

    /// Writes revisions with their existing ids. The documents contain the bytes of all attachments that the database
    /// does not have yet.
    ///
    /// - Parameters:
    ///   - documents: The revisions.
    ///   - id: The id of the replication, which observers of the changes see.
    /// - Returns: The revisions that were not written, with the reasons.
    func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure]

    /// Writes one revision, and reads its attachments from the source.
    ///
    /// - Parameters:
    ///   - document: The revision.
    ///   - carrier: Reads the attachments, and records which bytes arrived, so that another attempt continues after
    ///     these bytes.
    ///   - id: The id of the replication.
    /// - Returns: The reason why the revision was not written, or `nil` if it was written.
    func carry(
        _ document: ReplicatedDocument, by carrier: AttachmentCarrier, replication id: String
    ) async throws(ReplicationError) -> ReplicationFailure?

    /// Returns the body of a checkpoint, or `nil` if it does not exist or cannot be parsed.
    func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject?

    /// Saves a checkpoint. If the body has the `_rev` of an earlier checkpoint, that checkpoint need not be read.
    func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError)

    /// Returns the members of a design document. A function of the design document can filter a replication.
    ///
    /// - Parameter name: The id without `_design/`.
    /// - Returns: The members; `nil` if the document does not exist or cannot be parsed. The default implementation
    ///   returns `nil`.
    func designDocument(_ name: String) async throws(ReplicationError) -> JSONObject?

    /// Whether the database can store a document without the bytes of its long attachments, which are fetched later.
    /// The default is `false`.
    var keepsAbsentAttachments: Bool { get }
}

extension DatabaseEndpoint {
    /// Returns `false`, because by default, a database stores documents with all their attachments.
    public var keepsAbsentAttachments: Bool { false }

    /// Returns `nil`, because by default, it is unknown whether a database was replaced.
    public func instance() async throws(ReplicationError) -> String? { nil }

    /// Returns `nil`, because by default, a database has no design documents.
    public func designDocument(_ name: String) async throws(ReplicationError) -> JSONObject? { nil }
}

/// A request for changes.
public struct ChangesQuery: Sendable {
    /// A sequence of the same database. The changes after this sequence are requested; `nil` requests all changes.
    public var after: String?
    /// The maximum number of changes.
    public var limit: Int
    /// Whether the request waits for a change if there are no changes yet.
    public var waits: Bool
    /// The documents that are replicated.
    public var selection: ReplicationSelection

    /// Creates a query.
    public init(
        after: String? = nil, limit: Int, waits: Bool = false, selection: ReplicationSelection = ReplicationSelection()
    ) {
        self.after = after
        self.limit = limit
        self.waits = waits
        self.selection = selection
    }
}

/// A page of a changes feed.
public struct ChangesPage: Sendable {
    /// The changed documents with their leaves.
    public var changes: [RevisionsOfDocument]
    /// The sequence from which the next page continues.
    public var lastSequence: String
    /// The number of changes that follow the page; 0 if the server does not report it.
    public var pending: Int
    /// Whether the page reached the end of the changes when it was read.
    public var isLast: Bool

    /// Creates a page.
    public init(changes: [RevisionsOfDocument], lastSequence: String, pending: Int, isLast: Bool) {
        self.changes = changes
        self.lastSequence = lastSequence
        self.pending = pending
        self.isLast = isLast
    }
}

/// Some revisions of one document.
public struct RevisionsOfDocument: Equatable, Sendable {
    /// The document's id.
    public let id: String
    /// The revisions.
    public let revisions: [RevisionID]

    /// Creates a list.
    public init(id: String, revisions: [RevisionID]) {
        self.id = id
        self.revisions = revisions
    }
}

/// Revisions of one document to read.
public struct WantedRevisions: Equatable, Sendable {
    /// The document's id.
    public let id: String
    /// The revisions that are missing.
    public var revisions: [RevisionID]
    /// Revisions that the other side has. Attachments that were added in one of these revisions are not sent again.
    public var knownAncestors: [RevisionID]

    /// Creates a request for missing revisions.
    public init(id: String, revisions: [RevisionID], knownAncestors: [RevisionID] = []) {
        self.id = id
        self.revisions = revisions
        self.knownAncestors = knownAncestors
    }
}

/// The result of reading revisions.
public struct RevisionsRead: Sendable {
    /// The documents. The documents of one ``WantedRevisions`` are consecutive.
    public var documents: [ReplicatedDocument] = []
    /// The revisions that were not read because the documents before them already had the maximum number of bytes.
    public var unread: [WantedRevisions] = []
    /// The revisions that could not be read, with the reasons.
    public var failures: [ReplicationFailure] = []

    /// Creates an empty result.
    public init() {}
}

/// A revision that was not replicated.
public struct ReplicationFailure: Sendable, Equatable {
    /// The document's id.
    public let id: String
    /// The revision.
    public let revision: RevisionID?
    /// The HTTP status. A local datastore gives the status that a server would send.
    public let status: Int
    /// CouchDB's `error`, such as `forbidden`.
    public let error: String
    /// The reason, in a sentence.
    public let reason: String

    /// Creates a failure.
    public init(id: String, revision: RevisionID?, status: Int, error: String, reason: String) {
        self.id = id
        self.revision = revision
        self.status = status
        self.error = error
        self.reason = reason
    }

    /// Whether another attempt with the same document may succeed.
    public var isTransient: Bool { ReplicationError.transientStatuses.contains(status) }
}
