//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// What a hit must be beside what the query says: a document of the datastore's owner and of the partition, with one of
/// the values of each drilldown.
struct SearchFilter: Sendable {
    private let prefix: String
    private let drilldown: [SearchDrilldown]
    private let fields: SearchFields

    init(_ request: SearchRequest, in scope: Scope) {
        prefix = request.partition.map { scope.stored($0 + ":") } ?? scope.prefix
        drilldown = request.drilldown
        fields = SearchFields(drilldown.map(\.field), for: .facets)
    }

    /// Whether every hit passes.
    var isOpen: Bool { prefix.isEmpty && drilldown.isEmpty }

    /// Whether a hit's document tells whether it passes.
    var needsDocuments: Bool { !drilldown.isEmpty }

    /// The hits of the datastore's owner and of the partition, in the same order.
    func own(among hits: [TextHit]) -> [TextHit] {
        prefix.isEmpty ? hits : hits.filter { $0.storedID.utf8.starts(with: prefix.utf8) }
    }

    /// Whether a document has one of the values of each drilldown.
    func passes(_ document: JSONTape) -> Bool {
        zip(drilldown, fields.values(in: document)).allSatisfy { wanted, values in
            values.contains { wanted.values.contains(document.string($0)) }
        }
    }
}
