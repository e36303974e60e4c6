//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitSQLite
import GodwitSelector
package import GodwitStore

extension Datastore {
    /// What CouchDB tells of the index of a design document's views (`_info`).
    package func viewInformation(of design: String) async throws -> JSONValue {
        let group = try viewGroup(of: design)
        let found = try await viewIndex(of: group, design: design)
        let latest = updateSequence.number
        let (index, bytes, rows) = try read { table in
            (
                try table.index(found.number) ?? found, try ViewTables(found).bytes(on: table.connection),
                try ViewTables(found).textBytes(on: table.connection)
            )
        }
        let sequence = index.state == .complete ? latest : index.sequence
        let pending = JSONValue.integer(latest - sequence)
        return [
            "updates_pending": ["minimum": pending, "preferred": pending, "total": pending],
            "waiting_commit": false,
            "waiting_clients": 0,
            "updater_running": .bool(indexProgress.contains { $0.index.number == index.number }),
            "update_seq": .integer(sequence),
            "sizes": [
                "file": .integer(Int64(bytes)), "external": .integer(Int64(rows)), "active": .integer(Int64(bytes)),
            ],
            "signature": .string(index.name),
            "purge_seq": .integer(index.purges),
            "language": "javascript",
            "compact_running": false,
            "collator_versions": [.string(CollationKey.versionOfOrder)],
        ]
    }
}

extension ViewTables {
    /// The bytes of the pages of its tables.
    func bytes(on connection: SQLiteConnection) throws -> Int {
        let names = [rows, documents, spans, "\(spans)_stale"].map { "'\($0)'" }.joined(separator: ",")
        let statement = try connection.statement(
            composed: "SELECT coalesce(sum(pgsize), 0) FROM dbstat('main', 1) WHERE name IN (\(names))")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// The bytes of all keys and values.
    func textBytes(on connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement(
            composed: "SELECT coalesce(sum(length(key) + coalesce(length(value), 4)), 0) FROM \(rows)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
