//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
import GodwitJSON

/// Counts over all hits of a search: Cloudant's `counts` and `ranges`. Counting reads the document of each hit.
package struct TextFacets: Sendable {
    /// The fields whose values are counted, by their dotted paths.
    package var counts: [String] = []
    /// The named ranges for which hits are counted, keyed by the field to which they apply.
    package var ranges: [ExactText: [ExactText: TextRange]] = [:]

    /// Creates facets without fields.
    package init() {}

    /// For each field, the number of hits with each value and in each range.
    package struct Result: Sendable, Equatable {
        /// The number of hits with each value. The keys are the field and the text of the value.
        package var counts: [ExactText: [ExactText: Int]] = [:]
        /// The number of hits in each range. The keys are the field and the name of the range.
        package var ranges: [ExactText: [ExactText: Int]] = [:]
    }

    /// Counts the values of all hits.
    ///
    /// A hit is counted once for each of its distinct values. Numbers and Booleans are counted by their text.
    ///
    /// - Throws: ``TextError`` when the search has more than ``TextLimits/facetHitsMax`` hits, or their documents have
    ///   more than ``TextLimits/facetValuesMax`` distinct values in a field.
    package func result(over search: TextSearch) throws -> Result {
        let hits = try search.allRows()
        guard hits.count <= TextLimits.facetHitsMax else {
            throw TextError.tooManyFacets("hits to count over", TextLimits.facetHitsMax)
        }
        var counter = TextFacetCounter(self)
        for hit in hits.sorted(by: { $0.sequence < $1.sequence }) {
            if let document = try search.body(of: hit) { try counter.count(document) }
        }
        return counter.result
    }
}

/// Counts the values of documents. The documents are added one at a time.
struct TextFacetCounter {
    private(set) var result = TextFacets.Result()
    private let countedFields: [ExactText: [ExactText]]
    private let rangedFields: [ExactText: [ExactText]]
    private let ranges: [ExactText: [ExactText: TextRange]]

    init(_ facets: TextFacets) {
        let counts = facets.counts.map { ExactText($0) }
        countedFields = Dictionary(grouping: counts) { ExactText(TextPath.normalized($0.text)) }
        rangedFields = Dictionary(grouping: facets.ranges.keys) { ExactText(TextPath.normalized($0.text)) }
        ranges = facets.ranges
        for field in counts { result.counts[field] = [:] }
        for (field, ranges) in facets.ranges { result.ranges[field] = ranges.mapValues { _ in 0 } }
    }

    mutating func count(_ document: JSONTape) throws(TextError) {
        var (values, names): ([ExactText: Set<ExactText>], [ExactText: Set<ExactText>]) = ([:], [:])
        for (path, value) in TextLeaves(of: document, for: .facets) {
            let path = ExactText(path)
            for field in countedFields[path] ?? [] {
                values[field, default: []].insert(ExactText(document.string(value)))
            }
            for field in rangedFields[path] ?? [] {
                for (name, range) in ranges[field] ?? [:] where range.contains(value, in: document) {
                    names[field, default: []].insert(name)
                }
            }
        }
        for (field, values) in values {
            for value in values { result.counts[field, default: [:]][value, default: 0] += 1 }
            guard result.counts[field]?.count ?? 0 <= TextLimits.facetValuesMax else {
                throw .tooManyFacets("values of \(field.text)", TextLimits.facetValuesMax)
            }
        }
        for (field, names) in names {
            for name in names { result.ranges[field, default: [:]][name, default: 0] += 1 }
        }
    }
}
