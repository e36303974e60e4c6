//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite

// A purge removes revisions from a file completely. CouchDB's rule: Only leaves can be purged. The ancestors of a
// purged leaf are also removed, until an ancestor has another child. That ancestor remains. A document without leaves
// is removed. A purge is not replicated, so the next pull may restore the document.
//
// `purges` stores the last `purgesRememberedMax` purges, for indexes that have not applied them yet.

extension WriteTransaction {
    /// Removes leaves from a document's tree, or the complete document if no leaf remains.
    ///
    /// - Returns: The elements of `leaves` that were purged. The other elements are unknown revisions, or revisions
    ///   that are not leaves.
    package func purge(_ id: String, leaves requestedLeaves: [RevisionID]) throws -> [RevisionID] {
        try checkIsOpen()
        guard let row = try documents.row(id: id) else { return [] }
        let purged = requestedLeaves.filter { row.hasLeaf($0) }
        guard !purged.isEmpty else { return [] }
        var tree = try documents.fullTree(of: row)
        invariant(tree.olderCount == 0, "a purge sees the complete tree")
        let removedNodes = tree.remove(leaves: Set(purged))
        invariant(removedNodes.count >= Set(purged).count, "each purged leaf is removed")
        try recordPurge(of: row, purged)
        if tree.nodes.isEmpty {
            try removeDocument(row)
        } else {
            try replace(row, with: tree, removedNodes: removedNodes)
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

    private func replace(_ row: DocumentRow, with tree: RevisionTree, removedNodes: [RevisionTree.Node]) throws {
        var tree = tree
        var newRow = row
        newRow.setLeaves(tree.leaves)
        let isWinnerRemoved = newRow.winner.revision != row.winner.revision
        for node in removedNodes where node.revision != row.winner.revision {
            try release(try documents.takeBody(of: node, number: row.number))
        }
        if isWinnerRemoved {
            try release(row.attachments)
            try promoteWinner(&newRow)
        }
        // The row contains the complete tree again; its oldest revisions move to new segments.
        try documents.removeSegments(number: row.number)
        newRow.storedTree = try spill(&tree, number: row.number)
        invariant(tree.index(of: newRow.winner.revision) != nil, "the winner is in the tree of its row")
        try replaceRow(row, by: newRow)
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
        // The changes feed has no row for the removal. The sequence number nevertheless increases, so that clients
        // detect that the database has changed.
        _ = group.nextSequence()
    }

    private func recordPurge(of row: DocumentRow, _ revisions: [RevisionID]) throws {
        invariant(!revisions.isEmpty, "a purge removes a leaf")
        try group.ensure(.purges)
        group.memory.state.purges += 1
        let number = group.memory.state.purges
        var writer = ByteWriter()
        for revision in revisions { writer.append(run: revision.encoded) }
        let insertStatement = try connection.statement("INSERT INTO purges VALUES(?1, ?2, ?3, ?4)")
        insertStatement.bind(number, at: 1)
        insertStatement.bind(scope.stored(row.id), at: 2)
        insertStatement.bind(row.number, at: 3)
        insertStatement.bind(writer.bytes, at: 4)
        try insertStatement.run()
        let deleteStatement = try connection.statement("DELETE FROM purges WHERE number <= ?1")
        deleteStatement.bind(number - Int64(limits.purgesRememberedMax), at: 1)
        try deleteStatement.run()
    }
}

extension DocumentTable {
    /// Returns the remembered purges of this scope, at most ``StoreLimits/purgesRememberedMax``: the id of the document
    /// and its purged revisions, in the order in which they were made.
    package func purges() throws -> [(id: String, revisions: [RevisionID])] {
        guard try has(.purges) else { return [] }
        let statement = try connection.statement("SELECT id, revisions FROM purges ORDER BY number")
        defer { statement.reset() }
        var purges: [(id: String, revisions: [RevisionID])] = []
        while try statement.step() {
            let storedID = statement.string(0)
            guard storedID.utf8.starts(with: scope.prefix.utf8) else { continue }
            let revisions = try statement.withBytes(1) { bytes throws(StoreError) -> [RevisionID] in
                var (reader, revisions) = (ByteReader(bytes), [RevisionID]())
                while !reader.isAtEnd { revisions.append(try RevisionID(decoding: try reader.run())) }
                return revisions
            }
            purges.append((scope.visible(storedID), revisions))
        }
        return purges
    }
}

extension RevisionTree {
    /// Removes leaves and their ancestors. An ancestor that has another child remains, and so do its ancestors.
    ///
    /// - Returns: All removed revisions.
    mutating func remove(leaves: Set<RevisionID>) -> [Node] {
        var children = [Int](repeating: 0, count: nodes.count)
        for node in nodes { if let parent = node.parent { children[parent] += 1 } }
        let isInner = children.map { $0 > 0 }
        var isRemoved = [Bool](repeating: false, count: nodes.count)
        for index in nodes.indices.reversed() where children[index] == 0 {
            guard isInner[index] || leaves.contains(nodes[index].revision) else { continue }
            isRemoved[index] = true
            if let parent = nodes[index].parent { children[parent] -= 1 }
        }
        let removedNodes = nodes.indices.filter { isRemoved[$0] }.map { nodes[$0] }
        var newIndexes = [Int?](repeating: nil, count: nodes.count)
        var remainingNodes: [Node] = []
        for index in nodes.indices where !isRemoved[index] {
            var node = nodes[index]
            node.parent = node.parent.flatMap { newIndexes[$0] }
            invariant(node.parent != nil || nodes[index].parent == nil, "the ancestors of a remaining revision remain")
            newIndexes[index] = remainingNodes.count
            remainingNodes.append(node)
        }
        invariant(remainingNodes.count + removedNodes.count == nodes.count, "a revision remains or is removed")
        nodes = remainingNodes
        return removedNodes
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
