//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Reads documents as the parameters of a request ask for them.
struct DocumentReader {
    let table: DocumentTable
    let query: DocumentQuery

    init(_ table: DocumentTable, _ query: DocumentQuery) { (self.table, self.query) = (table, query) }

    /// Returns the text of the requested revision, or of the winner if no revision is requested. The second value is
    /// the entity tag of the text. The tag is `nil` when the text may change although the revision stays the same.
    ///
    /// - Throws: ``StoreError`` when the document or the revision does not exist, or when the winner is requested but
    ///   is deleted.
    func document(_ id: String) throws -> (tag: String?, text: DocumentText) {
        guard let row = try table.row(id: id) else { throw StoreError.missing }
        let stored = try revision(of: row)
        var renderer = try query.renderer(for: stored.revision, of: row, table: table)
        if query.localSequence { renderer.localSequence = row.sequence }
        var text = DocumentText()
        text.bytes.reserveCapacity(stored.body.count + 128)
        renderer.append(stored, to: &text)
        text.append(UInt8(ascii: "\n"))
        return (renderer.dependsOnOtherRevisions ? nil : "\"\(stored.revision)\"", text)
    }

    /// Returns the requested revision. As in CouchDB, a query with `latest` returns the winner, whatever revision the
    /// query names.
    func revision(of row: DocumentRow) throws -> StoredRevision {
        try DocumentReader.revision(query.latest ? nil : query.revision, of: row, in: table)
    }

    /// Returns a revision of a document, or the winner if no revision is requested.
    ///
    /// - Throws: ``StoreError`` when the document or the requested revision does not exist. It is also thrown when no
    ///   revision is requested and the winner is deleted.
    static func revision(_ revision: RevisionID?, of id: String, in table: DocumentTable) throws -> StoredRevision {
        guard let row = try table.row(id: id) else { throw StoreError.missing }
        return try DocumentReader.revision(revision, of: row, in: table)
    }

    private static func revision(
        _ revision: RevisionID?, of row: DocumentRow, in table: DocumentTable
    ) throws -> StoredRevision {
        guard let revision else {
            guard !row.winner.isDeleted else { throw StoreError.deleted }
            return StoredRevision(winnerOf: row)
        }
        guard let stored = try table.revision(revision, of: row) else { throw StoreError.missing }
        return stored
    }

    /// Returns the response to `open_revs`: a list of found documents and missing revisions.
    ///
    /// - Throws: ``StoreError`` when all leaves of a missing document are requested.
    func openRevisions(_ selection: DocumentQuery.OpenRevisions, of id: String) throws -> DocumentText {
        let row = try table.row(id: id)
        let requested = try revisions(selection, of: row)
        var text = DocumentText([UInt8(ascii: "[")])
        for (index, revision) in requested.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            if try !appendFound(revision, of: row, to: &text) {
                text.append(raw: "{\"missing\":\"\(revision)\"}")
            }
        }
        text.append(raw: "]\n")
        return text
    }

    /// Returns the revisions of `open_revs` without duplicates. Without duplicates, no revision is read twice.
    ///
    /// - Throws: ``StoreError`` when all leaves of a missing document are requested.
    func revisions(_ selection: DocumentQuery.OpenRevisions, of row: DocumentRow?) throws -> [RevisionID] {
        let requested: [RevisionID]
        switch selection {
        case .all:
            guard let row else { throw StoreError.missing }
            requested = row.leaves.map(\.revision)
        case .these(let listed): requested = listed
        }
        var seen = Set<RevisionID>()
        let resolved = if query.latest, let row { try latest(requested, of: row) } else { requested }
        return resolved.filter { seen.insert($0).inserted }
    }

    /// Returns the leaves that descend from each revision. An unknown revision is returned unchanged.
    func latest(_ revisions: [RevisionID], of row: DocumentRow) throws -> [RevisionID] {
        let tree = try table.fullTree(of: row)
        return revisions.flatMap { revision -> [RevisionID] in
            let leaves = table.leaves(from: revision, in: tree).map(\.revision)
            return leaves.isEmpty ? [revision] : leaves
        }
    }

    /// Appends `{"ok": …}` with a revision's document.
    ///
    /// - Returns: `false`, without appending, when the database does not have the revision's body.
    func appendFound(
        _ revision: RevisionID, of row: DocumentRow?, to text: inout DocumentText
    ) throws -> Bool {
        guard let row, let stored = try table.revision(revision, of: row) else { return false }
        text.append(raw: "{\"ok\":")
        try query.renderer(for: revision, of: row, table: table).append(stored, to: &text)
        text.append(UInt8(ascii: "}"))
        return true
    }
}

extension DocumentRenderer {
    /// Whether the response to this query can change although the requested revision stays the same. This is the case
    /// if the response depends on other revisions, or on the order of writes.
    fileprivate var dependsOnOtherRevisions: Bool {
        conflicts?.isEmpty == false || deletedConflicts?.isEmpty == false || pathStatus != nil || localSequence != nil
    }
}
