//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitSQLite
package import GodwitStore

extension Datastore {
    /// Returns Cloudant's information about a text index (`_search_info`).
    ///
    /// - Parameters:
    ///   - name: The index's name in the design document.
    ///   - design: The design document's id.
    /// - Throws: ``SearchIndexError`` when the index does not exist or cannot be searched.
    package func searchInformation(of name: String, design: String) async throws -> JSONValue {
        var request = SearchRequest("*:*", design: design, index: name)
        request.acceptsStale = true
        let namedIndex = try await searchIndex(request)
        let latestSequence = updateSequence.number
        return try readTogether { table -> Result<JSONValue, any Error> in
            Result {
                guard let index = try table.index(namedIndex.number) else { throw SearchIndexError.gone(name) }
                let tables = TextTables(index: index.number, on: table.connection)
                let sequence = JSONValue.integer(index.state == .complete ? latestSequence : index.sequence)
                return [
                    "pending_seq": sequence,
                    "doc_del_count": 0,
                    "doc_count": .integer(Int64(try tables.count())),
                    "disk_size": .integer(Int64(try tables.bytes())),
                    "committed_seq": sequence,
                ]
            }
        }.get()
    }
}

extension TextTables {
    /// Returns the number of bytes of the pages of all tables of the index.
    fileprivate func bytes() throws -> Int {
        let suffixes = [
            "_data", "_idx", "_config", "_documents", "_texts", "_fields", "_history", "_given", "_facets", "_boosts",
        ]
        return try connection.pageBytes(of: suffixes.map { name + $0 })
    }
}
