//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DocumentTable {
    /// The largest number of revisions in the `_revisions` of a document that is passed to a function. It equals the
    /// `revs_limit` that CouchDB uses for its query servers.
    package static let ancestorsOfFunctionMax = 20

    /// A revision in the form that functions receive: with `_revisions`, and attachments as stubs.
    ///
    /// - Parameter conflicts: The other leaves to include as `_conflicts`.
    package func functionText(
        of revision: StoredRevision, in row: DocumentRow, conflicts: [RevisionID] = []
    ) throws -> [UInt8] {
        var tree = try row.tree()
        if tree.index(of: revision.revision) == nil { tree = try fullTree(of: row) }
        var renderer = DocumentRenderer()
        renderer.conflicts = conflicts
        let path = tree.index(of: revision.revision).map { tree.path(from: $0) } ?? [revision.revision]
        renderer.path = Array(path.prefix(DocumentTable.ancestorsOfFunctionMax))
        var text = DocumentText()
        renderer.append(revision, to: &text)
        return text.bytes
    }

    /// The winner of a live document in the form that show and update functions receive: with `_revisions` and
    /// `_conflicts`; `nil` if the document is absent or deleted.
    package func shownText(id: String) throws -> (revision: RevisionID, text: [UInt8])? {
        guard let row = try row(id: id), !row.winner.isDeleted else { return nil }
        let revision = StoredRevision(winnerOf: row)
        return (revision.revision, try functionText(of: revision, in: row, conflicts: row.conflicts))
    }
}
