//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestKit
import Testing

@testable import GodwitPlaces

/// Compares Godwit's own functions of polygons with those of GEOS.
@Suite("Polygons without GEOS", .enabled(if: GeometryLibrary.current == .geos, "GEOS is not installed or not chosen"))
struct PlaneTests {
    /// Random shapes. On a grid, corners and edges often touch.
    private struct Shapes {
        var random: SeededGenerator
        var isOnGrid = false
        var center = Position(0, 0)

        mutating func number(_ range: Double) -> Double {
            isOnGrid ? Double(Int.random(in: -6...6, using: &random)) : .random(in: -range...range, using: &random)
        }

        mutating func position() -> Position {
            let latitude = min(max(center.y + number(6), -90), 90)
            return Position(center.x + number(6), latitude)
        }

        mutating func positions(_ counts: ClosedRange<Int>) -> [Position] {
            (0..<Int.random(in: counts, using: &random)).map { _ in position() }
        }

        /// A ring around a position, whose corners have random distances from it.
        mutating func ring(_ middle: Position, _ radius: Double) -> [Position] {
            let count = Int.random(in: 3...9, using: &random)
            var corners = (0..<count).map { corner -> Position in
                let direction = (Double(corner) + .random(in: 0..<0.9, using: &random)) / Double(count) * 2 * .pi
                let distance = radius * .random(in: 0.3...1, using: &random)
                let (x, y) = (middle.x + distance * cos(direction), middle.y + distance * sin(direction))
                return isOnGrid
                    ? Position(x.rounded(), min(max(y, -90), 90).rounded()) : Position(x, min(max(y, -90), 90))
            }
            if Bool.random(using: &random) { corners.reverse() }
            return corners + [corners[0]]
        }

        mutating func box() -> [Position] {
            let (one, other) = (position(), position())
            let (east, north) = (max(one.x, other.x), max(one.y, other.y))
            let (west, south) = (min(one.x, other.x), min(one.y, other.y))
            return [
                Position(west, south), Position(east, south), Position(east, north), Position(west, north),
                Position(west, south),
            ]
        }

        mutating func polygon() -> [[Position]] {
            if random.chance(1, in: 3) { return [box()] }
            let (middle, radius) = (position(), Double.random(in: 1...6, using: &random))
            let outer = ring(middle, radius)
            return random.chance(1, in: 3) ? [outer, ring(middle, radius * 0.28)] : [outer]
        }

        mutating func geometry() -> Geometry {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return Geometry(.point, dimension: 2, coordinates: coordinates([position()]))
            case 1: return Geometry(.multiPoint, dimension: 2, coordinates: coordinates(positions(2...5)))
            case 2: return Geometry(lines: [positions(2...5)])
            case 3: return Geometry(lines: [positions(2...3), positions(2...3)])
            case 4: return Geometry(polygons: [Geometry(rings: polygon()), Geometry(rings: polygon())])
            default: return Geometry(rings: polygon())
            }
        }

