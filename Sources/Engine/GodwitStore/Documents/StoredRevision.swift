//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A revision whose body is stored.
package struct StoredRevision: Sendable {
    /// The document's id in the scope of the read.
    package let id: String
    /// The revision, and whether it is a deletion. The revision need not be a leaf of the document.
    package let leaf: RevisionTree.Leaf
    /// The attachments of the revision; empty for none.
    package let attachments: [AttachmentRecord]
    /// The body's JSON without reserved members.
    package let body: [UInt8]

    /// The id of the revision.
    package var revision: RevisionID { leaf.revision }

    /// Creates a revision from its document's id, its description, its attachments and its body as JSON.
    package init(id: String, leaf: RevisionTree.Leaf, attachments: [AttachmentRecord], body: [UInt8]) {
        self.id = id
        self.leaf = leaf
        self.attachments = attachments
        self.body = body
    }

    /// Creates the stored revision for the winner of a row.
    package init(winnerOf row: DocumentRow) {
        self.init(id: row.id, leaf: row.winner, attachments: row.attachments, body: row.body)
    }
}

extension DocumentTable {
    /// A revision of a document; `nil` if it is unknown or its body is not stored.
    package func revision(_ revision: RevisionID, of row: DocumentRow) throws -> StoredRevision? {
        if revision == row.winner.revision { return StoredRevision(winnerOf: row) }
        var tree = try row.tree()
        if tree.index(of: revision) == nil { tree = try fullTree(of: row) }
        guard let index = tree.index(of: revision), let stored = try body(of: tree.nodes[index], in: row) else {
            return nil
        }
        return StoredRevision(
            id: row.id, leaf: .init(revision: revision, isDeleted: tree.nodes[index].isDeleted),
            attachments: stored.attachments, body: stored.body)
    }

    /// The leaves that descend from a revision, or the revision itself if it is a leaf; empty if it is unknown.
    package func leaves(from revision: RevisionID, in tree: RevisionTree) -> [RevisionTree.Leaf] {
        guard let start = tree.index(of: revision) else { return [] }
        return tree.leaves.filter { leaf in
            tree.index(of: leaf.revision).map { tree.path(from: $0).contains(tree.nodes[start].revision) } ?? false
        }
    }
}
