//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport

/// Reads a user's database for the consolidated database. It adds the user's name and a colon before the id of each
/// document, and omits design documents.
///
/// The prefix has two purposes. Users cannot overwrite each other's documents, and the documents of one user can be
/// found, exported and removed.
struct PrefixingEndpoint: Sendable {
    private let source: LocalEndpoint
    private let prefix: String

    init(_ source: Datastore, user: String) {
        self.source = LocalEndpoint(source)
        prefix = PrefixingEndpoint.prefix(of: user)
    }

    /// Returns the prefix of the ids of a user's documents. It is unique, because the names of users contain no colon.
    static func prefix(of user: String) -> String { "\(user):" }

    /// Returns the changes after a sequence, in order.
    func changes(after position: String?) async throws(ReplicationError) -> ChangesPage {
        var page = try await source.changes(
            ChangesQuery(after: position, limit: BackendLimits.consolidatedChangesMax))
        page.changes = page.changes.compactMap { change in
            DocumentID.isDesign(change.id)
                ? nil : RevisionsOfDocument(id: prefix + change.id, revisions: change.revisions)
        }
        return page
    }

    /// Returns revisions with their history.
    func read(_ wanted: [WantedRevisions]) async throws(ReplicationError) -> RevisionsRead {
        let limits = ReplicationLimits()
        let asked = wanted.map {
            WantedRevisions(id: own($0.id), revisions: $0.revisions, knownAncestors: $0.knownAncestors)
        }
        var read = try await source.read(
            asked, bytesMax: BackendLimits.consolidatedBytesMax, attachmentBytesMax: limits.attachmentsInlineBytesMax)
        read.documents = read.documents.map { document in
            ReplicatedDocument(
                id: prefix + document.id, revision: document.revision, text: document.text,
                attachments: document.attachments)
        }
        read.unread = read.unread.map {
            WantedRevisions(id: prefix + $0.id, revisions: $0.revisions, knownAncestors: $0.knownAncestors)
        }
        return read
    }

    /// Writes a document to a database, together with its large attachments.
    ///
    /// - Returns: The failure of the document; `nil` when it was written.
    func carry(
        _ document: ReplicatedDocument, into target: LocalEndpoint
    ) async throws(ReplicationError) -> ReplicationFailure? {
        let carrier = AttachmentCarrier(source: source, sourceID: { own($0) })
        return try await target.carry(document, by: carrier, replication: ConsolidatedDatabase.replication)
    }

    private func own(_ id: String) -> String {
        String(decoding: id.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