        private func coordinates(_ positions: [Position]) -> [Double] { positions.flatMap { [$0.x, $0.y] } }
    }

    private static func isValid(_ geometry: Geometry) throws -> Bool { try GEOSShape(geometry).flaw() == nil }

    private static func hasEqualEnds(_ geometry: Geometry) -> Bool {
        geometry.topologicalDimension == 1
            && geometry.paths.contains { path in
                path.dropFirst().contains { geometry.position($0) == geometry.position($0 - 1) }
            }
    }

    @Test("Relations are those of GEOS")
    func relations() throws {
        let relations: [Relation] = [.intersects, .disjoint, .covers, .coveredBy, .contains, .within]
        var shapes = Shapes(random: SeededGenerator(seed: 7))
        var (count, held) = (0, [Relation: Int]())
        while count < (TestScale.isLong ? 100_000 : 6_000) {
            shapes.isOnGrid = shapes.random.chance(1, in: 2)
            let (area, other) = (shapes.geometry(), shapes.geometry())
            // A line with two equal positions is not valid for GEOS.
            guard try Self.isValid(area), try Self.isValid(other), !Self.hasEqualEnds(area), !Self.hasEqualEnds(other)
            else { continue }
            count += 1
            let frame = try MapFrame(of: Shape(placed: area))
            let (geos, own) = (try PreparedArea(frame), PlaneArea(frame))
            for relation in relations {
                let expected = try geos.holds(relation, Shape(placed: other))
                let found = try own.holds(relation, Shape(placed: other))
                #expect(
                    found == expected,
                    "\(area.wellKnownText) \(relation) \(other.wellKnownText) is \(found) instead of \(expected)")
                if expected { held[relation, default: 0] += 1 }
            }
        }
        #expect(relations.allSatisfy { held[$0, default: 0] > count / 100 }, "\(held)")
    }

    @Test(
        "Lines that cross and lines without length are related as by GEOS",
        arguments: [
            ("MULTILINESTRING((0 0,10 0),(5 -5,5 5))", "LINESTRING(0 0,10 0)"),
            ("LINESTRING(0 0,10 0,10 5,5 5,5 -5)", "LINESTRING(0 0,10 0,10 5,5 5,5 -5)"),
            ("LINESTRING(0 0,10 0,10 5,5 5,5 -5)", "LINESTRING(4 0,6 0)"),
            ("POLYGON((0 0,10 0,10 10,0 10,0 0))", "LINESTRING(5 5,50 5)"),
        ])
    func crossings(area: String, other: String) throws {
        let (area, other) = (try Geometry(wellKnownText: area), try Geometry(wellKnownText: other))
        let frame = try MapFrame(of: Shape(placed: area))
        for relation in [Relation.intersects, .disjoint, .covers, .coveredBy, .contains, .within] {
            let expected = try PreparedArea(frame).holds(relation, Shape(placed: other))
            #expect(try PlaneArea(frame).holds(relation, Shape(placed: other)) == expected, "\(relation)")
        }
    }

    @Test("A line without length is a point")
    func resting() throws {
        let square = PlaneArea(
            try MapFrame(of: Shape(placed: Geometry(wellKnownText: "POLYGON((0 0,10 0,10 10,0 10,0 0))"))))
        let inside = Shape(placed: try Geometry(wellKnownText: "LINESTRING(5 5,5 5)"))
        let outside = Shape(placed: try Geometry(wellKnownText: "LINESTRING(50 5,50 5)"))
        for relation in [Relation.covers, .contains, .intersects] {
            #expect(try square.holds(relation, inside))
            #expect(try !square.holds(relation, outside))
        }
    }

    @Test("Shapes with many tall edges and many islands are tested or end in time, in little memory")
    func costs() throws {
        func ring(_ corners: [(Double, Double)]) -> [Position] {
            (corners + [corners[0]]).map { Position($0.0, $0.1) }
        }
        func isBounded(_ work: () throws -> Void) throws {
            do { try work() } catch let error as GeometryError { #expect(error.code == .tooCostly) }
        }
        let zigzag = (0..<40_000).map { Position(Double($0) / 300, $0.isMultiple(of: 2) ? -80 : 80) }
        #expect(EdgeStrips([zigzag]).stripEntries <= 8 * zigzag.count)
        let line = Geometry(lines: [zigzag])
        try isBounded {
            _ = try PlaneArea(MapFrame(of: Shape(placed: line))).holds(
                .intersects, Shape(placed: line.moved(by: 0.001)))
        }
        let comb = (0..<1_000).flatMap { [(Double($0) / 10, 1.0), (Double($0) / 10 + 0.05, 80.0)] }
        let polygon = Geometry(rings: [ring([(-1, -1), (101, -1), (101, 1)] + comb.reversed())])
        try isBounded { _ = try PlanePolygons.checked(polygon) }
        let islands = (0..<5_000).map { number in
            let (x, y) = (Double(number % 100), Double(number / 100))
            return Geometry(rings: [ring([(x, y), (x + 0.5, y), (x, y + 0.5)])])
        }
        #expect(try PlanePolygons.checked(Geometry(polygons: islands)).kind == .multiPolygon)
        let points = (0..<40_000).flatMap { [Double($0) / 300, 1.0] }
        let many = Geometry(.multiPoint, dimension: 2, coordinates: points)
        #expect(try PlaneArea(MapFrame(of: Shape(placed: many))).holds(.covers, Shape(placed: many)))
    }

    @Test("The same polygons are valid")
    func validity() throws {
        var shapes = Shapes(random: SeededGenerator(seed: 8))
        var valid = 0
        let count = TestScale.isLong ? 100_000 : 6_000
        for number in 0..<count {
            shapes.isOnGrid = number.isMultiple(of: 2)
            var rings = shapes.polygon()
            if shapes.random.chance(1, in: 3) {
                let corners = shapes.positions(3...6)
                rings[rings.count - 1] = corners + [corners[0]]
            }
            let geometry =
                shapes.random.chance(1, in: 4)
                ? Geometry(polygons: [Geometry(rings: rings), Geometry(rings: shapes.polygon())])
                : Geometry(rings: rings)
            let flaw = try PlaneShape(geometry).flaw(PlaneWork())
            let expected = try GEOSShape(geometry).flaw()
            // Rings that touch at several points divide the inside of a polygon, which only GEOS finds.
            if expected?.contains("Interior is disconnected") == true { continue }
            #expect(
                (flaw == nil) == (expected == nil),
                "\(geometry.wellKnownText): \(flaw ?? "valid") instead of \(expected ?? "valid")")
            if flaw == nil { valid += 1 }
        }
        #expect(valid > count / 3 && valid < count)
    }

    @Test("Polygons at the antimeridian and around a pole are cut alike, and have the same centroid")
    func cuts() throws {
        var shapes = Shapes(random: SeededGenerator(seed: 9))
        var count = 0
        while count < (TestScale.isLong ? 100_000 : 4_000) {
            shapes.isOnGrid = shapes.random.chance(1, in: 2)
            shapes.center = Position(180, shapes.random.pick([0, 60, 84, -84]))
            var rings = shapes.polygon()
            if shapes.random.chance(1, in: 5) {
                // A ring around the pole.
                let latitudes = (0..<7).map { _ in Double.random(in: 60...88, using: &shapes.random) }
                rings = [latitudes.enumerated().map { Position(Double($0) * 360 / 7 - 170, $1) }]
                rings[0].append(rings[0][0])
            } else {
                guard try Self.isValid(Geometry(rings: rings)) else { continue }
            }
            count += 1
            let folded = Geometry(
                rings: rings.map { ring in ring.map { Position($0.x > 180 ? $0.x - 360 : $0.x, $0.y) } })
            let unwrapped = folded.paths.enumerated().map { Unwrapping(folded, $1, $0 == 0 ? .outerRing : .hole) }
            guard unwrapped.contains(where: \.isUnwrapped) else { continue }
            var placement = Placement()
            let expected = try GEOSShape(placement.cut(unwrapped))
            let own = try PlanePolygons.cut(unwrapped, west: -180)
            // A hole that touches its outer ring and the meridian divides the inside of the polygon.
            let flaw = try GEOSShape(own).flaw() ?? "Ring Self-intersection"
            #expect(
                flaw.hasPrefix("Ring Self-intersection") || flaw.hasPrefix("Interior is disconnected"),
                "\(folded.wellKnownText) is cut to \(own.wellKnownText), \(flaw)")
            let found = try GEOSShape(own)
            for difference in [try expected.difference(found), try found.difference(expected)] {
                let rest = try difference.geometry()?.areas.map { PlaneShape($0).polygons } ?? []
                let area = rest.joined().reduce(0) { $0 + abs(PlaneCut.area(of: $1)) }
                #expect(area < 1e-9, "\(folded.wellKnownText) is cut to \(own.wellKnownText)")
            }
            let moved = try PlanePolygons.moved(own, west: 0)
            let geosMoved = try GEOSShape(Placement(west: 0).move(own))
            let rests = [try geosMoved.difference(GEOSShape(moved)), try GEOSShape(moved).difference(geosMoved)]
            for rest in rests {
                let area = (try rest.geometry()?.areas.map { PlaneShape($0).polygons } ?? []).joined().reduce(0) {
                    $0 + abs(PlaneCut.area(of: $1))
                }
                #expect(area < 1e-9, "\(own.wellKnownText) is moved to \(moved.wellKnownText)")
            }
            let seam = PlaneShape(moved).polygons.joined().flatMap { zip($0, $0.dropFirst()) }
            let inner = try PreparedArea(MapFrame(of: Shape(placed: own), west: 0))
            for (start, end) in seam where start.x == 180 && end.x == 180 {
                let middle = Geometry(.point, dimension: 2, coordinates: [180, (start.y + end.y) / 2])
                #expect(try !inner.holds(.containsProperly, Shape(placed: middle)), "\(moved.wellKnownText)")
            }
            let (center, ownCenter) = (try expected.centroid(), PlanePolygons.centroid(of: own))
            #expect(abs(center.x - ownCenter.x) < 1e-6 && abs(center.y - ownCenter.y) < 1e-6)
        }
    }
}
