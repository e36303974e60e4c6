//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// What to look for in a text index, as CouchDB's `_search` has it.
package struct SearchRequest: Sendable {
    /// The query; see ``TextQuery``.
    package var text: String
    /// The id of the index's design document; `nil` where the index alone is named, or neither.
    package var design: String?
    /// The index's name; `nil` for the only one.
    package var index: String?
    /// At most so many hits.
    package var limit = 25
    /// Where to go on: what the page before gave.
    package var bookmark: String?
    /// Whether the index is taken as it is, without what changed since; Mango's indexes are always as new as the documents.
    package var acceptsStale = false
    /// The groups that hits are put into; then ``limit`` is that of each group.
    package var grouping: SearchGrouping?
    /// The order; by relevance when it is empty.
    package var sort: [SearchOrder] = []
    /// Only documents that have one of the values of each of these.
    package var drilldown: [SearchDrilldown] = []
    /// What is counted over all hits.
    package var facets: TextFacets?
    /// The partition that is looked at; all when it is `nil`.
    package var partition: String?
    /// The fields whose values each hit has; those that the index names or stores when it is `nil`.
    package var fields: [String]?
    /// What is shown of the fields in which something matches.
    package var highlight: TextHighlighter.Style?

    package init(_ text: String, design: String? = nil, index: String? = nil) {
        self.text = text
        self.design = design
        self.index = index
    }

    /// Refuses what would cost too much.
    func check() throws(TextError) {
        let lists = [
            sort.count, drilldown.count, facets?.counts.count ?? 0, facets?.ranges.count ?? 0, fields?.count ?? 0,
            highlight?.fields.count ?? 0, grouping?.order.count ?? 0,
        ]
        guard lists.allSatisfy({ $0 <= TextLimits.searchFieldsMax }) else { throw .tooManySearchFields }
    }

    /// What a bookmark is good for: the same hits of the same index in the same order.
    func fingerprint(_ index: IndexDescription) -> UInt64 {
        let parts: [JSONValue] = [
            .string(index.design), .string(index.name), .string(String(decoding: index.definition, as: UTF8.self)),
            .string(text), .array(sort.map { .string($0.written) }), .array(drilldown.map(\.json)),
            partition.map { .string($0) } ?? .null,
        ]
        // FNV-1a of 64 bits.
        return JSONValue.array(parts).jsonBytes().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// A field, and values of which a hit's document must have one: Cloudant's `drilldown`. Values are compared as they are,
/// not by their words; numbers and truth values by their text.
package struct SearchDrilldown: Sendable {
    let field: String
    let values: [String]

    package init(field: String, values: [String]) {
        self.field = field
        self.values = values
    }

    fileprivate var json: JSONValue { .array(([field] + values).map { .string($0) }) }
}
