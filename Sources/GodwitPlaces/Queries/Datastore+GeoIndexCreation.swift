//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitQuery
public import GodwitStore

extension Datastore {
    /// Makes an index of where documents are, for ``Datastore/places(_:index:)`` and for `$geoWithin`, `$geoIntersects` and
    /// `$near`, if there is none like it.
    ///
    /// ```swift
    /// try await trips.ensureGeoIndex(on: "geometry")
    /// let near: JSONObject = ["geometry": ["$near": ["$geometry": "POINT(-123.05 38.33)", "$maxDistance": 10_000]]]
    /// for try await trip in trips.find(near) { … }
    /// ```
    ///
    /// Values at the path that are no geometries of GeoJSON are not indexed.
    ///
    /// - Parameters:
    ///   - path: The path of a geometry or of a list of geometries in a document; inner fields with dots.
    ///   - name: Its name and that of its design document; made up of the path when it is `nil`.
    /// - Returns: The index, which may be building.
    /// - Throws: ``StoreError`` as ``ensureIndex(_:named:where:)`` does.
    @discardableResult
    public func ensureGeoIndex(
        on path: String = "geometry", named name: String? = nil
    ) async throws(StoreError) -> QueryIndex {
        do {
            return try await ensure(IndexRequest(geometriesAt: path, name: name, designDocument: name))
        } catch {
            throw StoreError(query: error, subject: "making an index of \(self.name)")
        }
    }
}
