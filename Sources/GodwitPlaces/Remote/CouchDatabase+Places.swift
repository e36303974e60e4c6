//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
public import GodwitClient
import GodwitGeo
import GodwitJSON
public import GodwitQuery
public import GodwitStore

extension CouchDatabase {
    /// A page of the places in an area, or of those nearest to one, the nearest first (`_geo`): what
    /// ``GodwitStore/Datastore/places(_:index:)`` gives offline.
    ///
    /// A Cloudant Geo may order by other distances than those that hits tell.
    ///
    /// - Parameters:
    ///   - query: What is asked.
    ///   - index: The name of the index, behind that of its design document and a slash; the name alone, or `nil` for the only
    ///     one, are for indexes that `_index` lists.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` for an area that is none and for a bookmark of
    ///   another query; ``StoreError/Code/indexNotFound`` when there is no such index.
    public func places(_ query: GeoQuery, index: String? = nil) async throws(StoreError) -> GeoPage {
        let position = GeoIndexName(index)
        let (design, name): (String, String)
        if let known = position.design, let inner = position.name {
            (design, name) = (DocumentID.designName(known), inner)
        } else {
            let found = try await self.index(index, of: .geo, made: "ensureGeoIndex")
            (design, name) = (found.designDocument, found.name)
        }
        do {
            let parameters = query.parameters.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
            let path = "_design/\(design.percentEncoded)/_geo/\(name.percentEncoded)?\(parameters)&include_docs=true"
            return try page(of: try await mango("GET", path), query)
        } catch let error as StoreError {
            guard error.code == .notSupported else { throw error }
            throw StoreError(.indexNotFound, "\(url) has no geospatial index \(design)/\(name).")
        } catch {
            throw StoreError(geo: error, subject: "looking for places in \(url)")
        }
    }

    private func page(of answer: JSONTape, _ query: GeoQuery) throws -> GeoPage {
        guard answer.kind(0) == .object, let list = answer.member("rows", of: 0), answer.kind(list) == .array else {
            throw nonsense("_geo has no rows")
        }
        let measure = try DistanceMeasure(from: query.area.center())
        var (hits, count): ([GeoHit], Int) = ([], 0)
        for row in answer.elements(of: list) {
            count += 1
            // One that went since it was found has none.
            guard let document = answer.member("doc", of: row), answer.kind(document) == .object,
                let position = answer.member("geometry", of: row)
            else { continue }
            let geometry = try Geometry(tape: answer, at: position)
            hits.append(
                GeoHit(
                    document: try answer.document(document, of: url, tellsPacking: false), geometry: geometry,
                    metres: measure.metres(to: try Shape(geometry))))
        }
        return GeoPage(hits: hits, bookmark: count < query.limit ? nil : answer.text("bookmark", of: 0))
    }

    /// Makes an index of where documents are, if there is none like it. See ``Datastore/ensureGeoIndex(on:named:)``.
    ///
    /// - Parameters:
    ///   - path: Where a document's geometry stands, or a list of geometries; inner fields with dots.
    ///   - name: Its name and that of its design document; the server makes one up when it is `nil`.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/indexExists`` when another index has this name,
    ///   ``StoreError/Code/invalidRequest`` for a path that cannot be, and where the server is no Godwit.
    @discardableResult
    public func ensureGeoIndex(
        on path: String = "geometry", named name: String? = nil
    ) async throws(StoreError) -> QueryIndex {
        try await ensure(["geometry": .string(path)], .geo, named: name) { known in
            known.definition["geometry"] == .string(path)
        }
    }
}

extension GeoQuery {
    /// The parameters of a request, as Cloudant Geo has them.
    fileprivate var parameters: [(name: String, value: String)] {
        var parameters = area.parameters
        if let relation { parameters.append(("relation", relation.rawValue)) }
        if nearest { parameters.append(("nearest", "true")) }
        parameters.append(("limit", "\(max(0, min(limit, GeoLimits.hitsMax)))"))
        if skip > 0 { parameters.append(("skip", "\(min(skip, GeoLimits.skipMax))")) }
        if let bookmark { parameters.append(("bookmark", bookmark)) }
        return parameters
    }
}

extension SearchArea {
    fileprivate var parameters: [(name: String, value: String)] {
        switch self {
        case .boxes(let boxes):
            let (first, last) = (boxes.first ?? .world, boxes.last ?? .world)
            let sides = [first.west, first.south, last.east, first.north].map { "\($0)" }.joined(separator: ",")
            return [("bbox", sides)] + (boxes.count > 1 ? [("wrap", "true")] : [])
        case .ellipse(let ellipse):
            let center = [("lat", "\(ellipse.center.latitude)"), ("lon", "\(ellipse.center.longitude)")]
            if ellipse.isCircle { return center + [("radius", "\(ellipse.rangeX)")] }
            return center + [("rangex", "\(ellipse.rangeX)"), ("rangey", "\(ellipse.rangeY)")]
        case .geometry(let geometry): return [("g", geometry.wellKnownText)]
        }
    }
}
