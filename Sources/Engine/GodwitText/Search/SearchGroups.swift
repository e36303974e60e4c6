//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The grouping of hits: Cloudant's `group_field`, `group_limit` and `group_sort`.
package struct SearchGrouping: Sendable {
    /// The maximum number of groups.
    package var limit = 10
    /// The order of hits from which the order of the groups follows. In this order, a group has the position of its
    /// first hit. The list is empty for the order by relevance.
    package var order: [SearchOrder] = []
    private let field: SearchFields

    /// Groups by the complete text of a field, written `name` or `name<string>`.
    ///
    /// - Throws: ``TextError`` for a number, the score or a descending field.
    package init(by written: String) throws(TextError) {
        let order = try? SearchOrder(parsing: written.ends(with: ">") ? written : written + "<string>")
        guard let order, case .text(let path) = order.subject, !order.isDescending else { throw .invalidGroup(written) }
        field = SearchFields([path])
    }

    /// Returns the text that identifies the group of a document. This is the first string of the field. Returns `nil`
    /// when the field has no string.
    fileprivate func value(in document: JSONTape) -> String? {
        field.values(in: document)[0].first { document.kind($0) == .string }.map { document.string($0) }
    }
}

/// A group of hits with the same text in a field.
package struct SearchGroup: Sendable {
    /// The common text of the hits; `nil` for the group of hits that have no text in the field.
    package let by: String?
    /// The number of hits in the group.
    package let total: Int
    /// The number of hits of the group that are returned.
    package let count: Int
}

extension SearchReader {
    /// Returns the first groups, each with its first hits.
    func grouped(by grouping: SearchGrouping) async throws -> Page {
        let groupKeys = SearchKeys(grouping.order)
        let keys = SearchKeys(request.sort)
        var (groups, total): ([ExactText?: Group], Int) = ([:], 0)
        try await look(at: filter.own(among: ranked().hits)) { hit, document in
            guard filter.passes(document) else { return }
            total += 1
            let group = grouping.value(in: document).map { ExactText($0) }
            let position = groupKeys.candidate(hit, document).position
            groups[group, default: Group(position: position, limit: request.limit)]
                .add(keys.candidate(hit, document), at: position)
        }
        let firstGroups = groups.sorted { $0.value.position.precedes($1.value.position) }.prefix(grouping.limit)
        var page = Page(hits: [], total: total, bookmark: "", groups: [])
        for (by, group) in firstGroups {
            let hits = group.best.sorted().map(\.hit)
            page.hits += hits
            page.groups?.append(SearchGroup(by: by?.text, total: group.total, count: hits.count))
        }
        return page
    }

    private struct Group {
        /// The position of its first hit.
        var position: SortPosition
        var total = 0
        var best: BestHits

        init(position: SortPosition, limit: Int) {
            self.position = position
            best = BestHits(limit: limit)
        }

        mutating func add(_ hit: BestHits.Candidate, at position: SortPosition) {
            total += 1
            best.add(hit)
            if position.precedes(self.position) { self.position = position }
        }
    }
}
