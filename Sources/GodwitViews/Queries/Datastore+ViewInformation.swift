//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitQuery
import GodwitSQLite
import GodwitSelector
package import GodwitStore

extension Datastore {
    /// What CouchDB tells of the index of a design document's views (`_info`).
    package func viewInformation(of design: String) async throws -> IndexInformation {
        let group = try viewGroup(of: design)
        let found = try await viewIndex(of: group, design: design)
        return try read { table in
            IndexInformation(
                language: "javascript", signature: found.name, index: try table.index(found.number) ?? found,
                bytes: try ViewTables(found).bytes(on: table.connection),
                textBytes: try ViewTables(found).textBytes(on: table.connection))
        }
    }
}

extension ViewTables {
    /// The bytes of the pages of its tables.
    func bytes(on connection: SQLiteConnection) throws -> Int {
        try connection.pageBytes(of: [rows, documents, spans, "\(spans)_stale"])
    }

    /// The bytes of all keys and values.
    func textBytes(on connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement(
            composed: "SELECT coalesce(sum(length(key) + coalesce(length(value), 4)), 0) FROM \(rows)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
