//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DocumentTable {
    /// How many ancestors a function sees of a document, in `_revisions`. CouchDB's `revs_limit` of its query servers.
    package static let ancestorsOfFunctionMax = 20

    /// A revision as functions are given it: with `_revisions`, its attachments as stubs.
    ///
    /// - Parameter conflicts: Other leaves, to be told as `_conflicts`.
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

    /// The winner of a live document as show and update functions are given it: with its `_conflicts` too; `nil` when there
    /// is none.
    package func shownText(id: String) throws -> (revision: RevisionID, text: [UInt8])? {
        guard let row = try row(id: id), !row.winner.isDeleted else { return nil }
        let revision = StoredRevision(winnerOf: row)
        return (revision.revision, try functionText(of: revision, in: row, conflicts: row.conflicts))
    }
}
