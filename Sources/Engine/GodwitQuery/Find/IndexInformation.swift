//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitSQLite
import GodwitSelector
package import GodwitStore

/// CouchDB's information about the indexes of a design document (`_info`).
package struct IndexInformation: Sendable {
    /// The language of the design document.
    package var language: String
    /// A hash of the definition.
    package var signature: String
    /// The index. If the design document has several Mango indexes, this is the index that has processed the fewest
    /// changes. `nil` if the design document has no views.
    package var index: IndexDescription?
    /// The number of bytes of the index's pages.
    package var bytes: Int
    /// The number of bytes of the index's keys and values.
    package var textBytes: Int

    /// Creates the information of an index. The sizes are in bytes.
    package init(language: String, signature: String, index: IndexDescription?, bytes: Int, textBytes: Int) {
        self.language = language
        self.signature = signature
        self.index = index
        self.bytes = bytes
        self.textBytes = textBytes
    }

    /// Returns the information as CouchDB's JSON object.
    package func json(in datastore: Datastore) -> JSONValue {
        let latestSequence = datastore.updateSequence.number
        let sequence = index.map { $0.state == .complete ? latestSequence : $0.sequence } ?? latestSequence
        let pending = JSONValue.integer(latestSequence - sequence)
        return [
            "updates_pending": ["minimum": pending, "preferred": pending, "total": pending],
            "waiting_commit": false,
            "waiting_clients": 0,
            "updater_running": .bool(datastore.indexProgress.contains { $0.index.number == index?.number }),
            "update_seq": .integer(sequence),
            "sizes": [
                "file": .integer(Int64(bytes)), "external": .integer(Int64(textBytes)),
                "active": .integer(Int64(bytes)),
            ],
            "signature": .string(signature),
            "purge_seq": .integer(index?.purges ?? 0),
            "language": .string(language),
            "compact_running": false,
            "collator_versions": [.string(CollationKey.versionOfOrder)],
        ]
    }
}

extension Datastore {
    /// Returns combined information about the indexes of a Mango design document; `nil` when it has no index of the
    /// type `json`.
    package func queryIndexInformation(of design: String) throws(StoreError) -> IndexInformation? {
        let designIndexes = try indexDescriptions().filter {
            $0.kind == JSONIndex.kindName && $0.design.isIdenticalText(to: design)
        }
        // `update_seq` and `updates_pending` are the values of the index that has processed the fewest changes.
        guard let slowest = designIndexes.min(by: { $0.isSlower(than: $1) }) else { return nil }
        return try read { table in
            IndexInformation(
                language: "query", signature: IndexSignature.of(designIndexes.flatMap(\.definition)), index: slowest,
                bytes: try table.connection.pageBytes(
                    of: designIndexes.flatMap { [$0.entriesTable, $0.documentsTable] }),
                textBytes: try designIndexes.reduce(0) { try $0 + $1.textBytes(on: table.connection) })
        }
    }
}

extension IndexDescription {
    /// Whether the index has processed fewer changes than another index.
    fileprivate func isSlower(than other: IndexDescription) -> Bool {
        state == other.state ? sequence < other.sequence : state == .behind
    }

    fileprivate func textBytes(on connection: SQLiteConnection) throws -> Int {
        let statement = try connection.statement(
            composed: "SELECT coalesce(sum(length(key) + coalesce(length(\"values\"), 0)), 0) FROM \(entriesTable)")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
