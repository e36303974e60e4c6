//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitPlaces
import TestKit
import Testing

@Suite("Random input ends soon and never traps")
struct NonsenseTests {
    /// Returns a ring of random corners, which crosses itself nearly everywhere.
    private static func scribble(_ count: Int, seed: UInt64, _ kind: String) -> JSONValue {
        var chance = SeededChance(seed: seed)
        let positions = (0..<count).map { _ in
            JSONValue.array([.double(chance.number(in: -10...10)), .double(chance.number(in: -10...10))])
        }
        return ["type": .string(kind), "coordinates": kind == "Polygon" ? [.array(positions)] : .array(positions)]
    }

    /// Lines of the maximum number of positions.
    private static let lines = Result {
        try [2, 3].map { try Geometry(json: scribble(GeometryLimits.positionsMax, seed: $0, "LineString")) }
    }

    /// Runs work. Expects that it ends, and that it throws no other error than a ``GeometryError``. The time limit is
    /// generous, because the machine may be busy.
    func bounded(_ work: () throws -> Void) throws {
        let start = ContinuousClock.now
        do {
            try work()
        } catch let error as GeometryError {
            let isAbsent = error.code == .libraryMissing && GeometryLibrary.current == .own
            #expect([.tooCostly, .selfCrossing, .operationFailed].contains(error.code) || isAbsent, "\(error)")
        }
        #expect(start.duration(to: .now) < .seconds(GeometryLimits.operationSecondsMax * 60))
    }

    @Test("100 000 positions are refused")
    func tooMany() throws {
        let positions = Self.scribble(100_000, seed: 1, "LineString")["coordinates"] ?? .null
        for (kind, coordinates) in [("LineString", positions), ("MultiPoint", positions), ("Polygon", [positions])] {
            let json: JSONValue = ["type": .string(kind), "coordinates": coordinates]
            let error = #expect(throws: GeometryError.self) { try Geometry(json: json) }
            #expect(error?.code == .tooManyPositions)
        }
        let half = Self.scribble(50_000, seed: 1, "LineString")
        let error = #expect(throws: GeometryError.self) {
            try Geometry(json: ["type": "GeometryCollection", "geometries": [half, half]])
        }
        #expect(error?.code == .tooManyPositions)
    }

    /// Each test takes the maximum time.
    private static let relations = TestScale.numbers(below: Relation.allCases.count, every: 4).map {
        Relation.allCases[$0]
    }

    @Test("Random lines with the maximum number of positions end in time", arguments: relations)
    func scribbles(relation: Relation) throws {
        let lines = try Self.lines.get()
        try bounded { _ = try RelationTest(.geometry(lines[0]), relation).holds(for: Shape(lines[1])) }
    }

    @Test("A random polygon is refused in a query and ends in time in a document")
    func scribbledPolygon() throws {
        let polygon = try Geometry(json: Self.scribble(GeometryLimits.positionsMax - 1, seed: 4, "Polygon"))
        try bounded { _ = try RelationTest(.geometry(polygon), .intersects) }
        try bounded { _ = try Shape(polygon) }
    }

    @Test("Stopping the work of one thread does not affect another", .needsGEOS)
    func threads() async throws {
        let costly = try Geometry(json: Self.scribble(20_000, seed: 5, "LineString"))
        let star = try Shape(try Geometry(json: Self.scribble(60, seed: 6, "Polygon")))
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { try? _ = RelationTest(.geometry(costly), .crosses).holds(for: Shape(costly)) }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<100 {
                        let polygon = try? Shape(try Geometry(json: Self.scribble(60, seed: 6, "Polygon")))
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

    @Test("The nearest point of a long random line is found in time")
    func distance() throws {
        let line = try Shape(Self.lines.get()[0])
        for origin in [
            Position(longitude: 0, latitude: 0), Position(longitude: 180, latitude: 1),
            Position(longitude: 0, latitude: 90),
        ] {
            let measure = DistanceMeasure(from: origin)
            try bounded { #expect(measure.metres(to: line) >= 0) }
        }
    }
}
