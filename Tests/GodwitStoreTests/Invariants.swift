//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitStore

extension Datastore {
    /// Recomputes from a full scan what the file keeps beside its documents, and checks every document's tree.
    func checkInvariants(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try snapshot { table in
            let rows = try table.changes(after: 0, detail: .bodies, rowsMax: .max, bytesMax: .max).rows
            let (state, found) = try DatabaseState.read(from: table.connection)
            #expect(found == identity, sourceLocation: sourceLocation)
            #expect(state == DatabaseState(countedFrom: rows), sourceLocation: sourceLocation)
            #expect(Set(rows.map { Array($0.id.utf8) }).count == rows.count, sourceLocation: sourceLocation)
            #expect(Set(rows.map(\.number)).count == rows.count, sourceLocation: sourceLocation)
            for row in rows {
                let problems = try table.problems(of: row)
                #expect(problems.isEmpty, "\(row.id)", sourceLocation: sourceLocation)
            }
            let uses = try table.countedUses(rows)
            #expect(try table.storedUses().filter { $0.value > 0 } == uses, sourceLocation: sourceLocation)
        }
    }
}

extension DatabaseState {
    fileprivate init(countedFrom rows: [DocumentRow]) {
        self.init(
            sequence: rows.last?.sequence ?? 0, live: rows.count { !$0.winner.isDeleted },
            deleted: rows.count { $0.winner.isDeleted }, bodyBytes: rows.reduce(0) { $0 + $1.body.count })
    }
}

extension DocumentTable {
    fileprivate func problems(of row: DocumentRow) throws -> [String] {
        let tree = try fullTree(of: row)
        var problems: [String] = []
        if tree.leaves != row.leaves { problems.append("leaves") }
        if tree.olderCount != 0 { problems.append("older revisions remain outside") }
        if Set(tree.nodes.map(\.revision)).count != tree.nodes.count { problems.append("a revision twice") }
        for (place, node) in tree.nodes.enumerated() {
            guard let parent = node.parent else { continue }
            if parent >= place { problems.append("\(node.revision) stands before its parent") }
            if tree.nodes[parent].revision.generation + 1 != node.revision.generation {
                problems.append("generation of \(node.revision)")
            }
        }
        for leaf in row.leaves {
            guard let stored = try revision(leaf.revision, of: row) else {
                problems.append("no body of \(leaf.revision)")
                continue
            }
            if stored.leaf != leaf { problems.append("\(leaf.revision) differs in its deletion") }
            if (try? JSONScanner.validate(stored.body)) == nil { problems.append("body of \(leaf.revision)") }
        }
        if try self.row(id: row.id)?.sequence != row.sequence { problems.append("index of ids") }
        return problems
    }

    /// How many stored revisions refer to each blob.
    fileprivate func countedUses(_ rows: [DocumentRow]) throws -> [Int64: Int] {
        var records = rows.flatMap(\.attachments)
        if try has("bodies") {
            let statement = try connection.statement("SELECT attachments FROM bodies WHERE attachments IS NOT NULL")
            while try statement.step() {
                records += try statement.decode(0) { bytes throws(StoreError) in
                    try [AttachmentRecord](decoding: bytes)
                }
            }
        }
        return records.reduce(into: [:]) { $0[$1.blob.number, default: 0] += 1 }
    }

    /// The counts of uses that the file keeps.
    func storedUses() throws -> [Int64: Int] {
        guard try has("blobs") else { return [:] }
        let statement = try connection.statement("SELECT number, uses FROM blobs")
        var uses: [Int64: Int] = [:]
        while try statement.step() { uses[statement.int64(0)] = statement.int(1) }
        return uses
    }

    private func has(_ table: String) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM sqlite_schema WHERE name = ?1")
        defer { statement.reset() }
        statement.bind(table, at: 1)
        return try statement.step()
    }
}
