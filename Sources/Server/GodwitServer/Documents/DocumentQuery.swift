//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// The parameters of a request that reads one document.
struct DocumentQuery {
    /// The value of `open_revs`: all leaves, or a list of revisions. The list is never empty, because an empty list in
    /// a request is ignored.
    enum OpenRevisions {
        case all
        case these([RevisionID])
    }

    var revision: RevisionID?
    var openRevisions: OpenRevisions?
    var latest = false
    var conflicts = false
    var deletedConflicts = false
    var revisions = false
    var revisionsInfo = false
    var localSequence = false
    var attachments = DocumentRenderer.Attachments.stubs

    init(_ target: RequestTarget) throws(HTTPFailure) {
        revision = try target.revision("rev")
        latest = target.flag("latest")
        let meta = target.flag("meta")
        conflicts = target.flag("conflicts") || meta
        deletedConflicts = target.flag("deleted_conflicts") || meta
        revisionsInfo = target.flag("revs_info") || meta
        revisions = target.flag("revs")
        localSequence = target.flag("local_seq")
        let clientRevisions = try target.revisions("atts_since")
        if target.flag("attachments") || clientRevisions != nil {
            attachments = .inline(unlessIn: clientRevisions ?? [])
        }
        if target.value("open_revs") == "all" {
            openRevisions = .all
        } else if let listed = try target.revisions("open_revs"), !listed.isEmpty {
            openRevisions = .these(listed)
        }
        // As in CouchDB, `open_revs` disables `revs_info`, because `revs_info` applies only to a request for a single
        // revision.
        if openRevisions != nil { revisionsInfo = false }
    }

    /// The query for a multipart response. A multipart response always contains the attachments of the document,
    /// because CouchDB's replicators expect them. However, it omits the attachments of the revisions in `atts_since`,
    /// because the client already has these attachments.
    var withAttachments: DocumentQuery {
        guard case .stubs = attachments else { return self }
        var query = self
        query.attachments = .inline(unlessIn: [])
        return query
    }

    /// Returns the form in which a revision's attachments are sent. A revision that the client names in `atts_since`
    /// has an effect only if it is on the same branch as the revision to send.
    private func attachments(
        of revision: RevisionID, of row: DocumentRow, table: DocumentTable
    ) throws -> DocumentRenderer.Attachments {
        guard case .inline(let clientRevisions) = attachments, !clientRevisions.isEmpty else { return attachments }
        let tree = try table.fullTree(of: row)
        let path = Set(tree.index(of: revision).map { tree.path(from: $0) } ?? [])
        return .inline(unlessIn: clientRevisions.filter(path.contains))
    }

    /// Creates a renderer that writes a revision with the members that these parameters request.
    func renderer(for revision: RevisionID, of row: DocumentRow, table: DocumentTable) throws -> DocumentRenderer {
        var renderer = DocumentRenderer()
        renderer.attachments = try attachments(of: revision, of: row, table: table)
        let otherLeaves = row.leaves.filter { $0.revision != revision }
        if conflicts { renderer.conflicts = otherLeaves.filter { !$0.isDeleted }.map(\.revision) }
        if deletedConflicts { renderer.deletedConflicts = otherLeaves.filter(\.isDeleted).map(\.revision) }
        guard revisions || revisionsInfo else { return renderer }
        let tree = try table.fullTree(of: row)
        guard let index = tree.index(of: revision) else { return renderer }
        let path = tree.path(from: index)
        // If the database's limit of revisions was reduced, the store still has more ancestors than the new limit
        // allows, until the next write of the document. The response omits these ancestors.
        if revisions { renderer.path = path.count > 1 ? Array(path.prefix(try table.revisionsMax)) : path }
        if revisionsInfo {
            renderer.pathStatus = try path.map { revision in
                guard let stored = try table.revision(revision, of: row) else { return (revision, "missing") }
                return (revision, stored.leaf.isDeleted ? "deleted" : "available")
            }
        }
        return renderer
    }
}
