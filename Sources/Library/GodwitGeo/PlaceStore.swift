//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitQuery
public import GodwitStore
public import GodwitSync

/// A database that can be searched by geometries: on this device (`Datastore`) or on a server (`CouchDatabase`).
public protocol PlaceStore: QueryStore {
    /// Creates a geospatial index of documents, unless an equal index exists.
    ///
    /// - Parameters:
    ///   - path: The path of a geometry or of a list of geometries in a document; a dotted path for inner fields.
    ///   - name: The name of the index and of its design document; `nil` for a generated name.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when a different index has this name,
    ///   ``StoreError/Code/invalidRequest`` for an invalid path.
    @discardableResult
    func ensureGeoIndex(on path: String, named name: String?) async throws(StoreError) -> QueryIndex

    /// Returns a page of the places in an area, or of the places nearest to the center of the area. The nearest place
    /// is first.
    ///
    /// - Parameters:
    ///   - query: The area, the relation and the number of results.
    ///   - index: The name of the index. If several indexes have this name, it must be preceded by the name of the
    ///     design document and a slash; `nil` if the database has only one geospatial index.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an invalid area and for a bookmark of
    ///   a different query, ``StoreError/Code/indexNotFound`` when the index does not exist.
    func places(_ query: GeoQuery, index: String?) async throws(StoreError) -> GeoPage
}

extension Datastore: PlaceStore {}

extension CouchDatabase: PlaceStore {}
