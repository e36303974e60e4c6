//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore

/// The topics and sources of a corpus, read from its indexes.
struct CorpusTopics {
    private static let sourcesMax = 100

    private let datastore: Datastore

    init(_ datastore: Datastore) { self.datastore = datastore }

    /// Creates the indexes that are necessary for a list.
    func prepare() async throws(StoreError) {
        for field in ["focus", "source"] {
            try await datastore.ensureIndex([.ascending(field)], named: "corpus-\(field)", where: nil)
        }
    }

    /// Returns `{"database", "sources": […], "topics": […]}`: the name of the database, all sources, and the first
    /// topics that begin with a text.
    func list(beginning prefix: String, limit: Int) async throws(StoreError) -> JSONValue {
        [
            "database": .string(datastore.name),
            "sources": .array(try await values(of: "source", from: "", limit: Self.sourcesMax)),
            "topics": .array(
                prefix.isEmpty
                    ? []
                    : try await values(of: "focus", from: prefix, limit: limit).filter {
                        $0.stringValue?.lowercased().hasPrefix(prefix.lowercased()) ?? false
                    }),
        ]
    }

    /// Returns the distinct values of a field, in ascending order. One query of the index is necessary for each value.
    private func values(of field: String, from first: String, limit: Int) async throws(StoreError) -> [JSONValue] {
        var values: [JSONValue] = []
        var bound: JSONObject = ["$gte": .string(first)]
        while values.count < limit {
            let query = FindQuery(
                selector: [field: .object(bound)], fields: [field], sort: [.ascending(field)], limit: 1)
            guard let value = try await datastore.find(query).documents.first?.body[field], let text = value.stringValue
            else { break }
            values.append(value)
            bound = ["$gt": .string(text)]
        }
        return values
    }
}
