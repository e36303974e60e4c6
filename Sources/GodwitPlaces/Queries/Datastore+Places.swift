//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
public import GodwitGeo
public import GodwitStore

extension Datastore {
    /// A page of the places in an area, or of those nearest to one, the nearest first.
    ///
    /// ```swift
    /// try await trips.ensureGeoIndex(on: "geometry")
    /// let here = try SearchArea.circle(center: Position(longitude: -123.05, latitude: 38.33), radius: 10_000)
    /// for hit in try await trips.places(GeoQuery(here)).hits { print(hit.document.id!, hit.metres) }
    /// ```
    ///
    /// All of it happens here, without a network. Between pages others may write: a place that stays comes once.
    ///
    /// - Parameters:
    ///   - query: What is asked.
    ///   - index: The name of the index, behind that of its design document and a slash where several have the name; `nil`
    ///     where there is only one. An index that is being built is waited for.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an area that is none and for a bookmark of
    ///   another query; ``StoreError/Code/indexNotFound`` when there is no such index.
    public func places(_ query: GeoQuery, index: String? = nil) async throws(StoreError) -> GeoPage {
        do {
            let (index, _) = try await geoIndex(GeoIndexName(index))
            let found = try await geoRows(query, of: index) { found, document -> GeoHit? in
                guard let row = try document.row() else { return nil }
                return GeoHit(
                    document: try Document(StoredRevision(winnerOf: row)), geometry: try found.geometry,
                    metres: found.position.metres)
            }
            return GeoPage(hits: found.rows, bookmark: found.isFull ? found.bookmark : nil)
        } catch {
            throw StoreError(geo: error, subject: "looking for places in \(name)")
        }
    }
}

/// The places that a query found.
public struct GeoPage: Sendable {
    /// In the order of their distances.
    public let hits: [GeoHit]
    /// For the next page; `nil` when this is the last one.
    public let bookmark: String?

    package init(hits: [GeoHit], bookmark: String?) { (self.hits, self.bookmark) = (hits, bookmark) }
}

/// A place that a query found. A document with several geometries may be found several times.
public struct GeoHit: Sendable {
    /// The document.
    public let document: Document
    /// The geometry that was found, as the document has it.
    public let geometry: Geometry
    /// How far its nearest point is from the middle of the area.
    public let metres: Double

    package init(document: Document, geometry: Geometry, metres: Double) {
        (self.document, self.geometry, self.metres) = (document, geometry, metres)
    }
}

extension StoreError {
    /// Whatever a geospatial query ran into, as an app sees it.
    package init(geo error: any Error, subject: @autoclosure () -> String) {
        switch error {
        case let error as GeometryError: self.init(.invalidRequest, error.description)
        case let error as GeoIndexError: self.init(.indexNotFound, error.reason)
        case GeoQueryError.invalidBookmark:
            self.init(.invalidRequest, "the bookmark is of another query. Ask without one for the first page.")
        default: self.init(wrapping: error, subject: subject())
        }
    }
}
