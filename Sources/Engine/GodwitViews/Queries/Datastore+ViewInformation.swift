//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitQuery
import GodwitSQLite
import GodwitSelector
package import GodwitStore

extension Datastore {
    /// Returns CouchDB's information about the index of a design document's views (`_info`). Throws ``ViewError`` when
    /// the design document does not exist or has no views, and rethrows errors of reading the database.
    package func viewInformation(of design: String) async throws -> IndexInformation {
        guard let group = try viewGroupIfAny(of: design) else {
            return IndexInformation(
                language: "javascript", signature: IndexSignature.of([]), index: nil, bytes: 0, textBytes: 0)
        }
        let index = try await viewIndex(of: group, design: design)
        return try read { table in
            IndexInformation(
                language: "javascript", signature: index.name, index: try table.index(index.number) ?? index,
                bytes: try ViewTables(index).bytes(on: table.connection),
                textBytes: try ViewTables(index).textBytes(on: table.connection))
        }
    }
}

extension ViewTables {
    /// Returns the size of the group's tables: the total size of their pages, in bytes.
    func bytes(on connection: SQLiteConnection) throws -> Int {
        try connection.pageBytes(of: [rows, documents, spans, "\(spans)_stale"])
    }

    /// Returns the number of bytes of all keys and values as JSON.
    func textBytes(on connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement(
            composed: "SELECT coalesce(sum(length(key) + coalesce(length(value), 4)), 0) FROM \(rows)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
