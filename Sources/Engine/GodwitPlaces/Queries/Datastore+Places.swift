//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore

extension Datastore {
    /// Returns a page of the places in an area, or of all places (``GeoQuery/nearest``). The places are ordered by
    /// their distance from the area's center, the nearest first.
    ///
    /// ```swift
    /// try await trips.ensureGeoIndex(on: "geometry")
    /// let here = try SearchArea.circle(center: Position(longitude: -123.05, latitude: 38.33), radius: 10_000)
    /// for hit in try await trips.places(GeoQuery(here)).hits { print(hit.document.id!, hit.metres) }
    /// ```
    ///
    /// The search runs locally, without a network. The database may change between two pages. Nevertheless, each place
    /// that does not change is returned exactly once.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - index: The index: its name, or `design/name` with the name of its design document. The design document is
    ///     required if several indexes have the name, and for an index that a JavaScript function defines. `nil` for
    ///     the only geospatial index of the database. In this case, indexes that JavaScript functions define are
    ///     ignored. If the index is being built, the query waits for it.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an invalid area, for a query that
    ///   takes too long and for a bookmark of a different query; ``StoreError/Code/indexNotFound`` when the index does
    ///   not exist, its name is ambiguous, its definition is invalid or not supported by this datastore, or it was
    ///   deleted during the query; other codes when the database cannot be read or the index cannot be updated.
    public func places(_ query: GeoQuery, index: String? = nil) async throws(StoreError) -> GeoPage {
        do {
            let (index, _) = try await geoIndex(GeoIndexName(index))
            let page = try await geoRows(query, of: index) { hit, document -> GeoHit? in
                guard let row = try document.row() else { return nil }
                return GeoHit(
                    document: try Document(StoredRevision(winnerOf: row)), geometry: try hit.geometry,
                    metres: hit.position.metres)
            }
            return GeoPage(hits: page.rows, bookmark: page.isFull ? page.bookmark : nil)
        } catch {
            throw StoreError(geo: error, subject: "a geospatial query in \(name)")
        }
    }
}

/// A page of the results of a geospatial query.
public struct GeoPage: Sendable {
    /// The places, the nearest first.
    public let hits: [GeoHit]
    /// The bookmark for the next page; `nil` when this page is the last, because fewer geometries than the limit were
    /// found.
    public let bookmark: String?

    /// Creates a page from its places and the bookmark for the next page.
    package init(hits: [GeoHit], bookmark: String?) { (self.hits, self.bookmark) = (hits, bookmark) }
}

/// A place that a query found. A document with several geometries can be found several times.
public struct GeoHit: Sendable {
    /// The document.
    public let document: Document
    /// The found geometry in the document's coordinates.
    public let geometry: Geometry
    /// The distance in meters from the center of the area to the nearest point of the geometry.
    public let metres: Double

    /// Creates a place from a document, one of its geometries, and the distance of the geometry in meters.
    package init(document: Document, geometry: Geometry, metres: Double) {
        (self.document, self.geometry, self.metres) = (document, geometry, metres)
    }
}

extension StoreError {
    /// Converts any error of a geospatial query to the error that apps receive.
    package init(geo error: any Error, subject: @autoclosure () -> String) {
        switch error {
        case let error as GeometryError: self.init(.invalidRequest, error.description)
        case let error as GeoIndexError: self.init(.indexNotFound, error.reason)
        case GeoQueryError.invalidBookmark:
            self.init(.invalidRequest, "the bookmark belongs to another query. Leave it out to get the first page.")
        default: self.init(wrapping: error, subject: subject())
        }
    }
}
