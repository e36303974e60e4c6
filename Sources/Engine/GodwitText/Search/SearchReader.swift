//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Finds a page of hits. If the documents of many hits must be read, they are read in slices, all from one state of the
/// database.
struct SearchReader: Sendable {
    let request: SearchRequest
    let query: TextQuery
    let index: IndexDescription
    let fingerprint: UInt64
    let bookmark: SearchBookmark?
    let filter: SearchFilter
    let state: SearchState

    /// Whether a function fills the index. Such an index is not updated with each write, so it may be older than the
    /// documents.
    private var isOfFunctions: Bool { index.kind == FieldIndex.kindName }

    /// A hit with its sort values.
    struct Hit: Sendable {
        let storedID: String
        let score: Double
        /// The sort values in the format of a response.
        let order: [JSONValue]
    }

    struct Page: Sendable {
        var hits: [Hit]
        /// The number of all hits.
        var total: Int
        var bookmark: String
        var facets: TextFacets.Result?
        /// The groups of the hits, in their order.
        var groups: [SearchGroup]?
    }

    func page() async throws -> Page {
        if let grouping = request.grouping { return try await grouped(by: grouping) }
        var page = try await request.sort.isEmpty ? byRelevance() : sorted()
        guard !filter.isOpen || request.facets != nil else { return page }
        let all = try await passing(read { try $0.allRows() })
        page.total = all.count
        page.facets = try await counts(over: all)
        return page
    }

    private func bookmark(_ position: TextPosition, _ sorted: SortPosition = SortPosition()) -> String {
        SearchBookmark(fingerprint: fingerprint, position: position, sorted: sorted).text
    }

    // MARK: Slices

    private func read<Result>(_ body: (TextSearch) throws -> Result) throws -> Result {
        try state.read { table in
            let exists = try isOfFunctions ? table.index(index.number) != nil : table.isComplete(index)
            guard exists else { throw SearchIndexError.gone(index.name) }
            return try body(TextSearch(query, in: index, TextIndex.definition(of: index), on: table.connection))
        }
    }

    /// Calls the closure with the documents of hits.
    func look(at hits: [TextHit], _ body: (TextHit, JSONTape) throws -> Void) async throws {
        var rest = hits[...]
        while !rest.isEmpty {
            let slice = rest.prefix(TextLimits.searchSliceHitsMax)
            rest = rest.dropFirst(slice.count)
            try read { search in
                for hit in slice {
                    if let document = try search.body(of: hit) { try body(hit, document) }
                }
            }
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    /// Returns the hits that match the filter, in the same order.
    ///
    /// - Throws: ``TextError`` when the documents of more than ``TextLimits/facetHitsMax`` hits would have to be read.
    private func passing(_ hits: [TextHit]) async throws -> [TextHit] {
        let ownHits = filter.own(among: hits)
        guard filter.needsDocuments else { return ownHits }
        guard ownHits.count <= TextLimits.facetHitsMax else {
            throw TextError.tooManyFacets("hits to drill down into", TextLimits.facetHitsMax)
        }
        var passing: [TextHit] = []
        try await look(at: ownHits) { hit, document in
            if filter.passes(document) { passing.append(hit) }
        }
        return passing
    }

    private func counts(over hits: [TextHit]) async throws -> TextFacets.Result? {
        guard let facets = request.facets else { return nil }
        try read { try $0.check(facets) }
        guard hits.count <= TextLimits.facetHitsMax else {
            throw TextError.tooManyFacets("hits to count over", TextLimits.facetHitsMax)
        }
        var counter = TextFacetCounter(facets)
        try await look(at: hits.sorted { $0.sequence < $1.sequence }) { _, document in try counter.count(document) }
        return counter.result
    }

    // MARK: By relevance

    private func byRelevance() async throws -> Page {
        var foundHits: [TextHit] = []
        var position = bookmark?.position
        var requestCount = request.limit
        while true {
            let (page, total) = try read { search in
                let page = try search.page(after: position, limit: requestCount)
                // If the filter excludes hits, the total of the page is not correct. Therefore the hits are counted
                // separately.
                return (page, filter.isOpen ? try page.total ?? search.count() : 0)
            }
            let missingCount = request.limit - foundHits.count
            foundHits += try await passing(page.hits).prefix(missingCount)
            position = foundHits.last.map { page.position(after: $0) } ?? position ?? TextPosition(before: page)
            guard foundHits.count < request.limit, page.hits.count == requestCount, requestCount > 0 else {
                let hits = foundHits.map { Hit(storedID: $0.storedID, score: $0.score, order: [.double($0.score), 0]) }
                return Page(hits: hits, total: total, bookmark: bookmark(position!))
            }
            position = page.position(after: page.hits.last!)
            requestCount = min(requestCount * 2, TextLimits.pageHitsMax)
        }
    }

    // MARK: By fields

    /// Returns all hits with their scores, and the position before the first hit.
    func ranked() throws -> (start: TextPosition, hits: [TextHit]) {
        // The scores use the statistics of the first page, so that a position among them remains valid.
        let (start, hits) = try read { search in
            let start = try bookmark?.position ?? TextPosition(before: search.page(limit: 0))
            return (start, try search.page(after: start, limit: TextLimits.sortedHitsMax + 1).hits)
        }
        guard hits.count <= TextLimits.sortedHitsMax else {
            throw TextError.tooManyFacets("hits to sort", TextLimits.sortedHitsMax)
        }
        return (start, hits)
    }

    private func sorted() async throws -> Page {
        let (start, hits) = try ranked()
        var best = BestHits(limit: request.limit, after: bookmark?.sorted ?? SortPosition())
        let keys = SearchKeys(request.sort)
        try await look(at: filter.own(among: hits)) { hit, document in
            guard filter.passes(document) else { return }
            best.add(keys.candidate(hit, document))
        }
        let bestHits = best.sorted()
        return Page(
            hits: bestHits.map(\.hit), total: hits.count,
            bookmark: bookmark(start, bestHits.last?.position ?? bookmark?.sorted ?? SortPosition()))
    }
}
