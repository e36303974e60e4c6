//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGeo
import GodwitPlaces
import GodwitSQLite
import GodwitSelector
import GodwitStore

/// Documents by where they are, the nearest to the middle of an area first.
struct GeoAccess: Sendable {
    let index: IndexDescription
    /// The path that it indexes.
    let path: String
    let condition: GeoCondition
    /// Whether the condition is all that the selector says.
    let isExact: Bool

    /// An index for one of a selector's conditions on places; `nil` when it serves none of them.
    ///
    /// An index of a function's rule leaves out what a selector would find, such as a collection without coordinates, and
    /// one of another coordinate system sees other places: neither is used.
    init?(_ index: IndexDescription, for selector: Selector) throws {
        let definition = try GeoIndex.definition(of: index)
        guard definition.system == .wgs84, case .rule(let rule) = definition.source, rule.isDeclared else { return nil }
        let places = selector.places.filter { $0.path == rule.path.text }
        guard let place = places.first(where: { $0.condition.isNear }) ?? places.first else { return nil }
        self.index = index
        (path, condition) = place
        isExact = selector.isOnePlace
    }

    /// What the index is asked.
    private var query: GeoQuery {
        var query = GeoQuery(condition.area, relation: condition.relation)
        query.metresMin = condition.metresMin
        return query
    }

    /// The next hits.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` when it takes too long.
    func hits(after place: GeoPlace?, limit: Int, in table: DocumentTable) throws -> [GeoFound] {
        do {
            let hits = try GeoWalk(query).page(
                of: index, in: table, after: place, limit: limit, GeoWalk.Budget(), keepsGeometries: false)
            guard let hits else { throw GeometryError.queryTooCostly }
            return hits
        } catch let error as GeometryError {
            throw StoreError(geo: error, subject: "")
        }
    }

    /// The first place at which a document with several geometries is found, so that it is given once.
    func firstPlace(of hit: GeoFound, in table: DocumentTable) throws -> GeoPlace? {
        do {
            return try GeoWalk(query).firstPlace(
                of: hit.document, storedID: hit.place.storedID, in: index, on: table.connection)
        } catch let error as GeometryError {
            throw StoreError(geo: error, subject: "")
        }
    }

    /// Counts geometries whose boxes are near, up to a number.
    func count(upTo most: Int, in table: DocumentTable) throws -> Int {
        try GeoWalk(query).count(of: index, in: table, upTo: most)
    }

    /// Adds the last changes of the documents that it may find.
    func addSequences(after sequence: Int64, to found: inout Set<Int64>, in table: DocumentTable) throws {
        try found.formUnion(
            GeoWalk(query).sequences(of: index, in: table, after: sequence, most: QueryLimits.candidatesMax))
    }
}
