//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitSync
import GodwitTransport

/// Compares a datastore of Cloudant Sync with the database into which it was imported. Each leaf and each attachment of
/// the datastore is compared.
struct CloudantComparison: Sendable {
    let store: CloudantStore
    let target: any DatabaseEndpoint
    /// The revisions that are known to be absent in the target, in the form `ID REVISION`.
    let failed: Set<ExactText>

    /// The maximum number of documents that are compared by one request.
    static let pageCount = 200

    func run(
        _ report: inout CloudantImportReport, onProgress: (_ done: Int) -> Void
    ) async throws {
        var (after, isLast, done) = (String?.none, false, 0)
        while !isLast {
            try Task.checkCancellation()
            let page = try await store.changes(ChangesQuery(after: after, limit: Self.pageCount))
            let missing = try await target.missing(page.changes)
            for wanted in missing {
                for revision in wanted.revisions where !failed.contains(ExactText("\(wanted.id) \(revision)")) {
                    report.lose(
                        CloudantLoss(subject: "\(wanted.id) at \(revision)", reason: "The target does not have it."))
                }
            }
            report.revisionsCompared +=
                page.changes.reduce(0) { $0 + $1.revisions.count } - missing.reduce(0) { $0 + $1.revisions.count }
            let compared = page.changes.map { change in
                RevisionsOfDocument(
                    id: change.id,
                    revisions: change.revisions.filter { !failed.contains(ExactText("\(change.id) \($0)")) })
            }
            for leaf in try await store.attachments(of: compared) { try await compareAttachments(of: leaf, &report) }
            done += page.changes.count
            onProgress(done)
            (after, isLast) = (page.lastSequence, page.isLast)
        }
    }

    private func compareAttachments(
        of leaf: CloudantStore.LeafAttachments, _ report: inout CloudantImportReport
    ) async throws {
        let wanted = [WantedRevisions(id: leaf.id, revisions: [leaf.revision])]
        let read = try await target.read(wanted, bytesMax: .max, attachmentBytesMax: -1)
        // If the target does not return this revision, nothing is compared: a later revision may have other
        // attachments.
        guard let document = read.documents.first(where: { $0.revision == leaf.revision }) else { return }
        for row in leaf.rows {
            // An attachment that cannot be read is already recorded as a loss.
            guard let content = try? await store.blobs.content(row) else { continue }
            let attachment = document.attachments.first { ExactText($0.name) == ExactText(row.name) }
            guard let attachment, try await md5(of: attachment, in: document) == content.md5 else {
                report.lose(
                    CloudantLoss(
                        subject: "\(leaf.id)/\(row.name) at \(leaf.revision)",
                        reason: "The target does not have the same bytes."))
                continue
            }
            report.attachmentCount += 1
        }
    }

    /// Returns the MD5 of an attachment's bytes in the target; `nil` if the target refuses the attachment. Throws other
    /// errors of the target.
    private func md5(
        of attachment: ReplicatedAttachment, in document: ReplicatedDocument
    ) async throws -> [UInt8]? {
        var digest = MessageDigest(.md5)
        do {
            for try await piece in try await target.attachment(attachment, of: document, from: 0) {
                digest.update(piece)
            }
        } catch let error as ReplicationError where error.code == .attachmentRefused {
            return nil
        }
        return digest.finish()
    }
}

extension CloudantStore {
    /// A leaf with its attachments.
    struct LeafAttachments: Sendable {
        let id: String
        let revision: RevisionID
        let rows: [AttachmentRow]
    }

    /// Returns the given revisions that are leaves and have attachments.
    func attachments(of documents: [RevisionsOfDocument]) async throws(StoreError) -> [LeafAttachments] {
        try await run { connection in
            var found: [LeafAttachments] = []
            for document in documents where !document.revisions.isEmpty {
                guard let number = try CloudantStore.number(of: document.id, on: connection) else { continue }
                for row in try CloudantStore.tree(of: number, on: connection).leaves {
                    guard let revision = RevisionID(row.revision), document.revisions.contains(revision) else {
                        continue
                    }
                    let rows = try CloudantStore.attachments(of: row, on: connection)
                    guard !rows.isEmpty else { continue }
                    found.append(LeafAttachments(id: document.id, revision: revision, rows: rows))
                }
            }
            return found
        }
    }
}
