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

extension DocumentRenderer {
    /// Whether the response to this query can change although the requested revision stays the same. This is the case
    /// if the response depends on other revisions, or on the order of writes.
    fileprivate var dependsOnOtherRevisions: Bool {
        conflicts?.isEmpty == false || deletedConflicts?.isEmpty == false || pathStatus != nil || localSequence != nil
    }
}

extension DocumentTable {
    /// Returns the text of the requested revision, or of the winner if no revision is requested. The second value is
    /// the entity tag of the text. The tag is `nil` when the text may change although the revision stays the same.
    ///
    /// - Throws: ``StoreError`` when the document or the revision does not exist, or when the winner is requested but
    ///   is deleted.
    func document(
        _ id: String, query: DocumentQuery, in datastore: Datastore
    ) throws -> (tag: String?, text: DocumentText) {
        guard let row = try row(id: id) else { throw StoreError.missing }
        let stored = try revision(of: row, query: query)
        var renderer = try query.renderer(for: stored.revision, of: row, table: self)
        if query.localSequence { renderer.localSequence = row.sequence }
        var text = DocumentText()
        text.bytes.reserveCapacity(stored.body.count + 128)
        renderer.append(stored, to: &text)
        text.append(UInt8(ascii: "\n"))
        return (renderer.dependsOnOtherRevisions ? nil : "\"\(stored.revision)\"", text)
    }

    func revision(of row: DocumentRow, query: DocumentQuery) throws -> StoredRevision {
        // As in CouchDB, a query with `latest` returns the winner, whatever revision the query names.
        guard let requestedRevision = query.latest ? nil : query.revision else {
            guard !row.winner.isDeleted else { throw StoreError.deleted }
            return StoredRevision(winnerOf: row)
        }
        guard let stored = try revision(requestedRevision, of: row) else { throw StoreError.missing }
        return stored
    }

    /// Returns the response to `open_revs`: a list of found documents and missing revisions.
    ///
    /// - Throws: ``StoreError`` when all leaves of a missing document are requested.
    func openRevisions(
        _ selection: DocumentQuery.OpenRevisions, of id: String, query: DocumentQuery
    ) throws -> DocumentText {
        let row = try row(id: id)
        let requested = try revisions(selection, of: row, latest: query.latest)
        var text = DocumentText([UInt8(ascii: "[")])
        for (index, revision) in requested.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            if try !appendFound(revision, of: row, query: query, to: &text) {
                text.append(raw: "{\"missing\":\"\(revision)\"}")
            }
        }
        text.append(raw: "]\n")
        return text
    }

    /// Returns the revisions of `open_revs` without duplicates. Without duplicates, no revision is read twice.
    ///
    /// - Throws: ``StoreError`` when all leaves of a missing document are requested.
    func revisions(
        _ selection: DocumentQuery.OpenRevisions, of row: DocumentRow?, latest: Bool
    ) throws -> [RevisionID] {
        let requested: [RevisionID]
        switch selection {
        case .all:
            guard let row else { throw StoreError.missing }
            requested = row.leaves.map(\.revision)
        case .these(let listed): requested = listed
        }
        var seen = Set<RevisionID>()
        let resolved = if latest, let row { try self.latest(requested, of: row) } else { requested }
        return resolved.filter { seen.insert($0).inserted }
    }

    /// Returns the leaves that descend from each revision. An unknown revision is returned unchanged.
    func latest(_ revisions: [RevisionID], of row: DocumentRow) throws -> [RevisionID] {
        let tree = try fullTree(of: row)
        return revisions.flatMap { revision -> [RevisionID] in
            let leaves = leaves(from: revision, in: tree).map(\.revision)
            return leaves.isEmpty ? [revision] : leaves
        }
    }

    /// Appends `{"ok": …}` with a revision's document.
    ///
    /// - Returns: `false`, without appending, when the database does not have the revision's body.
    func appendFound(
        _ revision: RevisionID, of row: DocumentRow?, query: DocumentQuery, to text: inout DocumentText
    ) throws -> Bool {
        guard let row, let stored = try self.revision(revision, of: row) else { return false }
        text.append(raw: "{\"ok\":")
        try query.renderer(for: revision, of: row, table: self).append(stored, to: &text)
        text.append(UInt8(ascii: "}"))
        return true
    }
}
