//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// The conditions that a hit must meet in addition to the query. The document of the hit must belong to the owner and
/// to the partition that are searched. For each drilldown, the document must have one of the values of this drilldown.
struct SearchFilter: Sendable {
    private let prefix: String
    private let drilldown: [SearchDrilldown]
    private let fields: SearchFields

    init(_ request: SearchRequest, in scope: Scope) {
        prefix = request.partition.map { scope.stored($0 + ":") } ?? scope.prefix
        drilldown = request.drilldown
        fields = SearchFields(drilldown.map(\.field), for: .facets)
    }

    /// Whether every hit passes, because there are no conditions.
    var isOpen: Bool { prefix.isEmpty && drilldown.isEmpty }

    /// Whether the test needs the hits' documents.
    var needsDocuments: Bool { !drilldown.isEmpty }

    /// Returns those hits that belong to the owner and to the partition that are searched, in the same order.
    func own(among hits: [TextHit]) -> [TextHit] {
        prefix.isEmpty ? hits : hits.filter { $0.storedID.utf8.starts(with: prefix.utf8) }
    }

    /// Whether a document has, for each drilldown, one of the values of this drilldown.
    func passes(_ document: JSONTape) -> Bool {
        zip(drilldown, fields.values(in: document)).allSatisfy { condition, values in
            values.contains { value in
                condition.values.contains { $0.isIdenticalText(to: document.string(value)) }
            }
        }
    }
}
