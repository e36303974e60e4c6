//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSelector
package import GodwitStore
import GodwitText

/// A validated query. Plans, cursors and bookmarks refer to it.
package final class PreparedQuery: Sendable {
    /// The original selector.
    let asked: Selector
    /// The selector combined with the conditions for the order and the partition.
    let selector: Selector
    /// The query of the selector's `$text`; `nil` when the selector has no `$text`.
    let text: TextQuery?
    let sort: [QueryField]
    /// The members to return; `nil` for complete documents.
    let projection: Projection?
    let query: FindQuery
    /// Whether documents may be sorted in memory if no index has the order. If `false`, such a query is rejected, as in
    /// CouchDB.
    let sortsInMemory: Bool

    /// Validates a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - asCouchDB: Whether to behave as CouchDB does: a sort requires an index, and finds only documents that have
    ///     the fields of the sort.
    ///   - hasTypedSort: Whether the names of the sort's fields may end with a type, as in Cloudant's sort of a text
    ///     search. For a query with `$text`, they always may.
    /// - Throws: ``QueryError``, ``SelectorError``, or the error of a text query.
    package init(_ query: FindQuery, asCouchDB: Bool = false, hasTypedSort: Bool = false) throws {
        self.query = query
        asked = try Selector(parsing: .object(query.selector))
        sort = asked.usesText || hasTypedSort ? query.sort.map(\.withoutType) : query.sort
        sortsInMemory = !asCouchDB
        for field in sort where !FieldPath(field.name).isValid || field.name.isEmpty {
            throw QueryError("invalid_sort_field", "Invalid sort field: \(JSONValue.string(field.name).jsonText())")
        }
        projection = query.fields.map { Projection($0) }
        var addedConditions: [JSONValue] = []
        if asCouchDB {
            addedConditions += sort.map { .object(JSONObject([($0.name, ["$exists": true] as JSONValue)])) }
        }
        if let partition = query.partition {
            addedConditions.append(["_id": ["$beginsWith": .string(partition + ":")]])
        }
        if addedConditions.isEmpty, !query.selector.isEmpty {
            selector = asked.joiningTexts()
        } else {
            let originalConditions: [JSONValue] = query.selector.isEmpty ? [] : [.object(query.selector)]
            selector = try Selector(parsing: ["$and": .array(originalConditions + addedConditions)]).joiningTexts()
        }
        guard selector.textSearches.count <= 1 else { throw QueryError.multipleTextSearches }
        text = try TextQuery(of: selector)
    }

    /// Validates a query of a client of CouchDB or Cloudant. If the database has a text index, names in its sort may end
    /// with a type, unless an index of the type `json` has a field with this complete name.
    package convenience init(asCouchDB query: FindQuery, in datastore: Datastore) throws {
        let indexes = query.sort.isEmpty ? [] : try datastore.indexDescriptions()
        let isTyped =
            try indexes.contains { $0.kind == TextIndex.kindName }
            && !indexes.contains { index in
                guard index.kind == JSONIndex.kindName else { return false }
                let names = try JSONIndex.definition(of: index).fields.map(\.name)
                return query.sort.contains { field in names.contains { $0.isIdenticalText(to: field.name) } }
            }
        try self.init(query, asCouchDB: true, hasTypedSort: isTyped)
    }

    /// Whether an incomplete index of the type `json` or `geo` would serve the query; `false` for a text index. For an
    /// index of the type `json`, the selector must contain the first field of the index. If the query does not name the
    /// index, the selector must also imply the partial filter of the index. For a geospatial index, the selector must
    /// have a geospatial condition.
    func wouldUse(_ index: IndexDescription) -> Bool {
        guard index.kind == JSONIndex.kindName, let definition = try? JSONIndex.definition(of: index) else {
            return index.kind == QueryIndex.Kind.geo.rawValue && !selector.places.isEmpty
        }
        guard selector.fields.contains(ExactText(definition.fields[0].name)) else { return false }
        return definition.partialFilter.map { query.names(index) || selector.implies($0) } ?? true
    }

    /// A hash of the three parts of a query that determine the results and their order: the selector, the sort and the
    /// partition. A bookmark is valid only for queries with an equal hash.
    var fingerprint: UInt64 {
        let parts: [JSONValue] = [
            selector.normalized, .array(sort.map(\.json)), query.partition.map { .string($0) } ?? .null,
        ]
        // 64-bit FNV-1a.
        return JSONValue.array(parts).jsonBytes().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
