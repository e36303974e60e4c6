//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitPlaces
import Testing

@Suite("Distances")
struct DistanceTests {
    func metres(from longitude: Double, _ latitude: Double, to text: String) throws -> Double {
        let measure = DistanceMeasure(from: Position(longitude: longitude, latitude: latitude))
        let shape = try Shape(try Geometry(wellKnownText: text))
        let metres = measure.metres(to: shape)
        #expect(try shape.wellKnownBinary.withUnsafeBytes { try measure.metres(toWellKnownBinary: $0) } == metres)
        #expect(shape.boxes.map(measure.metresMin).min() ?? 0 <= metres)
        return metres
    }

    @Test("Inside of a polygon the distance is 0, in a hole it is the distance to the hole's edge")
    func polygons() throws {
        let ring = "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0),(4 4, 6 4, 6 6, 4 6, 4 4))"
        #expect(try metres(from: 2, 2, to: ring) == 0)
        #expect(try metres(from: 10, 5, to: ring) < 1e-6)
        let toHole = try metres(from: 5, 4.5, to: ring)
        #expect(abs(toHole - (try metres(from: 5, 4.5, to: "POINT(5 4)"))) < 0.001)
        #expect(try metres(from: 11, 5, to: "GEOMETRYCOLLECTION(\(ring),POINT(11 5.1))") < 11_060)
    }

    @Test("The nearest point of a polygon of 10 000 corners is found directly and through its middle")
    func manyCorners() throws {
        let corners = (0..<10_000).map { number -> JSONValue in
            let angle = 2 * Double.pi * Double(number) / 10_000
            return .array([.double(cos(angle)), .double(sin(angle))])
        }
        let circle = try Geometry(json: ["type": "Polygon", "coordinates": [.array(corners)]])
        let shape = try Shape(circle)
        #expect(try RelationTest(.geometry(circle), .intersects).holds(for: shape))
        #expect(try RelationTest(.geometry(.point(longitude: 0, latitude: 0)), .within).holds(for: shape))
        let center = try SearchArea.geometry(circle).center()
        #expect(abs(center.longitude) < 1e-9 && abs(center.latitude) < 1e-9)
        #expect(DistanceMeasure(from: center).metres(to: shape) == 0)
    }

    @Test("Across the antimeridian and the poles, the shorter path is used")
    func shortWays() throws {
        let across = try metres(from: 179.5, 0, to: "POLYGON((-179.5 -1, -179 -1, -179 1, -179.5 1, -179.5 -1))")
        #expect(abs(across - 111_319.4908) < 0.001)
        #expect(try metres(from: 180, 0, to: "POLYGON((179 -1, -179 -1, -179 1, 179 1, 179 -1))") == 0)
        #expect(try metres(from: -180, 0, to: "POLYGON((179 -1, 180 -1, 180 1, 179 1, 179 -1))") == 0)
        let overPole = try metres(from: 0, 89, to: "LINESTRING(180 80, 180 89)")
        #expect(abs(overPole - 2 * (try metres(from: 0, 89, to: "POINT(0 90)"))) < 0.001)
        #expect(try metres(from: 12, 90, to: "POLYGON((0 80, 90 80, 180 80, -90 80, 0 80))") == 0)
    }

    @Test("The lower bound for a box never exceeds the distance to anything inside it")
    func bounds() throws {
        var chance = SeededChance(seed: 3)
        for _ in 0..<20_000 {
            let origin = Position(longitude: chance.number(in: -180...180), latitude: chance.number(in: -90...90))
            let measure = DistanceMeasure(from: origin)
            let size = [0, 1e-6, 0.01, 1, 30, 180][chance.index(below: 6)]
            let west = chance.number(in: -180...180)
            let south = chance.number(in: -90...90)
            let box = BoundingBox(
                west: west, south: south, east: min(180, west + chance.number(in: 0...1) * size),
                north: min(90, south + chance.number(in: 0...1) * size / 2))
            let bound = measure.metresMin(to: box)
            var least = Double.infinity
            for _ in 0..<20 {
                let position = Position(
                    longitude: chance.number(in: box.west...box.east),
                    latitude: chance.number(in: box.south...box.north))
                least = min(least, measure.metres(to: position))
            }
            for corner in [(box.west, box.south), (box.west, box.north), (box.east, box.south), (box.east, box.north)] {
                least = min(least, measure.metres(to: Position(longitude: corner.0, latitude: corner.1)))
            }
            #expect(bound <= least, "\(origin) \(box)")
            if size == 0 { #expect(bound >= least * 0.9966 - 0.02, "\(origin) \(box)") }
        }
    }
}

/// Pseudorandom numbers, the same for the same seed.
struct SeededChance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(in range: ClosedRange<Double>) -> Double { .random(in: range, using: &self) }
    mutating func index(below count: Int) -> Int { .random(in: 0..<count, using: &self) }
}
