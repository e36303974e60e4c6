//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

// A purge removes revisions from a file completely. CouchDB's rule: only leaves can be purged; the ancestors of a leaf
// are removed too, up to the first that has another child. A document without leaves is removed. A purge is not
// replicated: the next pull may restore the document.
//
// `purges` stores the last `purgesRememberedMax` purges, for indexes that are behind.

extension WriteTransaction {
    /// Removes leaves from a document's tree, or the complete document if no leaf remains.
    ///
    /// - Returns: The elements of `leaves` that were purged; the others are unknown or not leaves.
    package func purge(_ id: String, leaves asked: [RevisionID]) throws -> [RevisionID] {
        try checkIsOpen()
        guard let row = try documents.row(id: id) else { return [] }
        let purged = asked.filter { row.hasLeaf($0) }
        guard !purged.isEmpty else { return [] }
        var tree = try documents.fullTree(of: row)
        let gone = tree.remove(leaves: Set(purged))
        try recordPurge(of: row, purged)
        if tree.nodes.isEmpty {
            try removeDocument(row)
        } else {
            try replace(row, with: tree, gone: gone)
        }
        return purged
    }

    /// Removes a document completely from the file.
    ///
    /// - Returns: The leaves that it had; empty if the document is absent.
    package func purge(_ id: String) throws -> [RevisionID] {
        try checkIsOpen()
        guard let row = try documents.row(id: id) else { return [] }
        let leaves = row.leaves.map(\.revision)
        try recordPurge(of: row, leaves)
        try removeDocument(row)
        return leaves
    }

    private func replace(_ row: DocumentRow, with tree: RevisionTree, gone: [RevisionTree.Node]) throws {
        var tree = tree
        var changed = row
        changed.setLeaves(tree.leaves)
        let isWinnerGone = changed.winner.revision != row.winner.revision
        for node in gone where node.revision != row.winner.revision {
            try release(try documents.takeBody(of: node, number: row.number))
        }
        if isWinnerGone {
            try release(row.attachments)
            try promoteWinner(&changed)
        }
        // The row contains the complete tree again; its oldest revisions move to new segments.
        try documents.removeSegments(number: row.number)
        changed.storedTree = try spill(&tree, number: row.number)
        try write(changed, over: row)
    }

    private func removeDocument(_ row: DocumentRow) throws {
        let storedID = scope.stored(row.id)
        try release(row.attachments)
        for node in try documents.fullTree(of: row).nodes where node.revision != row.winner.revision {
            try release(try documents.takeBody(of: node, number: row.number))
        }
        try documents.removeSegments(number: row.number)
        try documents.remove(sequence: row.sequence)
        count(row.winner, body: row.body, by: -1)
        try moveOwned(storedID, from: row.sequence, to: nil) { counters in
            counters.count(row.winner, bodyBytes: row.body.count, by: -1)
        }
        try noteConflict(of: storedID, before: row, after: nil)
        try setExpiration(nil, of: row.id)
        group.note(removalOf: row, storedID: storedID)
        // The feed has no row for the removal; the sequence increases so that clients detect a change of the database.
        _ = group.nextSequence()
    }

    private func recordPurge(of row: DocumentRow, _ revisions: [RevisionID]) throws {
        try group.ensure(.purges)
        group.memory.state.purges += 1
        let number = group.memory.state.purges
        var writer = ByteWriter()
        for revision in revisions { writer.append(run: revision.encoded) }
        let insert = try connection.statement("INSERT INTO purges VALUES(?1, ?2, ?3, ?4)")
        insert.bind(number, at: 1)
        insert.bind(scope.stored(row.id), at: 2)
        insert.bind(row.number, at: 3)
        insert.bind(writer.bytes, at: 4)
        try insert.run()
        let trim = try connection.statement("DELETE FROM purges WHERE number <= ?1")
        trim.bind(number - Int64(limits.purgesRememberedMax), at: 1)
        try trim.run()
    }
}

extension RevisionTree {
    /// Removes leaves, and their ancestors up to the first that has another child.
    ///
    /// - Returns: All removed revisions.
    mutating func remove(leaves: Set<RevisionID>) -> [Node] {
        var children = [Int](repeating: 0, count: nodes.count)
        for node in nodes { if let parent = node.parent { children[parent] += 1 } }
        let isInner = children.map { $0 > 0 }
        var isGone = [Bool](repeating: false, count: nodes.count)
        for position in nodes.indices.reversed() where children[position] == 0 {
            guard isInner[position] || leaves.contains(nodes[position].revision) else { continue }
            isGone[position] = true
            if let parent = nodes[position].parent { children[parent] -= 1 }
        }
        let gone = nodes.indices.filter { isGone[$0] }.map { nodes[$0] }
        var placeAfter = [Int?](repeating: nil, count: nodes.count)
        var kept: [Node] = []
        for position in nodes.indices where !isGone[position] {
            var node = nodes[position]
            node.parent = node.parent.flatMap { placeAfter[$0] }
            placeAfter[position] = kept.count
            kept.append(node)
        }
        nodes = kept
        return gone
    }
}

extension DocumentTable {
    /// Removes the body of a revision that is not the winner, and returns its attachments.
    func takeBody(of node: RevisionTree.Node, number: Int64) throws -> [AttachmentRecord] {
        let statement: SQLiteStatement
        if node.position > 0 {
            guard try has(.superseded) else { return [] }
            statement = try connection.statement("DELETE FROM superseded WHERE place = ?1 RETURNING attachments")
            statement.bind(node.position, at: 1)
        } else {
            guard try has(.bodies) else { return [] }
            statement = try connection.statement(
                "DELETE FROM bodies WHERE number = ?1 AND revision = ?2 RETURNING attachments")
            statement.bind(number, at: 1)
            statement.bind(node.revision.encoded, at: 2)
        }
        defer { statement.reset() }
        return try statement.step() ? try statement.attachments(0) : []
    }
}
