//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitJSON
import GodwitSQLite

// What a file says twice must agree: the tree and the leaves, the rows and the counters, the revisions and the uses of
// attachments, the bytes and their digests. The check reads all of it once, in the order in which it lies.

/// Something in a database that contradicts something else.
public struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in words; never a document's content.
    public let description: String
}

extension Datastore {
    /// Checks everything that the file says twice, over one state of it.
    ///
    /// It reads the whole file, attachments included. Snapshots of a database that is much written to end: check it at
    /// rest, or a backup of it.
    ///
    /// - Returns: What is wrong, at most `faultsMax`; empty when nothing is.
    public func check(faultsMax: Int = 100) async throws -> [Fault] {
        let kinds = database.kinds
        let damaged = try await damagedPages(faultsMax: faultsMax)
        // SQLite stops at the first page that cannot be believed.
        guard damaged.isEmpty else { return damaged }
        return try await snapshot { snapshot in
            try await BlockingPool.shared.run {
                try snapshot.read { table in
                    var check = DatabaseCheck(
                        DocumentTable(table.connection, scope: .all), kinds: kinds, faultsMax: faultsMax)
                    return try check.run()
                }
            }
        }
    }
}

/// What was found so far.
private final class FaultList {
    private let max: Int
    private(set) var found: [Fault] = []

    init(max: Int) { self.max = max }

    func add(_ fault: String) {
        if found.count < max { found.append(Fault(description: fault)) }
    }
}

/// One run over a file.
struct DatabaseCheck {
    private let table: DocumentTable
    private let faults: FaultList
    private var counters = DatabaseState.Counters()
    private var owners: [String: DatabaseState.Counters] = [:]
    private var uses: [Int64: Int] = [:]
    private var losingBodies = 0
    private var conflicted = 0
    private let kinds: [String: any IndexKind]
    /// The complete indexes, each with how many entries its documents should have.
    private var indexes: [(index: IndexDescription, entries: Int)] = []

    init(_ table: DocumentTable, kinds: [String: any IndexKind], faultsMax: Int) {
        self.table = table
        self.kinds = kinds
        faults = FaultList(max: faultsMax)
    }

    private var connection: SQLiteConnection { table.connection }

    private func expect(_ isTrue: Bool, _ fault: @autoclosure () -> String) {
        if !isTrue { faults.add(fault()) }
    }

    mutating func run() throws -> [Fault] {
        try checkPages()
        try findIndexes()
        try checkDocuments()
        try checkIndexes()
        try checkCounters()
        try checkOwners()
        try checkBodies()
        try checkBlobs()
        try checkArrivals()
        try checkLists()
        return faults.found
    }

    private func checkPages() throws {
        let statement = try connection.statement("PRAGMA integrity_check(20)")
        defer { statement.reset() }
        while try statement.step() {
            let words = statement.string(0)
            expect(words == "ok", "SQLite: \(words)")
        }
    }

    // MARK: Documents

    private mutating func checkDocuments() throws {
        var last: Int64 = 0
        while true {
            let slice = try table.changes(after: last, detail: .bodies, rowsMax: 500, bytesMax: 1 << 20)
            for row in slice.rows {
                try check(row)
                count(row)
                try checkEntries(of: row)
            }
            guard slice.hasMore, let row = slice.rows.last else { break }
            last = row.sequence
        }
        let twice = try connection.integer("SELECT count(*) - count(DISTINCT number) FROM documents")
        expect(twice == 0, "\(twice) documents share their number with another")
    }

    private mutating func count(_ row: DocumentRow) {
        counters.sequence = max(counters.sequence, row.sequence)
        counters.count(row.winner, bodyBytes: row.body.count, by: 1)
        if let owner = Scope.ownerKey(ofStored: row.id) {
            owners[owner, default: .init()].sequence = row.sequence
            owners[owner, default: .init()].count(row.winner, bodyBytes: row.body.count, by: 1)
        }
        count(row.attachments)
        losingBodies += row.otherLeaves.count
        if !row.conflicts.isEmpty { conflicted += 1 }
    }

