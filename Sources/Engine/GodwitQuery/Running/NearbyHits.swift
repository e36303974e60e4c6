//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Buffers the hits of a geospatial index that a query has not read yet.
///
/// Each search starts again at the center of the area. To keep the number of searches small, each search requests more
/// hits than the previous search.
struct NearbyHits: Sendable {
    private var hits: ArraySlice<GeoSearchHit> = []
    /// The last sequence when the hits were found. Documents that changed later are skipped.
    private(set) var sequence: Int64 = 0
    /// The minimum number of hits that the next search requests.
    private var requestCount = 25
    /// Whether the last search returned all remaining hits.
    private var hasAllHits = false
    /// The positions of the first hits of documents that the search finds several times, keyed by the documents'
    /// numbers.
    private var firstPositions: [Int64: GeoSearchHit.Position] = [:]

    /// Returns the next hit; `nil` when no more hits exist.
    ///
    /// - Parameters:
    ///   - position: The position of the last hit that was read.
    ///   - wanted: The number of hits that will probably be used.
    mutating func next(
        of access: GeoAccess, after position: QueryPosition, wanted: Int, in table: DocumentTable
    ) throws -> GeoSearchHit? {
        if hits.isEmpty, !hasAllHits {
            let last = position.id.isEmpty ? nil : GeoSearchHit.Position(key: position.key, storedID: position.storedID)
            let limit = min(max(wanted, requestCount), QueryLimits.geometryHitsWaitingMax)
            requestCount = min(requestCount * 4, QueryLimits.geometryHitsWaitingMax)
            let found = try access.search.hits(after: last, limit: limit, in: table)
            (hits, hasAllHits, firstPositions) = (found[...], found.count < limit, [:])
            sequence = try table.lastSequence()
        }
        return hits.popFirst()
    }

    /// Whether a hit is the first hit of its document.
    mutating func isFirst(_ hit: GeoSearchHit, of access: GeoAccess, in table: DocumentTable) throws -> Bool {
        if let firstPosition = firstPositions[hit.document] { return firstPosition == hit.position }
        guard let position = try access.search.firstPosition(of: hit, in: table) else { return true }
        firstPositions[hit.document] = position
        return position == hit.position
    }
}
