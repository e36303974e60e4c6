//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// A query that was checked. Plans, cursors and bookmarks refer to it.
package final class PreparedQuery: Sendable {
    /// The selector as it came.
    let asked: Selector
    /// The selector with what the order and the partition ask for.
    let selector: Selector
    /// The search of the selector's `$text`.
    let text: TextQuery?
    let sort: [QueryField]
    /// The members wanted; `nil` for whole documents.
    let projection: Projection?
    let query: FindQuery
    /// Whether documents may be sorted in memory where no index has the order, which CouchDB refuses.
    let sortsInMemory: Bool

    /// Checks a query.
    ///
    /// - Parameters:
    ///   - asCouchDB: Whether CouchDB's ways are kept that a client can tell: a sort needs an index, and documents without
    ///     its fields are not found.
    /// - Throws: ``QueryError`` or ``SelectorError``.
    package init(_ query: FindQuery, asCouchDB: Bool = false) throws {
        self.query = query
        sort = query.sort
        sortsInMemory = !asCouchDB
        for field in sort where !FieldPath(field.name).isValid || field.name.isEmpty {
            throw QueryError("invalid_sort_field", "Invalid sort field: \(JSONValue.string(field.name).jsonText())")
        }
        projection = query.fields.map { Projection($0) }
        asked = try Selector(parsing: .object(query.selector))
        var further: [JSONValue] = []
        if asCouchDB { further += sort.map { .object(JSONObject([($0.name, ["$exists": true] as JSONValue)])) } }
        if let partition = query.partition { further.append(["_id": ["$beginsWith": .string(partition + ":")]]) }
        if further.isEmpty, !query.selector.isEmpty {
            selector = asked
        } else {
            let own: [JSONValue] = query.selector.isEmpty ? [] : [.object(query.selector)]
            selector = try Selector(parsing: ["$and": .array(own + further)])
        }
        guard selector.textSearches.count <= 1 else { throw QueryError.multipleTextSearches }
        text = try TextQuery(of: selector)
    }

    /// Whether an index that is not complete would serve the query: the selector names its first field, and implies its
    /// partial filter where it has one.
    func wouldUse(_ index: IndexDescription) -> Bool {
        guard index.kind == JSONIndex.kindName, let definition = try? JSONIndex.definition(of: index) else {
            return index.kind == QueryIndex.Kind.geo.rawValue && !selector.places.isEmpty
        }
        guard selector.fields.contains(definition.fields[0].name) else { return false }
        return definition.partialFilter.map { query.names(index) || selector.implies($0) } ?? true
    }

    /// What a bookmark is good for: the same documents in the same order.
    var fingerprint: UInt64 {
        let parts: [JSONValue] = [
            selector.normalized, .array(sort.map(\.json)), query.partition.map { .string($0) } ?? .null,
        ]
        // FNV-1a of 64 bits.
        return JSONValue.array(parts).jsonBytes().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
