//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

extension DocumentTable {
    /// A revision as functions are given it: with `_revisions`, its attachments as stubs.
    package func functionText(of revision: StoredRevision, in row: DocumentRow) throws -> [UInt8] {
        var tree = try row.tree()
        if tree.index(of: revision.revision) == nil { tree = try fullTree(of: row) }
        var renderer = DocumentRenderer()
        let path = tree.index(of: revision.revision).map { tree.path(from: $0) } ?? [revision.revision]
        renderer.path = Array(path.prefix(DesignFunctions.ancestorsMax))
        var text = DocumentText()
        renderer.append(revision, to: &text)
        return text.bytes
    }

    /// The winner of a live document as functions are given it; `nil` when there is none.
    package func functionText(id: String) throws -> [UInt8]? {
        guard let row = try row(id: id), !row.winner.isDeleted else { return nil }
        return try functionText(of: StoredRevision(winnerOf: row), in: row)
    }
}
