//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitPlaces
import Testing

@Suite("The countries and cities of the world")
struct WorldTests {
    static func features(_ file: String) throws -> [JSONValue] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Data").appending(path: file)
        return try JSONValue(parsing: Array(Data(contentsOf: url)))["features"]?.arrayValue ?? []
    }

    @Test("All countries are read, written unchanged, and mapped", .needsGEOS)
    func countries() throws {
        let features = try Self.features("countries.json")
        #expect(features.count == 179)
        var repaired: [String] = []
        for feature in features {
            let json = try #require(feature["geometry"])
            let geometry = try Geometry(json: json)
            #expect(try Geometry(wellKnownBinary: geometry.wellKnownBinary) == geometry)
            #expect(try Geometry(json: geometry.json) == geometry)
            let shape = try Shape(geometry)
            if shape.repair != nil { repaired.append(feature["id"]?.stringValue ?? "") }
        }
        #expect(repaired == ["CAN"])
        let antarctica = try #require(features.first { $0["id"]?.stringValue == "ATA" }?["geometry"])
        let test = try RelationTest(.geometry(try .point(longitude: 44, latitude: -90)), .coveredBy)
        #expect(try test.holds(for: try Shape(try Geometry(json: antarctica))))
    }

    @Test("Cities are in the countries that a ray test finds, in no others, and at a distance of 0 meters")
    func cities() throws {
        let countries = try Self.features("countries.json").compactMap { feature -> (String, JSONValue)? in
            guard let id = feature["id"]?.stringValue, let geometry = feature["geometry"], id != "ATA", id != "CAN"
            else { return nil }
            return (id, geometry)
        }
        let cities = try Self.features("populated-places.geojson").compactMap { $0["geometry"] }.map {
            try Geometry(json: $0)
        }
        #expect(cities.count == 400)
        var found = 0
        for (id, json) in countries {
            let shape = try Shape(try Geometry(json: json))
            let test = try RelationTest(.geometry(try Geometry(json: json)), .contains)
            for city in cities {
                let isInside = Self.ray(city.json["coordinates"], json)
                #expect(try test.holds(for: try Shape(city)) == isInside, "\(id) \(city.jsonText)")
                guard isInside else { continue }
                let position = try SearchArea.geometry(city).center()
                #expect(DistanceMeasure(from: position).metres(to: shape) == 0)
                found += 1
            }
        }
        #expect(found > 300)
    }

    /// Whether a ray from a position crosses the rings of a polygon or a multipolygon an odd number of times.
    static func ray(_ position: JSONValue?, _ geometry: JSONValue) -> Bool {
        let x = position?[0]?.doubleValue ?? 0
        let y = position?[1]?.doubleValue ?? 0
        let coordinates = geometry["coordinates"]?.arrayValue ?? []
        let rings =
            geometry["type"]?.stringValue == "Polygon" ? coordinates : coordinates.flatMap { $0.arrayValue ?? [] }
        var isInside = false
        for ring in rings {
            let corners = (ring.arrayValue ?? []).map { ($0[0]?.doubleValue ?? 0, $0[1]?.doubleValue ?? 0) }
            for (start, end) in zip(corners, corners.dropFirst()) where (start.1 > y) != (end.1 > y) {
                if x < start.0 + (y - start.1) * (end.0 - start.0) / (end.1 - start.1) { isInside.toggle() }
            }
        }
        return isInside
    }
}
