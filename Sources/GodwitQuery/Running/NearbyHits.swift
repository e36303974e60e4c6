//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitPlaces
import GodwitSQLite
import GodwitStore

/// What walks of a geospatial index found for a query and was not looked at yet.
///
/// Each walk begins at the middle of the area, so walks grow where few of their hits are wanted.
struct NearbyHits: Sendable {
    private var hits: ArraySlice<GeoFound> = []
    /// The last change when they were found: documents that changed since are not those that were found.
    private(set) var sequence: Int64 = 0
    private var asked = 25
    private var isLast = false
    /// Where documents with several geometries are found first.
    private var first: [Int64: GeoPlace] = [:]

    /// The next hit; `nil` when there are no more.
    ///
    /// - Parameters:
    ///   - place: The last one that was looked at.
    ///   - wanted: How many are likely to be wanted.
    mutating func next(
        of access: GeoAccess, after place: QueryPlace, wanted: Int, in table: DocumentTable
    ) throws -> GeoFound? {
        if hits.isEmpty, !isLast {
            let last = place.id.isEmpty ? nil : try GeoPlace(key: place.key, storedID: place.storedID)
            let limit = min(max(wanted, asked), GeoLimits.hitsWaitingMax)
            asked = min(asked * 4, GeoLimits.hitsWaitingMax)
            let found = try access.hits(after: last, limit: limit, in: table)
            (hits, isLast, first) = (found[...], found.count < limit, [:])
            sequence = try table.lastSequence()
        }
        return hits.popFirst()
    }

    /// Whether a hit is the first by which its document is found.
    mutating func isFirst(_ hit: GeoFound, of access: GeoAccess, in table: DocumentTable) throws -> Bool {
        if let known = first[hit.document] { return known == hit.place }
        guard try GeoTables(access.index, on: table.connection).hasSeveral(hit.document),
            let place = try access.firstPlace(of: hit, in: table)
        else { return true }
        first[hit.document] = place
        return place == hit.place
    }
}
