//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Finds a page of hits within one read.
struct SearchReader {
    let request: SearchRequest
    let search: TextSearch
    let filter: SearchFilter
    let fingerprint: UInt64
    let bookmark: SearchBookmark?

    /// A hit with what it is sorted by.
    struct Hit: Sendable {
        let storedID: String
        let score: Double
        /// As it is answered.
        let order: [JSONValue]
    }

    struct Page: Sendable {
        var hits: [Hit]
        /// All hits.
        var total: Int
        var bookmark: String
        var facets: TextFacets.Result?
    }

    func page() throws -> Page {
        var page = try request.sort.isEmpty ? byRelevance() : sorted()
        guard !filter.isOpen || request.facets != nil else { return page }
        let all = try filter.hits(among: search.allRows(), of: search)
        page.total = all.count
        page.facets = try request.facets?.result(over: all, of: search)
        return page
    }

    private func bookmark(_ place: TextPlace, _ sorted: SortedPlace = SortedPlace()) -> String {
        SearchBookmark(fingerprint: fingerprint, place: place, sorted: sorted).text
    }

    // MARK: By relevance

    private func byRelevance() throws -> Page {
        var found: [TextHit] = []
        var place = bookmark?.place
        var asked = request.limit
        while true {
            let page = try search.page(after: place, limit: asked)
            let wanted = request.limit - found.count
            found += try filter.hits(among: page.hits, of: search).prefix(wanted)
            place = found.last.map { page.place(after: $0) } ?? place ?? TextPlace(before: page)
            guard found.count < request.limit, page.hits.count == asked, asked > 0 else {
                let hits = found.map { Hit(storedID: $0.storedID, score: $0.score, order: [.double($0.score), 0]) }
                // Where the filter is not open, the total is counted anew.
                let total = filter.isOpen ? try page.total ?? search.count() : 0
                return Page(hits: hits, total: total, bookmark: bookmark(place!))
            }
            place = page.place(after: page.hits.last!)
            asked = min(asked * 2, QueryLimits.textPageHitsMax)
        }
    }

    // MARK: In the order of fields

    private func sorted() throws -> Page {
        // Scores are those of the first page, so that a place among them stays one.
        let first = try search.page(limit: 0)
        let start = bookmark?.place ?? TextPlace(before: first)
        let hits = try search.page(after: start, limit: QueryLimits.sortedRowsMax + 1).hits
        guard hits.count <= QueryLimits.sortedRowsMax else {
            throw TextError.tooManyFacets("hits to sort", QueryLimits.sortedRowsMax)
        }
        var best = BestHits(limit: request.limit, after: bookmark?.sorted ?? SortedPlace())
        let fields = SearchFields(request.sort.compactMap(\.path))
        for hit in try filter.hits(among: hits, of: search) {
            guard let document = try search.body(at: hit.sequence) else { continue }
            best.add(sorted(hit, document, fields.values(in: document)))
        }
        let found = best.sorted()
        return Page(
            hits: found.map(\.hit), total: hits.count,
            bookmark: bookmark(start, found.last?.place ?? bookmark?.sorted ?? SortedPlace()))
    }

    private func sorted(_ hit: TextHit, _ document: JSONTape, _ values: [[Int]]) -> BestHits.Candidate {
        var (order, key, field): ([JSONValue], [UInt8], Int) = ([], [], 0)
        for item in request.sort {
            let value = item.value(score: hit.score, of: item.path == nil ? [] : values[field], in: document)
            if item.path != nil { field += 1 }
            order.append(value.json)
            key += value.key
        }
        return BestHits.Candidate(
            hit: Hit(storedID: hit.storedID, score: hit.score, order: order + [0]),
            place: SortedPlace(key: key, id: Array(hit.storedID.utf8)))
    }
}

/// The first few hits behind a place. No more than twice as many are in memory.
private struct BestHits {
    struct Candidate {
        let hit: SearchReader.Hit
        let place: SortedPlace
    }

    private let limit: Int
    private let start: SortedPlace
    private var candidates: [Candidate] = []

    init(limit: Int, after start: SortedPlace) {
        self.limit = limit
        self.start = start
    }

    mutating func add(_ candidate: Candidate) {
        guard start.precedes(candidate.place) else { return }
        candidates.append(candidate)
        if candidates.count > 2 * limit { candidates = sorted() }
    }

    func sorted() -> [Candidate] { Array(candidates.sorted { $0.place.precedes($1.place) }.prefix(limit)) }
}
