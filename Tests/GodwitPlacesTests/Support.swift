//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitKeys
import GodwitPlaces
import GodwitQuery
import GodwitSQLite
import GodwitStore
import TestKit
import Testing

extension Trait where Self == ConditionTrait {
    /// The test needs GEOS and PROJ.
    static var needsGEOS: Self { .enabled(if: GeometryLibrary.current == .geos, "GEOS is not installed") }
}

/// Runs `body` with a new datastore, checks every entry and every node of its indexes afterwards, and removes it.
func withDatastore(_ body: (Datastore) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "godwit-places-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    GeospatialQueries.enable()
    let manager = try DatastoreManager(directory: path, durability: .normal, key: testKey)
    do {
        let store = try await manager.datastore(named: "test")
        try await body(store)
        #expect(try await store.check() == [])
        #expect(try await store.treeFaults() == [])
    } catch {
        await manager.close()
        throw error
    }
    await manager.close()
}

/// The real-world data of the tests.
enum World {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    static let countries = features("GodwitPlacesTests/Geometry/Data/countries.json", "features")
    static let cities = features("Clients/Data/populated-places.geojson", "features")
    static let mountains = features("Clients/Data/elevation-points.geojson", "features")
    static let places = features("../Examples/LocationTracker/Data/places.json", "places")

    private static func features(_ path: String, _ list: String) -> [JSONValue] {
        guard let data = try? Data(contentsOf: root.appending(path: path)),
            let features = try? JSONValue(parsing: Array(data))[list]?.arrayValue
        else { preconditionFailure("\(path) cannot be read") }
        return features
    }
}

/// Computes the expected results of a query from every geometry.
struct BruteForce {
    /// A geometry of a document.
    struct Place {
        let id: String
        let ordinal: Int
        let shape: Shape
    }

    struct Hit: Equatable {
        let id: String
        let metres: Double
    }

    private var placesOfDocuments: [String: [Place]] = [:]

    /// The geometries of all documents, in no order.
    var places: [Place] { placesOfDocuments.values.flatMap(\.self) }

    mutating func set(_ geometries: [JSONValue], of id: String) throws {
        var places: [Place] = []
        var ordinal = 0
        for geometry in geometries {
            guard let geometry = try? Geometry(json: geometry), let shape = try? Shape(geometry) else { continue }
            places.append(Place(id: id, ordinal: ordinal, shape: shape))
            ordinal += 1
        }
        placesOfDocuments[id] = places
    }

    func hits(_ query: GeoQuery) throws -> [Hit] {
        let relation = query.relation ?? (query.nearest || query.area.isBoxes ? .none : .intersects)
        let test = try RelationTest(query.area, relation)
        let measure = DistanceMeasure(from: try query.area.center())
        let ranked = query.nearest && relation == .none
        let found = try places.filter { try ranked || test.holds(for: $0.shape) }
            .map { (position: $0, metres: measure.metres(to: $0.shape)) }
            .sorted { left, right in
                if left.metres != right.metres { return left.metres < right.metres }
                if left.position.id != right.position.id {
                    return left.position.id.utf8.lexicographicallyPrecedes(right.position.id.utf8)
                }
                return left.position.ordinal < right.position.ordinal
            }
        return found.map { Hit(id: $0.position.id, metres: $0.metres) }
    }
}

extension SearchArea {
    var isBoxes: Bool { if case .boxes = self { true } else { false } }
}

extension Datastore {
    /// Waits until all indexes are complete.
    func catchUpAll() async throws { for index in try indexDescriptions() { #expect(try await catchUp(index)) } }

    /// Returns the faults that SQLite finds in the R*Trees of complete geospatial indexes.
    func treeFaults() async throws -> [String] {
        try await catchUpAll()
        return try read { table in
            try indexDescriptions().filter { $0.kind == GeoIndex.kindName }.compactMap { index in
                let statement = try table.connection.statement(composed: "SELECT rtreecheck('geo_\(index.number)')")
                defer { statement.reset() }
                let answer = try statement.step() ? statement.string(0) : "no answer"
                return answer == "ok" ? nil : answer
            }
        }
    }

    /// Returns all hits of a query, page by page.
    func all(_ query: GeoQuery, index: String? = nil, pageOf limit: Int = GeoLimits.hitsMax) async throws -> [BruteForce
        .Hit]
    {
        var query = query
        query.limit = limit
        var hits: [BruteForce.Hit] = []
        repeat {
            let page = try await places(query, index: index)
            hits += page.hits.map { BruteForce.Hit(id: $0.document.id!, metres: $0.metres) }
            query.bookmark = page.bookmark
        } while query.bookmark != nil
        return hits
    }
}
