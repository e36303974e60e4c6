//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient
public import GodwitQuery
public import GodwitStore

/// Documents that can be searched by their geometries, on this disk (`Datastore`) or on a server (`CouchDatabase`).
public protocol PlaceStore: QueryStore {
    /// Makes an index of where documents are, if there is none like it.
    ///
    /// - Parameters:
    ///   - path: The path of a geometry or of a list of geometries in a document; inner fields with dots.
    ///   - name: Its name and that of its design document; made up when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when another index has this name,
    ///   ``StoreError/Code/invalidRequest`` for a path that cannot be.
    @discardableResult
    func ensureGeoIndex(on path: String, named name: String?) async throws(StoreError) -> QueryIndex

    /// A page of the places in an area, or of those nearest to one, the nearest first.
    ///
    /// - Parameters:
    ///   - query: The area, the relation and the number of results.
    ///   - index: The name of the index, behind that of its design document and a slash where several have the name; `nil`
    ///     where there is only one.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an area that is none and for a bookmark of
    ///   another query, ``StoreError/Code/indexNotFound`` when there is no such index.
    func places(_ query: GeoQuery, index: String?) async throws(StoreError) -> GeoPage
}

extension Datastore: PlaceStore {}

extension CouchDatabase: PlaceStore {}
