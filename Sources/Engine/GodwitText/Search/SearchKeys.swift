//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Computes the sort keys of hits.
struct SearchKeys: Sendable {
    private let orders: [SearchOrder]
    private let fields: SearchFields

    /// - Parameter orders: The sort orders; empty for the order by relevance.
    init(_ orders: [SearchOrder]) {
        self.orders = orders.isEmpty ? [.relevance] : orders
        fields = SearchFields(orders.compactMap(\.path))
    }

    func candidate(_ hit: TextHit, _ document: JSONTape) -> BestHits.Candidate {
        let values = fields.values(in: document)
        var (order, key, fieldIndex): ([JSONValue], [UInt8], Int) = ([], [], 0)
        for item in orders {
            let value = item.value(score: hit.score, of: item.path == nil ? [] : values[fieldIndex], in: document)
            if item.path != nil { fieldIndex += 1 }
            order.append(value.json)
            key += value.key
        }
        return BestHits.Candidate(
            hit: SearchReader.Hit(storedID: hit.storedID, score: hit.score, order: order + [0]),
            position: SortPosition(key: key, id: Array(hit.storedID.utf8)))
    }
}
