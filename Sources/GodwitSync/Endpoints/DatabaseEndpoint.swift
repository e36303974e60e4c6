//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
public import GodwitJSON
public import GodwitStore

/// One side of a replication: what a replication needs of a database, whether it is a file here or a CouchDB elsewhere.
///
/// Each call is one step that can be done again: what was done already does no harm.
public protocol DatabaseEndpoint: Sendable {
    /// What the replication's id is made of: names the database, holds no credentials, and does not change.
    func identity() async throws(ReplicationError) -> String

    /// Checks that the database is there.
    ///
    /// - Parameter creating: Whether to make it when it is not.
    func open(creating: Bool) async throws(ReplicationError)

    /// Changes after a place, in order.
    func changes(_ query: ChangesQuery) async throws(ReplicationError) -> ChangesPage

    /// Of revisions that the other side has, those that are missing here.
    func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions]

    /// Revisions with their history.
    ///
    /// Attachments that the other side needs come along as bytes where they are small; of larger ones the document says
    /// what there is, and ``attachment(_:of:from:)`` reads them. A revision that is no leaf any more may be answered by
    /// the leaves that descend from it. What is not answered at all is no longer here.
    ///
    /// - Parameters:
    ///   - wanted: The revisions.
    ///   - bytesMax: Where to stop: what is above is left in ``RevisionsRead/unread``. One document is read at least.
    ///   - attachmentBytesMax: The longest attachment that may come along: a document with a longer one comes without
    ///     bytes of any.
    func read(
        _ wanted: [WantedRevisions], bytesMax: Int, attachmentBytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead

    /// The bytes of one attachment of a revision.
    ///
    /// - Parameters:
    ///   - attachment: As the document named it.
    ///   - document: The document that was read.
    ///   - start: The first byte wanted.
    func attachment(
        _ attachment: ReplicatedAttachment, of document: ReplicatedDocument, from start: Int
    ) async throws(ReplicationError) -> AttachmentStream

    /// Writes revisions with their ids, of which none has attachments that were left out.
    ///
    /// - Parameters:
    ///   - documents: The revisions.
    ///   - id: The replication's, for those who watch the changes.
    /// - Returns: Those that were not written, with the reason.
    func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure]

    /// Writes one revision whose attachments are read where they are.
    ///
    /// - Parameters:
    ///   - document: The revision.
    ///   - carrier: Reads the attachments, and remembers what arrived of them should the call be repeated.
    ///   - id: The replication's.
    /// - Returns: Why it was not written; `nil` when it was.
    func carry(
        _ document: ReplicatedDocument, by carrier: AttachmentCarrier, replication id: String
    ) async throws(ReplicationError) -> ReplicationFailure?

    /// A checkpoint's body; `nil` when there is none.
    func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject?

    /// Writes a checkpoint.
    func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError)

    /// The members of a design document, whose functions may choose what is replicated.
    ///
    /// - Parameter name: The id without `_design/`.
    /// - Returns: `nil` when there is no such document. The default is a database without design documents.
    func designDocument(_ name: String) async throws(ReplicationError) -> JSONObject?

    /// Whether it can keep a document of which long attachments are left out, and bring them later. The default is that it
    /// cannot.
    var keepsAbsentAttachments: Bool { get }
}

extension DatabaseEndpoint {
    /// A database that keeps documents with all of their attachments.
    public var keepsAbsentAttachments: Bool { false }

    /// A database without design documents.
    public func designDocument(_ name: String) async throws(ReplicationError) -> JSONObject? { nil }
}

/// Which changes of a database are wanted.
public struct ChangesQuery: Sendable {
    /// The place after which they are, as this side gave it; `nil` for the beginning.
    public var after: String?
    /// The most changes wanted.
    public var limit: Int
    /// Whether to wait for a change when there is none.
    public var waits: Bool
    /// Which documents are replicated.
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
    /// Where the feed goes on.
    public var lastSequence: String
    /// Changes that follow, as far as the peer says.
    public var pending: Int
    /// Whether nothing followed when the page was made.
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

/// Revisions of one document that are to be fetched.
public struct WantedRevisions: Equatable, Sendable {
    /// The document's id.
    public let id: String
    /// The revisions that are missing.
    public var revisions: [RevisionID]
    /// Revisions that the other side has already: attachments that came with them need not be sent again.
    public var knownAncestors: [RevisionID]

    /// Creates a wish.
    public init(id: String, revisions: [RevisionID], knownAncestors: [RevisionID] = []) {
        self.id = id
        self.revisions = revisions
        self.knownAncestors = knownAncestors
    }
}

/// What came of reading revisions.
public struct RevisionsRead: Sendable {
    /// The documents, those of one wish side by side.
    public var documents: [ReplicatedDocument] = []
    /// What was not read because enough was.
    public var unread: [WantedRevisions] = []
    /// Revisions that could not be read, with the reason.
    public var failures: [ReplicationFailure] = []

    /// Nothing.
    public init() {}
}

/// A revision that was not replicated.
public struct ReplicationFailure: Sendable, Equatable {
    /// The document's id.
    public let id: String
    /// The revision.
    public let revision: RevisionID?
    /// The HTTP status, or the one that would have been.
    public let status: Int
    /// The kind of failure, for example `forbidden`.
    public let error: String
    /// What is wrong, in a sentence.
    public let reason: String

    /// Creates a failure.
    public init(id: String, revision: RevisionID?, status: Int, error: String, reason: String) {
        self.id = id
        self.revision = revision
        self.status = status
        self.error = error
        self.reason = reason
    }

    /// Whether the same document may be taken when it is sent again.
    public var isTransient: Bool { ReplicationError.transientStatuses.contains(status) }
}
