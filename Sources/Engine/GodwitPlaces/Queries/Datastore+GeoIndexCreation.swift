//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitQuery
public import GodwitStore

extension Datastore {
    /// Creates a geospatial index of documents, for ``Datastore/places(_:index:)`` and for `$geoWithin`,
    /// `$geoIntersects` and `$near`, unless an equal index exists.
    ///
    /// ```swift
    /// try await trips.ensureGeoIndex(on: "geometry")
    /// let near: JSONObject = ["geometry": ["$near": ["$geometry": "POINT(-123.05 38.33)", "$maxDistance": 10_000]]]
    /// for try await trip in trips.find(near) { … }
    /// ```
    ///
    /// Values at the path that are not GeoJSON geometries are not indexed.
    ///
    /// - Parameters:
    ///   - path: The path of a geometry or of a list of geometries in a document; a dotted path for inner fields.
    ///   - name: The name of the index and of its design document; `nil` for a name derived from the path.
    /// - Returns: The index, which may still be building.
    /// - Throws: The errors of ``ensureIndex(_:named:where:)``. Also ``StoreError`` with code
    ///   ``StoreError/Code/invalidRequest`` when the path is not valid, or when geospatial queries are not enabled.
    @discardableResult
    public func ensureGeoIndex(
        on path: String = "geometry", named name: String? = nil
    ) async throws(StoreError) -> QueryIndex {
        do {
            return try await ensure(IndexRequest(geometriesAt: path, name: name, designDocument: name))
        } catch {
            throw StoreError(query: error, subject: "creating an index of \(self.name)")
        }
    }
}
