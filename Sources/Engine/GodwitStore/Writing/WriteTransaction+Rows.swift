//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension WriteTransaction {
    /// A revision to add to a document.
    struct Addition {
        let revision: RevisionID
        let attachments: [AttachmentRecord]
        let body: [UInt8]
    }

    /// Inserts a new document.
    ///
    /// - Returns: `false` if a document with this id exists.
    @discardableResult
    func insertDocument(
        id: String, winner: RevisionTree.Leaf, attachments: [AttachmentRecord], body: [UInt8], tree: RevisionTree?
    ) throws -> Bool {
        let storedID = scope.stored(id)
        let sequence = group.memory.state.sequence + 1
        var row = DocumentRow(
            sequence: sequence, id: id, number: sequence, winner: winner, attachments: attachments, body: body)
        if var tree {
            invariant(tree.nodes.last?.revision == winner.revision, "the leaf of a new document is its winner")
            row.storedTree = try spill(&tree, number: sequence)
        } else {
            invariant(winner.revision.generation == 1, "a new document without a history begins with generation 1")
        }
        guard try documents.insert(row) else { return false }
        let next = group.nextSequence()
        invariant(next == sequence, "a new document has the next sequence")
        count(winner, body: body, by: 1)
        try moveOwned(storedID, from: nil, to: sequence) { $0.count(winner, bodyBytes: body.count, by: 1) }
        group.note(row, storedID: storedID, source: source)
        return true
    }

    /// Writes a document's new tree and adds a revision. If the revision is the winner, its body is stored in the row
    /// itself. Any other body is stored in `bodies`.
    ///
    /// If there is no addition, only the tree changed. For example, a former leaf is an ancestor now.
    func addRevision(_ addition: Addition?, into row: DocumentRow, tree: RevisionTree) throws {
        invariant(!tree.nodes.isEmpty, "a document has a revision")
        var tree = tree
        var newRow = row
        newRow.setLeaves(tree.leaves)
        invariant(addition.map { newRow.hasLeaf($0.revision) } ?? true, "a new revision is a leaf")
        let isWinner = newRow.winner.revision == addition?.revision
        if newRow.winner.revision != row.winner.revision { try keepWinner(of: row, as: newRow, &tree) }
        if !row.otherLeaves.isEmpty {
            // A document may have thousands of leaves.
            let remaining = Set(newRow.leaves.map(\.revision))
            for former in row.otherLeaves where !remaining.contains(former.revision) {
                try supersede(former.revision, number: row.number, &tree)
            }
        }
        if let addition {
            if isWinner {
                newRow.body = addition.body
                newRow.attachments = addition.attachments
            } else {
                try group.ensure(.bodies)
                try documents.insertBody(addition, number: row.number)
            }
        }
        if !isWinner, newRow.winner.revision != row.winner.revision { try promoteWinner(&newRow) }
        newRow.storedTree = try spill(&tree, number: row.number)
        invariant(tree.index(of: newRow.winner.revision) != nil, "the winner is in the tree of its row")
        try replaceRow(row, by: newRow)
    }

    /// Replaces a document's row by its new state, with a new sequence.
    func replaceRow(_ row: DocumentRow, by newRow: DocumentRow) throws {
        var newRow = newRow
        newRow.sequence = group.nextSequence()
        invariant(newRow.sequence > row.sequence, "a change has a greater sequence than the one before")
        invariant(newRow.number == row.number, "a document keeps its number")
        invariant(
            newRow.otherLeaves.allSatisfy { newRow.winner.wins(over: $0) }, "the winner is the greatest leaf")
        let storedID = scope.stored(row.id)
        try documents.replace(sequence: row.sequence, with: newRow)
        count(row.winner, body: row.body, by: -1)
        count(newRow.winner, body: newRow.body, by: 1)
        try moveOwned(storedID, from: row.sequence, to: newRow.sequence) { counters in
            counters.count(row.winner, bodyBytes: row.body.count, by: -1)
            counters.count(newRow.winner, bodyBytes: newRow.body.count, by: 1)
        }
        try noteConflict(of: storedID, before: row, after: newRow)
        group.note(newRow, storedID: storedID, source: source)
    }

    /// If another stored leaf became the winner, because the old winner was deleted or purged, moves the body of this
    /// leaf into the row.
    func promoteWinner(_ newRow: inout DocumentRow) throws {
        let winner = newRow.winner.revision
        guard let stored = try documents.leafBody(number: newRow.number, revision: winner) else {
            throw StoreError(
                .corrupt, "the body of \(newRow.id) at \(winner) is missing. Restore the file from a backup.")
        }
        try documents.removeBody(number: newRow.number, revision: winner)
        newRow.body = stored.body
        newRow.attachments = stored.attachments
        invariant(newRow.leaves.count(where: { $0.revision == winner }) == 1, "the winner is a leaf once")
    }

    /// Stores the body of the former winner. If the former winner is a losing leaf now, its body is stored permanently.
    /// If it is an ancestor now, its body is stored until the next compaction.
    private func keepWinner(of row: DocumentRow, as newRow: DocumentRow, _ tree: inout RevisionTree) throws {
        invariant(newRow.winner.revision != row.winner.revision, "a former winner is not the winner")
        let winner = Addition(revision: row.winner.revision, attachments: row.attachments, body: row.body)
        if newRow.hasLeaf(row.winner.revision) {
            try group.ensure(.bodies)
            try documents.insertBody(winner, number: row.number)
        } else {
            try supersede(winner, &tree)
        }
    }

    /// Moves the body of a leaf that became an ancestor to the table `superseded`. The next compaction removes the rows
    /// of this table.
    private func supersede(_ revision: RevisionID, number: Int64, _ tree: inout RevisionTree) throws {
        guard let stored = try documents.leafBody(number: number, revision: revision) else { return }
        try supersede(Addition(revision: revision, attachments: stored.attachments, body: stored.body), &tree)
        try documents.removeBody(number: number, revision: revision)
    }

    /// Appends a body to the table `superseded` and stores the key of its row in the revision's node.
    func supersede(_ former: Addition, _ tree: inout RevisionTree) throws {
        guard let index = tree.index(of: former.revision) else { return try release(former.attachments) }
        try group.ensure(.superseded)
        invariant(!tree.isLeaf(index), "a superseded revision has a child")
        group.memory.state.superseded += 1
        tree.nodes[index].position = group.memory.state.superseded
        try documents.insertSuperseded(former, position: group.memory.state.superseded)
    }

    /// Removes old revisions from a tree, moves its oldest revisions to segments if the tree is too long for the row,
    /// and returns the encoded form of the tree.
    func spill(_ tree: inout RevisionTree, number: Int64) throws -> [UInt8]? {
        let previousOlderCount = tree.olderCount
        tree.stem(to: group.memory.state.revisionsMax)
        if tree.olderCount < previousOlderCount {
            try documents.removeOldestSegments(number: number, revisions: previousOlderCount - tree.olderCount)
        }
        while let segment = tree.takeSegment() {
            try group.ensure(.ancestry)
            try documents.appendSegment(number: number, revisions: segment)
        }
        invariant(tree.olderCount.isMultiple(of: StoreLimits.segmentRevisions), "segments are complete")
        invariant(
            tree.olderCount == 0 || !tree.nodes.dropFirst().contains { $0.parent == nil },
            "a history with segments has one root")
        return tree.encoded
    }

    func count(_ winner: RevisionTree.Leaf, body: [UInt8], by change: Int) {
        group.memory.state.counters.count(winner, bodyBytes: body.count, by: change)
    }

    /// Updates the counters and the sequence of a changed document's owner. Does nothing if the document has no owner.
    func moveOwned(
        _ storedID: String, from old: Int64?, to new: Int64?, _ change: (inout DatabaseState.Counters) -> Void
    ) throws {
        guard let owner = Scope.ownerKey(ofStored: storedID) else { return }
        try group.countOwner(ofStored: storedID) { counters in
            if let new {
                invariant(new > counters.sequence, "an owner's change has a greater sequence than the one before")
                counters.sequence = new
            }
            change(&counters)
            invariant(counters.areCounts, "no counter of an owner is negative")
        }
        try documents.moveOwned(owner: owner, from: old, to: new)
    }

    /// Updates the list of documents with more than one live leaf.
    func noteConflict(of storedID: String, before: DocumentRow, after: DocumentRow?) throws {
        let isConflicted = after?.flags.contains(.conflicted) == true
        guard before.flags.contains(.conflicted) != isConflicted else { return }
        try group.ensure(.conflicted)
        try documents.setConflicted(isConflicted, storedID: storedID)
        if isConflicted { group.note(conflictOf: storedID) }
    }
}

extension DocumentRow {
    mutating func setLeaves(_ leaves: [RevisionTree.Leaf]) {
        winner = leaves[0]
        otherLeaves = Array(leaves.dropFirst())
    }

    func hasLeaf(_ revision: RevisionID) -> Bool {
        winner.revision == revision || otherLeaves.contains { $0.revision == revision }
    }
}
