//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// The parameters of a request that reads one document.
struct DocumentQuery {
    /// The value of `open_revs`: all leaves, or a list of revisions.
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
        let known = try target.revisions("atts_since")
        if target.flag("attachments") || known != nil { attachments = .inline(unlessIn: known ?? []) }
        if target.value("open_revs") == "all" {
            openRevisions = .all
        } else if let these = try target.revisions("open_revs"), !these.isEmpty {
            openRevisions = .these(these)
        }
        // As in CouchDB, `revs_info` applies only to a request for a single revision.
        if openRevisions != nil { revisionsInfo = false }
    }

    /// The query for a multipart response. A multipart response always has the attachments after their documents,
    /// because CouchDB's replicators expect them. With `atts_since`, a client excludes attachments that it has.
    var withAttachments: DocumentQuery {
        guard case .stubs = attachments else { return self }
        var query = self
        query.attachments = .inline(unlessIn: [])
        return query
    }

    /// The attachments' form for a revision. Of the revisions in `atts_since`, only those on the branch of this
    /// revision exclude attachments.
    private func attachments(
        of revision: RevisionID, of row: DocumentRow, table: DocumentTable
    ) throws -> DocumentRenderer.Attachments {
        guard case .inline(let known) = attachments, !known.isEmpty else { return attachments }
        let tree = try table.fullTree(of: row)
        let path = Set(tree.index(of: revision).map { tree.path(from: $0) } ?? [])
        return .inline(unlessIn: known.filter(path.contains))
    }

    /// Creates the renderer of a revision for these parameters.
    func renderer(for revision: RevisionID, of row: DocumentRow, table: DocumentTable) throws -> DocumentRenderer {
        var renderer = DocumentRenderer()
        renderer.attachments = try attachments(of: revision, of: row, table: table)
        let others = row.leaves.filter { $0.revision != revision }
        if conflicts { renderer.conflicts = others.filter { !$0.isDeleted }.map(\.revision) }
        if deletedConflicts { renderer.deletedConflicts = others.filter(\.isDeleted).map(\.revision) }
        guard revisions || revisionsInfo else { return renderer }
        let tree = try table.fullTree(of: row)
        guard let index = tree.index(of: revision) else { return renderer }
        let path = tree.path(from: index)
        // A reduced limit applies immediately, although ancestors are removed by the next write only.
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
    /// Whether the text depends on more than the revision: on other revisions, or on the order of writes.
    fileprivate var dependsOnOtherRevisions: Bool {
        conflicts?.isEmpty == false || deletedConflicts?.isEmpty == false || pathStatus != nil || localSequence != nil
    }
}

extension DocumentTable {
    /// Returns a document's text, of the winner or of the requested revision, and its entity tag. The tag is `nil` when
    /// the text may change while the revision stays the same.
    ///
    /// - Throws: ``StoreError`` when the document or the revision does not exist, or the winner is read and deleted.
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
        // As in CouchDB, `latest` returns the winner, whatever revision is named.
        guard let wanted = query.latest ? nil : query.revision else {
            guard !row.winner.isDeleted else { throw StoreError.deleted }
            return StoredRevision(winnerOf: row)
        }
        guard let stored = try revision(wanted, of: row) else { throw StoreError.missing }
        return stored
    }

    /// Returns the response to `open_revs`: a list of found documents and missing revisions.
    func openRevisions(
        _ open: DocumentQuery.OpenRevisions, of id: String, query: DocumentQuery
    ) throws -> DocumentText {
        let row = try row(id: id)
        let wanted = try revisions(open, of: row, latest: query.latest)
        var text = DocumentText([UInt8(ascii: "[")])
        for (position, revision) in wanted.enumerated() {
            if position > 0 { text.append(UInt8(ascii: ",")) }
            if try !appendFound(revision, of: row, query: query, to: &text) {
                text.append(raw: "{\"missing\":\"\(revision)\"}")
            }
        }
        text.append(raw: "]\n")
        return text
    }

    /// Returns the revisions of `open_revs` without duplicates, since the document is read for each revision.
    ///
    /// - Throws: ``StoreError`` when all leaves of a missing document are requested.
    func revisions(
        _ open: DocumentQuery.OpenRevisions, of row: DocumentRow?, latest: Bool
    ) throws -> [RevisionID] {
        let wanted: [RevisionID]
        switch open {
        case .all:
            guard let row else { throw StoreError.missing }
            wanted = row.leaves.map(\.revision)
        case .these(let these): wanted = these
        }
        var seen = Set<RevisionID>()
        let named = if latest, let row { try self.latest(wanted, of: row) } else { wanted }
        return named.filter { seen.insert($0).inserted }
    }

    /// Returns for each revision the leaves that descend from it; the revision itself when it is unknown.
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
