//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitGeo
import GodwitJSON
import Testing

@Suite("Nonsense ends soon and never stops the program")
struct NonsenseTests {
    /// A ring of so many random corners, which crosses itself nearly everywhere.
    func scribble(_ count: Int, seed: UInt64, _ kind: String) -> JSONValue {
        var chance = SeededChance(seed: seed)
        let positions = (0..<count).map { _ in
            JSONValue.array([.double(chance.number(in: -10...10)), .double(chance.number(in: -10...10))])
        }
        return ["type": .string(kind), "coordinates": kind == "Polygon" ? [.array(positions)] : .array(positions)]
    }

    /// Runs work that may fail with a ``GeometryError`` only, and may take no longer than some operations.
    func bounded(_ work: () throws -> Void) throws {
        let start = ContinuousClock.now
        do {
            try work()
        } catch let error as GeometryError {
            #expect([.tooCostly, .selfCrossing, .operationFailed].contains(error.code), "\(error)")
        }
        #expect(start.duration(to: .now) < .seconds(GeometryLimits.operationSecondsMax * 4))
    }

    @Test("100 000 positions are refused")
    func tooMany() throws {
        for kind in ["LineString", "MultiPoint", "Polygon"] {
            let error = #expect(throws: GeometryError.self) { try Geometry(json: scribble(100_000, seed: 1, kind)) }
            #expect(error?.code == .tooManyPositions)
        }
        let half = scribble(50_000, seed: 1, "LineString")
        let error = #expect(throws: GeometryError.self) {
            try Geometry(json: ["type": "GeometryCollection", "geometries": [half, half]])
        }
        #expect(error?.code == .tooManyPositions)
    }

    @Test("Scribbles of as many positions as there may be end in time", arguments: Relation.allCases)
    func scribbles(relation: Relation) throws {
        let line = try Geometry(json: scribble(GeometryLimits.positionsMax, seed: 2, "LineString"))
        let other = try Geometry(json: scribble(GeometryLimits.positionsMax, seed: 3, "LineString"))
        try bounded { _ = try RelationTest(.geometry(line), relation).holds(for: Shape(other)) }
    }

    @Test("A scribbled polygon is refused in a query and ends in time in a document")
    func scribbledPolygon() throws {
        let polygon = try Geometry(json: scribble(GeometryLimits.positionsMax - 1, seed: 4, "Polygon"))
        try bounded { _ = try RelationTest(.geometry(polygon), .intersects) }
        try bounded { _ = try Shape(polygon) }
    }

    @Test("What one thread is stopped in does not fail another")
    func threads() async throws {
        let costly = try Geometry(json: scribble(20_000, seed: 5, "LineString"))
        let star = try Shape(try Geometry(json: scribble(60, seed: 6, "Polygon")))
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { try? _ = RelationTest(.geometry(costly), .crosses).holds(for: Shape(costly)) }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<100 {
                        let polygon = try? Shape(try Geometry(json: scribble(60, seed: 6, "Polygon")))
                        #expect(polygon == star)
                    }
                }
            }
        }
    }

    @Test("Collections nested too deep are refused")
    func deep() throws {
        for depth in [GeometryLimits.nestingMax, 300] {
            var json: JSONValue = ["type": "Point", "coordinates": [1, 2]]
            for _ in 0..<depth { json = ["type": "GeometryCollection", "geometries": [json]] }
            let error = #expect(throws: GeometryError.self) { try Geometry(json: json) }
            #expect(error?.code == .tooDeep)
        }
        let text = String(repeating: "GEOMETRYCOLLECTION(", count: 100_000)
        #expect(throws: GeometryError.self) { try Geometry(wellKnownText: text) }
        #expect(throws: GeometryError.self) { try Geometry(wellKnownText: String(repeating: "(", count: 1_000_000)) }
    }

    @Test("The nearest point of a long scribble is found in time")
    func distance() throws {
        let line = try Shape(try Geometry(json: scribble(GeometryLimits.positionsMax, seed: 7, "LineString")))
        for origin in [
            Position(longitude: 0, latitude: 0), Position(longitude: 180, latitude: 1),
            Position(longitude: 0, latitude: 90),
        ] {
            let measure = try DistanceMeasure(from: origin)
            try bounded { #expect(measure.metres(to: line) >= 0) }
        }
    }
}
