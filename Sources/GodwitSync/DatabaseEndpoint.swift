//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// One side of a replication: what a replication needs of a database, whether it is a file here or a CouchDB elsewhere.
public protocol DatabaseEndpoint: Sendable {
    /// What the replication's id is made of: names the database, holds no credentials, and does not change.
    func identity() async throws(ReplicationError) -> String

    /// Checks that the database is there.
    ///
    /// - Parameter creating: Whether to make it when it is not.
    func open(creating: Bool) async throws(ReplicationError)

    /// Changes after a place, with all leaves, in order.
    ///
    /// - Parameters:
    ///   - sequence: The place as this side gave it; `nil` for the beginning.
    ///   - limit: The most changes wanted.
    func changes(after sequence: String?, limit: Int) async throws(ReplicationError) -> ChangesPage

    /// Of revisions that the other side has, those that are missing here.
    func missing(_ revisions: [RevisionsOfDocument]) async throws(ReplicationError) -> [WantedRevisions]

    /// Revisions with their history and attachments.
    ///
    /// A revision that is no leaf any more may be answered by the leaves that descend from it. What is not answered at
    /// all is no longer here.
    func read(_ wanted: [WantedRevisions]) async throws(ReplicationError) -> [ReplicatedDocument]

    /// Writes revisions with their ids.
    ///
    /// - Parameters:
    ///   - documents: The revisions.
    ///   - id: The replication's, for those who watch the changes.
    /// - Returns: Those that were not written, with the reason.
    func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure]

    /// A checkpoint's body; `nil` when there is none.
    func checkpoint(_ id: String) async throws(ReplicationError) -> JSONObject?

    /// Writes a checkpoint.
    func saveCheckpoint(_ id: String, _ body: JSONObject) async throws(ReplicationError)
}

/// A page of a changes feed.
public struct ChangesPage: Sendable {
    /// The changed documents with their leaves.
    public var changes: [RevisionsOfDocument]
    /// Where the feed goes on.
    public var lastSequence: String
    /// Changes that follow, as far as the peer says.
    public var pending: Int

    /// Creates a page.
    public init(changes: [RevisionsOfDocument], lastSequence: String, pending: Int) {
        self.changes = changes
        self.lastSequence = lastSequence
        self.pending = pending
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

/// A revision on its way: its JSON with `_id`, `_rev`, `_revisions` and `_attachments`.
public struct ReplicatedDocument: Sendable {
    /// The document's id.
    public let id: String
    /// The revision.
    public let revision: RevisionID
    /// The document's text.
    public let text: [UInt8]

    /// Creates a document.
    public init(id: String, revision: RevisionID, text: [UInt8]) {
        self.id = id
        self.revision = revision
        self.text = text
    }
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
}
