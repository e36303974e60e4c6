//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// What a hit must be beside what the query says: a document of the datastore's owner and of the partition, with one of
/// the values of each drilldown.
struct SearchFilter {
    private let prefix: String
    private let drilldown: [SearchDrilldown]
    private let fields: SearchFields

    init(_ request: SearchRequest, in scope: Scope) {
        prefix = request.partition.map { scope.stored($0 + ":") } ?? scope.prefix
        drilldown = request.drilldown
        fields = SearchFields(drilldown.map(\.field))
    }

    /// Whether every hit passes.
    var isOpen: Bool { prefix.isEmpty && drilldown.isEmpty }

    /// The hits that pass, in the same order.
    ///
    /// - Throws: ``TextError`` above `textFacetHitsMax` hits whose documents must be looked at.
    func hits(among hits: [TextHit], of search: TextSearch) throws -> [TextHit] {
        guard !isOpen else { return hits }
        let own = prefix.isEmpty ? hits : hits.filter { $0.storedID.utf8.starts(with: prefix.utf8) }
        guard !drilldown.isEmpty else { return own }
        guard own.count <= QueryLimits.textFacetHitsMax else {
            throw TextError.tooManyFacets("hits to drill down into", QueryLimits.textFacetHitsMax)
        }
        return try own.filter { hit in try search.body(at: hit.sequence).map(passes) ?? false }
    }

    private func passes(_ document: JSONTape) -> Bool {
        zip(drilldown, fields.values(in: document)).allSatisfy { wanted, values in
            values.contains { wanted.values.contains(document.string($0)) }
        }
    }
}
