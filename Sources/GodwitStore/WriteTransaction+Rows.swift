//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension WriteTransaction {
    /// A revision on its way into a document's row.
    struct Addition {
        let revision: RevisionID
        let attachments: [AttachmentRecord]
        let body: [UInt8]
    }

    /// Inserts a document that was never here.
    func insert(
        id: String, winner: RevisionTree.Leaf, attachments: [AttachmentRecord], body: [UInt8], tree: RevisionTree?
    ) throws {
        let sequence = nextSequence()
        var row = DocumentRow(
            sequence: sequence, id: id, number: sequence, winner: winner, attachments: attachments, body: body)
        if var tree { row.storedTree = try spill(&tree, number: sequence) }
        try documents.insert(row)
        count(winner, body: body, by: 1)
    }

    /// Puts a revision into a document's row: the winner's body into the row itself, every other one beside it.
    ///
    /// Without an addition, the tree alone changed: what was a leaf may be an ancestor now.
    func put(_ addition: Addition?, into row: DocumentRow, tree: RevisionTree) throws {
        var tree = tree
        let leaves = tree.leaves
        var changed = row
        changed.sequence = nextSequence()
        changed.winner = leaves[0]
        changed.otherLeaves = Array(leaves.dropFirst())
        try ensure(.bodies)
        if let addition, changed.winner.revision == addition.revision {
            try keepWinner(of: row)
            changed.body = addition.body
            changed.attachments = addition.attachments
        } else {
            if let addition { try documents.insertBody(addition, number: row.number) }
            if changed.winner.revision != row.winner.revision { try promote(&changed, over: row) }
        }
        changed.storedTree = try spill(&tree, number: row.number)
        try documents.replace(sequence: row.sequence, with: changed)
        count(row.winner, body: row.body, by: -1)
        count(changed.winner, body: changed.body, by: 1)
    }

    /// Moves the body of a leaf that became the winner without being written now: the old winner was deleted.
    private func promote(_ changed: inout DocumentRow, over row: DocumentRow) throws {
        try keepWinner(of: row)
        let winner = changed.winner.revision
        guard let stored = try documents.body(number: row.number, revision: winner) else {
            throw StoreError(.corrupt, "the body of \(row.id) at \(winner) is missing. Restore the file from a backup.")
        }
        try documents.removeBody(number: row.number, revision: winner)
        changed.body = stored.body
        changed.attachments = stored.attachments
    }

    /// Keeps the body of the former winner: it is a losing leaf now, or an ancestor until the next compaction.
    private func keepWinner(of row: DocumentRow) throws {
        let winner = Addition(revision: row.winner.revision, attachments: row.attachments, body: row.body)
        try documents.insertBody(winner, number: row.number)
    }

    /// The blob of a tree, its oldest revisions moved to a segment when it grew too long.
    private func spill(_ tree: inout RevisionTree, number: Int64) throws -> [UInt8]? {
        while let segment = tree.takeSegment() {
            try ensure(.ancestry)
            let place = tree.olderCount / StoreLimits.segmentRevisions
            try documents.appendSegment(number: number, segment: place, revisions: segment)
        }
        return tree.encoded
    }

    private func count(_ winner: RevisionTree.Leaf, body: [UInt8], by change: Int) {
        if winner.isDeleted { state.deleted += change } else { state.live += change }
        state.bodyBytes += change * body.count
    }
}
