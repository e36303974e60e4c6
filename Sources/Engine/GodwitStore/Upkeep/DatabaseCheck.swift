//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

// Some data in a file follows from other data, and must match it: the leaves match the tree, the counters match the
// rows, the reference counts of attachments match the revisions, and the digests match the bytes. The check reads all
// data once, in the order of storage.

/// Checks that the redundant data in one database file is consistent.
struct DatabaseCheck {
    private let table: DocumentTable
    private let faults: FaultList
    private let cancellation: CancellationFlag
    private var counters = DatabaseState.Counters()
    private var owners: [ExactText: DatabaseState.Counters] = [:]
    private var losingLeafCount = 0
    private var conflictedCount = 0
    private var indexes: IndexCheck
    private var attachments: AttachmentCheck

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - connection: The connection of the database. No other work uses it.
    ///   - cancellation: Ends the check when it is set.
    init(
        of connection: SQLiteConnection, kinds: [String: any IndexKind], faultsMax: Int,
        _ cancellation: CancellationFlag
    ) throws {
        connection.interrupt(by: cancellation)
        var table = DocumentTable(connection, scope: .all)
        table.checksBodies = false
        self.table = table
        self.cancellation = cancellation
        faults = FaultList(max: faultsMax)
        indexes = try IndexCheck(table, kinds: kinds, faults: faults)
        attachments = AttachmentCheck(table, faults: faults, cancellation)
    }

    private var connection: SQLiteConnection { table.connection }

    private func expect(_ isTrue: Bool, _ fault: @autoclosure () -> String) { faults.expect(isTrue, fault()) }

    mutating func run() throws -> [Fault] {
        try checkPages()
        if let fault = try ColumnTypes.fault(in: connection, includesIndexes: true) { faults.add(fault) }
        try checkDocuments()
        try indexes.finish()
        try checkCounters()
        try checkOwners()
        try checkBodies()
        try attachments.finish()
        try checkLists()
        return faults.found
    }

    private func checkPages() throws {
        let statement = try connection.statement("PRAGMA integrity_check(20)")
        defer { statement.reset() }
        while try statement.step() {
            let message = statement.string(0)
            expect(message == "ok", "SQLite: \(message)")
        }
    }

    // MARK: Documents

    private mutating func checkDocuments() throws {
        var lastSequence: Int64 = 0
        while true {
            try cancellation.check()
            let slice = try table.changes(after: lastSequence, detail: .bodies, rowsMax: 500, bytesMax: 1 << 20)
            for row in slice.rows {
                try check(row)
                count(row)
            }
            // If a body cannot be parsed, its index entries cannot be checked.
            try indexes.check(slice.rows.filter { isJSON($0.body) })
            guard slice.hasMore, let row = slice.rows.last else { break }
            lastSequence = row.sequence
        }
        let duplicateCount = try connection.integer("SELECT count(*) - count(DISTINCT number) FROM documents")
        expect(duplicateCount == 0, "\(duplicateCount) documents have the number of another document")
    }

    private mutating func count(_ row: DocumentRow) {
        counters.sequence = max(counters.sequence, row.sequence)
        counters.count(row.winner, bodyBytes: row.body.count, by: 1)
        if let owner = Scope.ownerKey(ofStored: row.id).map(ExactText.init) {
            owners[owner, default: .init()].sequence = row.sequence
            owners[owner, default: .init()].count(row.winner, bodyBytes: row.body.count, by: 1)
        }
        attachments.count(row.attachments)
        losingLeafCount += row.otherLeaves.count
        if !row.conflicts.isEmpty { conflictedCount += 1 }
    }

    private func check(_ row: DocumentRow) throws {
        let tree: RevisionTree
        do {
            tree = try table.fullTree(of: row)
        } catch {
            return faults.add("\(row.id): its tree cannot be read")
        }
        for problem in tree.problems { faults.add("\(row.id): \(problem)") }
        expect(tree.leaves == row.leaves, "\(row.id): the leaves of its row differ from those of its tree")
        expect(isJSON(row.body), "\(row.id): the winner's body is not a JSON object")
        expect(row.storedFlags == row.flags, "\(row.id): its flags do not match its leaves")
        for leaf in row.otherLeaves {
            let body = try table.leafBody(number: row.number, revision: leaf.revision)?.body
            expect(body.map(isJSON) == true, "\(row.id): the body of its leaf \(leaf.revision) is missing or not JSON")
        }
        let indexedSequence = try table.row(id: row.id)?.sequence
        expect(indexedSequence == row.sequence, "\(row.id): the index of ids has another sequence for it")
        if !row.conflicts.isEmpty {
            let isListed = try isListed(row.id)
            expect(isListed, "\(row.id): it is in conflict but not in the list of conflicts")
        }
    }

