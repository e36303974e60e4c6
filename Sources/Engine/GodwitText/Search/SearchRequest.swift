//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// A search in a text index: the parameters of CouchDB's `_search`.
package struct SearchRequest: Sendable {
    /// The query; see ``TextQuery``.
    package var text: String
    /// The id of the index's design document; `nil` if the request names only the index, or no index.
    package var design: String?
    /// The index's name; `nil` for the only text index.
    package var index: String?
    /// The maximum number of hits.
    package var limit = 25
    /// The bookmark of the previous page; `nil` for the first page.
    package var bookmark: String?
    /// Whether the search may use the index without adding recent changes to it first. Mango's indexes always contain
    /// all changes.
    package var acceptsStale = false
    /// The grouping of hits; `nil` for no groups. If hits are grouped, ``limit`` applies to each group.
    package var grouping: SearchGrouping?
    /// The order; empty for the order by relevance.
    package var sort: [SearchOrder] = []
    /// The drilldowns. For each drilldown, the document of a hit must have one of the values that the drilldown lists.
    package var drilldown: [SearchDrilldown] = []
    /// The fields and ranges that are counted over all hits.
    package var facets: TextFacets?
    /// The partition to search; `nil` for all partitions.
    package var partition: String?
    /// The fields whose values are returned with each hit; `nil` for the fields that the index names or stores.
    package var fields: [String]?
    /// The options for highlighted fragments of the matching fields; `nil` for no fragments.
    package var highlight: TextHighlighter.Style?

    /// Creates a request with the default values of the other parameters.
    ///
    /// - Parameters:
    ///   - text: The query.
    ///   - design: The id of the index's design document; `nil` for any.
    ///   - index: The index's name; `nil` for the only text index.
    package init(_ text: String, design: String? = nil, index: String? = nil) {
        self.text = text
        self.design = design
        self.index = index
    }

    /// Throws ``TextError`` when the request names too many fields.
    func check() throws(TextError) {
        let lists = [
            sort.count, drilldown.count, facets?.counts.count ?? 0, facets?.ranges.count ?? 0, fields?.count ?? 0,
            highlight?.fields.count ?? 0, grouping?.order.count ?? 0,
        ]
        guard lists.allSatisfy({ $0 <= TextLimits.searchFieldsMax }) else { throw .tooManySearchFields }
    }

    /// Returns a hash of the parts of the request that determine the hits and their order: the index, the query, the
    /// sort, the drilldowns and the partition. A bookmark is valid only for searches with an equal hash.
    func fingerprint(_ index: IndexDescription) -> UInt64 {
        let parts: [JSONValue] = [
            .string(index.design), .string(index.name), .string(String(decoding: index.definition, as: UTF8.self)),
            .string(text), .array(sort.map { .string($0.written) }), .array(drilldown.map(\.json)),
            partition.map { .string($0) } ?? .null,
        ]
        // 64-bit FNV-1a.
        return JSONValue.array(parts).jsonBytes().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// A field and a set of values: a hit's document must have at least one of these values in the field (Cloudant's
/// `drilldown`). Complete values are compared, not their words. Numbers and Booleans are compared by their text.
package struct SearchDrilldown: Sendable {
    let field: String
    let values: [String]

    /// Creates a drilldown from the name of a field and its values.
    package init(field: String, values: [String]) {
        self.field = field
        self.values = values
    }

    fileprivate var json: JSONValue { .array(([field] + values).map { .string($0) }) }
}