    private func check(_ row: DocumentRow) throws {
        let tree: RevisionTree
        do {
            tree = try table.fullTree(of: row)
        } catch {
            return faults.add("\(row.id): its tree cannot be read")
        }
        for problem in tree.problems { faults.add("\(row.id): \(problem)") }
        expect(tree.leaves == row.leaves, "\(row.id): the leaves of its row are not those of its tree")
        expect(isJSON(row.body), "\(row.id): the winner's body is no JSON object")
        expect(row.storedFlags == row.flags, "\(row.id): its flags do not fit its leaves")
        for leaf in row.otherLeaves {
            let body = try table.leafBody(number: row.number, revision: leaf.revision)?.body
            expect(body.map(isJSON) == true, "\(row.id): the body of its leaf \(leaf.revision) is missing or no JSON")
        }
        let found = try table.row(id: row.id)?.sequence
        expect(found == row.sequence, "\(row.id): the index of ids leads elsewhere")
        if !row.conflicts.isEmpty {
            let isListed = try isListed(row.id)
            expect(isListed, "\(row.id): it is in conflict and not in the list of conflicts")
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

    // MARK: Indexes

    /// Those that are behind have what they need to be brought on, and are not looked at.
    private mutating func findIndexes() throws {
        guard try table.has(.indexes) else { return }
        let complete = try IndexTable(connection).all().filter { index in
            index.state == .complete && kinds[index.kind]?.isCurrent(index) == true
        }
        indexes = complete.map { ($0, 0) }
    }

    private mutating func checkEntries(of row: DocumentRow) throws {
        for (place, (index, _)) in indexes.enumerated() {
            let count = try kinds[index.kind]?.entryCount(of: row, storedID: row.id, in: index, on: connection)
            expect(count != nil, "\(row.id): its entries in the index \(index.name) are not those of its document")
            indexes[place].entries += count ?? 0
        }
    }

    private func checkIndexes() throws {
        for (index, entries) in indexes {
            let stored = try kinds[index.kind]?.entryCount(in: index, on: connection) ?? 0
            expect(stored == entries, "the index \(index.name) has \(stored) entries, its documents \(entries)")
        }
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
            "the last change is \(counters.sequence), the counter stands at \(state.sequence)")
    }

    private func checkOwners() throws {
        guard try table.has(.owners) else { return expect(owners.isEmpty, "the counters of owners are missing") }
        for (owner, counted) in owners {
            let stored = try DatabaseState.Counters.read(owner: owner, from: connection)
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

    // MARK: Bodies and attachments

    private mutating func checkBodies() throws {
        if try table.has(.bodies) {
            let stored = try connection.integer("SELECT count(*) FROM bodies")
            expect(stored == losingBodies, "\(losingBodies) losing leaves, \(stored) bodies for them")
            try countUses(connection.statement("SELECT attachments FROM bodies WHERE attachments IS NOT NULL"))
        }
        if try table.has(.superseded) {
            try countUses(connection.statement("SELECT attachments FROM superseded WHERE attachments IS NOT NULL"))
        }
    }

    private mutating func countUses(_ statement: SQLiteStatement) throws {
        defer { statement.reset() }
        while try statement.step() {
            count(try statement.attachments(0))
        }
    }

    private mutating func count(_ attachments: [AttachmentRecord]) {
        for blob in attachments.lazy.map(\.blob) {
            if blob.isAbsent {
                expect(blob.digest.allSatisfy { $0 == 0 }, "an attachment that is not here has a digest of its own")
            } else {
                uses[blob.number, default: 0] += 1
            }
        }
    }

    private mutating func checkBlobs() throws {
        guard try table.has(.blobs) else { return expect(uses.isEmpty, "attachments are missing") }
        let statement = try connection.statement("SELECT number, uses, length, digest, md5 FROM blobs")
        defer { statement.reset() }
        while try statement.step() {
            let number = statement.int64(0)
            let counted = uses.removeValue(forKey: number) ?? 0
            expect(
                statement.int(1) == counted, "attachment \(number): \(counted) uses, counted \(statement.int(1))")
            guard let digest = statement.bytes(3) else {
                expect(counted == 0, "attachment \(number): used, and not complete")
                continue
            }
            try checkBytes(of: number, length: statement.int(2), digest: digest, md5: statement.bytes(4) ?? [])
        }
        for blob in uses.keys.sorted() { faults.add("attachment \(blob): used, and not there") }
    }

    /// What arrived may be gone, as when an older version cleaned up: nothing depends on it.
    private func checkArrivals() throws {
        guard try table.has(.arrivals) else { return }
        let strange = try connection.integer(
            """
            SELECT count(*) FROM arrivals a JOIN blobs b ON b.number = a.blob
            WHERE b.digest IS NOT NULL AND (b.md5 IS NOT a.md5 OR b.length IS NOT a.length)
            """)
        expect(strange == 0, "\(strange) attachments that arrived are not those that were announced")
    }

    private mutating func checkBytes(of blob: Int64, length: Int, digest: [UInt8], md5: [UInt8]) throws {
        let statement = try connection.statement("SELECT data FROM chunks WHERE key BETWEEN ?1 AND ?2 ORDER BY key")
        defer { statement.reset() }
        statement.bind(BlobTable.chunkKey(blob: blob, chunk: 0), at: 1)
        statement.bind(BlobTable.chunkKey(blob: blob + 1, chunk: 0) - 1, at: 2)
        var (sha256, legacy, count) = (SHA256(), Insecure.MD5(), 0)
        while try statement.step() {
            statement.withBytes(0) { bytes in
                sha256.update(bufferPointer: bytes)
                legacy.update(bufferPointer: bytes)
                count += bytes.count
            }
        }
        expect(count == length, "attachment \(blob): \(count) bytes of \(length)")
        expect(
            Array(sha256.finalize()) == digest && Array(legacy.finalize()) == md5,
            "attachment \(blob): its bytes are not those of its digest")
    }

    // MARK: Lists beside the documents

    private func checkLists() throws {
        if try table.has(.conflicted) {
            let listed = try connection.integer("SELECT count(*) FROM conflicted")
            expect(listed == conflicted, "\(conflicted) documents in conflict, \(listed) in the list")
        }
        if try table.has(.expiry) {
            let lost = try connection.integer(
                "SELECT count(*) FROM expiry WHERE id NOT IN (SELECT id FROM documents)")
            expect(lost == 0, "\(lost) documents that are not there are to expire")
        }
        if try table.has(.ancestry) {
            let lost = try connection.integer(
                "SELECT count(*) FROM ancestry WHERE number NOT IN (SELECT number FROM documents)")
            expect(lost == 0, "\(lost) segments of ancestry belong to no document")
        }
    }
}

extension RevisionTree {
    /// What contradicts the rules of a tree.
    fileprivate var problems: [String] {
        var problems: [String] = []
        if Set(nodes.map(\.revision)).count != nodes.count { problems.append("a revision stands twice in its tree") }
        for (place, node) in nodes.enumerated() {
            guard let parent = node.parent else { continue }
            if parent >= place { problems.append("\(node.revision) stands before its parent") }
            if nodes[parent].revision.generation + 1 != node.revision.generation {
                problems.append("the generation of \(node.revision) does not follow its parent's")
            }
        }
        return problems
    }
}