    private func isJSON(_ body: [UInt8]) -> Bool {
        body.first == UInt8(ascii: "{") && (try? JSONScanner.validate(body)) != nil
    }

    private func isListed(_ id: String) throws -> Bool {
        guard try table.has(.conflicted) else { return false }
        let statement = try connection.statement("SELECT 1 FROM conflicted WHERE id = ?1")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        return try statement.step()
    }

    // MARK: Counters

    private func checkCounters() throws {
        let (state, _) = try DatabaseState.read(from: connection)
        expect(state.counters.live == counters.live, "\(counters.live) live documents, counted \(state.counters.live)")
        expect(
            state.counters.deleted == counters.deleted,
            "\(counters.deleted) deleted documents, counted \(state.counters.deleted)")
        expect(
            state.counters.bodyBytes == counters.bodyBytes,
            "\(counters.bodyBytes) bytes of bodies, counted \(state.counters.bodyBytes)")
        expect(
            state.sequence >= counters.sequence,
            "the last change is \(counters.sequence), the counter is \(state.sequence)")
    }

    private func checkOwners() throws {
        guard try table.has(.owners) else { return expect(owners.isEmpty, "the counters of owners are missing") }
        for (owner, counted) in owners {
            let stored = try DatabaseState.Counters.read(owner: owner.text, from: connection)
            expect(
                stored.live == counted.live && stored.deleted == counted.deleted
                    && stored.bodyBytes == counted.bodyBytes && stored.sequence >= counted.sequence,
                "the counters of an owner are wrong")
        }
        let listed = try connection.integer(
            "SELECT count(*) FROM owned o JOIN documents d ON d.sequence = o.sequence")
        let owned = owners.values.reduce(0) { $0 + $1.live + $1.deleted }
        let all = try connection.integer("SELECT count(*) FROM owned")
        expect(all == owned && listed == owned, "the lists of owners are wrong")
    }

    // MARK: Bodies

    private mutating func checkBodies() throws {
        if try table.has(.bodies) {
            let stored = try connection.integer("SELECT count(*) FROM bodies")
            expect(stored == losingLeafCount, "\(losingLeafCount) losing leaves, \(stored) bodies for them")
            try attachments.count(connection.statement("SELECT attachments FROM bodies WHERE attachments IS NOT NULL"))
        }
        if try table.has(.superseded) {
            try attachments.count(
                connection.statement("SELECT attachments FROM superseded WHERE attachments IS NOT NULL"))
            try checkSuperseded()
        }
    }

    private func checkSuperseded() throws {
        let statement = try connection.statement("SELECT body FROM superseded")
        defer { statement.reset() }
        var damaged = 0
        while try statement.step() { damaged += isJSON(statement.bytes(0) ?? []) ? 0 : 1 }
        expect(damaged == 0, "the bodies of \(damaged) superseded revisions are not JSON objects")
    }

    // MARK: Other lists

    private func checkLists() throws {
        if try table.has(.conflicted) {
            let listed = try connection.integer("SELECT count(*) FROM conflicted")
            expect(listed == conflictedCount, "\(conflictedCount) documents in conflict, \(listed) in the list")
        }
        if try table.has(.expiry) {
            let lostCount = try connection.integer(
                "SELECT count(*) FROM expiry WHERE id NOT IN (SELECT id FROM documents)")
            expect(lostCount == 0, "\(lostCount) expiration times belong to no document")
        }
        if try table.has(.ancestry) {
            let lostCount = try connection.integer(
                "SELECT count(*) FROM ancestry WHERE number NOT IN (SELECT number FROM documents)")
            expect(lostCount == 0, "\(lostCount) segments of ancestry belong to no document")
        }
    }
}

extension RevisionTree {
    /// The rules of revision trees that this tree violates.
    fileprivate var problems: [String] {
        var problems: [String] = []
        if Set(nodes.map(\.revision)).count != nodes.count { problems.append("a revision occurs twice in its tree") }
        for (index, node) in nodes.enumerated() {
            guard let parent = node.parent else { continue }
            if parent >= index { problems.append("\(node.revision) precedes its parent") }
            if nodes[parent].revision.generation + 1 != node.revision.generation {
                problems.append("the generation of \(node.revision) does not follow its parent's")
            }
        }
        return problems
    }
}
