//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import Testing

@Suite("Shapes at the antimeridian and the poles")
struct MapTests {
    func shape(_ text: String) throws -> Shape { try Shape(try Geometry(wellKnownText: text)) }

    func holds(_ query: String, _ relation: Relation, _ document: String) throws -> Bool {
        let test = try RelationTest(.geometry(try Geometry(wellKnownText: query)), relation)
        let shape = try shape(document)
        let answer = try test.holds(for: shape)
        let kept = try shape.wellKnownBinary.withUnsafeBytes { try test.holds(forWellKnownBinary: $0) }
        #expect(answer == kept)
        return answer
    }

    @Test("An edge of more than 180 degrees takes the shorter path")
    func shortWay() throws {
        let line = "LINESTRING(170 0, -170 10)"
        #expect(
            try shape(line).boxes == [
                BoundingBox(west: 170, south: 0, east: 180, north: 5),
                BoundingBox(west: -180, south: 5, east: -170, north: 10),
            ])
        #expect(try holds(line, .intersects, "POINT(180 5)"))
        #expect(try holds(line, .intersects, "POINT(-180 5)"))
        #expect(try !holds(line, .intersects, "POINT(0 5)"))
        #expect(try holds("POINT(-180 5)", .intersects, "POINT(180 5)"))
    }

    @Test("A polygon across the antimeridian is one area", .needsGEOS)
    func polygon() throws {
        let fiji = "POLYGON((176 -20, -178 -20, -179 -15, 177 -15, 176 -20))"
        #expect(try shape(fiji).boxes.map(\.west) == [176, -180])
        for relation in [Relation.contains, .containsProperly, .covers, .intersects] {
            #expect(try holds(fiji, relation, "POINT(-180 -17)"))
            #expect(try holds(fiji, relation, "POINT(179 -17)"))
            #expect(try holds(fiji, relation, "POINT(-179 -17)"))
            #expect(try holds(fiji, relation, "LINESTRING(179 -17, -179 -17)"))
            #expect(try !holds(fiji, relation, "POINT(0 -17)"))
        }
        // The western half, split as GeoJSON requires, touches the other half along the antimeridian.
        let west = "POLYGON((176 -20, 180 -20, 180 -15, 177 -15, 176 -20))"
        #expect(try holds(west, .touches, "POLYGON((-180 -20, -178 -20, -179 -15, -180 -15, -180 -20))"))
        #expect(try holds(fiji, .covers, west))
        #expect(try holds(west, .coveredBy, fiji))
        let cut =
            "MULTI"
            + west.replacing("((", with: "(((").replacing(
                "))", with: ")),((-180 -20,-178 -20,-179 -15,-180 -15,-180 -20)))")
        #expect(try holds(cut, .contains, "POINT(180 -17)"))
        #expect(try holds(cut, .containsProperly, "POINT(180 -17)"))
    }

    @Test("A hole across the antimeridian is one hole on both sides", .needsGEOS)
    func hole() throws {
        let ring = "POLYGON((170 -10, -170 -10, -170 10, 170 10, 170 -10),(175 -5, 175 5, -175 5, -175 -5, 175 -5))"
        #expect(try !holds(ring, .intersects, "POINT(178 0)"))
        #expect(try !holds(ring, .intersects, "POINT(-178 0)"))
        #expect(try holds(ring, .intersects, "POINT(172 0)"))
        #expect(try holds(ring, .intersects, "POINT(-172 0)"))
        #expect(try holds(ring, .touches, "POINT(-175 0)"))
    }

    @Test("A rectangle is read by its winding order, and the complete world is the complete world")
    func rectangles() throws {
        let wide = "POLYGON((-170 -80, 170 -80, 170 80, -170 80, -170 -80))"
        #expect(try holds(wide, .contains, "POINT(0 0)"))
        #expect(try !holds(wide, .intersects, "POINT(180 0)"))
        let narrow = "POLYGON((170 -80, -170 -80, -170 80, 170 80, 170 -80))"
        #expect(try !holds(narrow, .intersects, "POINT(0 0)"))
        #expect(try holds(narrow, .contains, "POINT(180 0)"))
        for world in [
            "POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))",
            "POLYGON((-180 -90, -180 90, 180 90, 180 -90, -180 -90))",
        ] {
            for position in [
                "POINT(0 0)", "POINT(180 0)", "POINT(-180 90)", "POINT(12 -90)", "LINESTRING(170 0, -170 10)",
            ] {
                #expect(try holds(world, .covers, position))
            }
        }
    }

    @Test("A ring around a pole contains the pole")
    func poles() throws {
        for (ring, sign) in [
            ("(0 80, 90 80, 180 80, -90 80, 0 80)", ""), ("(0 -80, 90 -80, 180 -80, -90 -80, 0 -80)", "-"),
        ] {
            let cap = "POLYGON(\(ring))"
            for longitude in [-180, -91, -1, 0, 45, 179, 180] {
                #expect(try holds(cap, .contains, "POINT(\(longitude) \(sign)85)"))
                #expect(try !holds(cap, .intersects, "POINT(\(longitude) \(sign)79)"))
            }
            #expect(try holds(cap, .covers, "POINT(33 \(sign)90)"))
        }
        // The meridian of the first position passes through the ring on its way to the pole.
        let bay = "POLYGON((0 -65,8 -72,30 -75,90 -70,180 -70,-90 -75,-20 -80,5 -78,-2 -70,0 -65))"
        #expect(try shape(bay).repair == nil)
        #expect(try !holds(bay, .intersects, "POINT(0 -75)"))
        #expect(try holds(bay, .contains, "POINT(6 -75)"))
        #expect(try holds(bay, .contains, "POINT(0 -85)"))
    }

    @Test("A box wraps only if requested")
    func boxes() throws {
        let ends = [170.0, -10, -170, 10]
        let plain = try RelationTest(try .box(corners: ends), .none)
        let wrapped = try RelationTest(try .box(corners: ends, wraps: true), .none)
        for (position, isInPlain, isInWrapped) in [
            ("POINT(0 0)", true, false), ("POINT(175 0)", false, true), ("POINT(-180 0)", false, true),
        ] {
            let shape = try shape(position)
            #expect(try plain.holds(for: shape) == isInPlain)
            #expect(try wrapped.holds(for: shape) == isInWrapped)
            #expect(try RelationTest(try .box(corners: ends, wraps: true), .contains).holds(for: shape) == isInWrapped)
        }
        #expect(try SearchArea.box(corners: ends, wraps: true).center() == Position(longitude: 180, latitude: 0))
        #expect(try SearchArea.box(corners: ends).center() == Position(longitude: 0, latitude: 0))
        // Case 23: any two opposite corners.
        let corners: [[Double]] = [[-1, -1, 1, 1], [1, 1, -1, -1], [-1, 1, 1, -1], [1, -1, -1, 1]]
        let boxes = try corners.map { try SearchArea.box(corners: $0) }
        #expect(Set(boxes).count == 1)
        #expect(try SearchArea.box(corners: [1, 1, 100, -1, -1, 0]) == boxes[0])
        for wrong in [[], [1, 2, 3], [0, 0, 0, 91], [0, 0, 181, 0]] as [[Double]] {
            #expect(throws: GeometryError.self) { try SearchArea.box(corners: wrong) }
        }
    }

    @Test("Polygons that cross themselves: a query is refused, a document is repaired", .needsGEOS)
    func selfCrossing() throws {
        let bow = try Geometry(wellKnownText: "POLYGON((0 0, 2 2, 2 0, 0 2, 0 0))")
        let error = #expect(throws: GeometryError.self) { try RelationTest(.geometry(bow), .intersects) }
        #expect(error?.code == .selfCrossing)
        let shape = try Shape(bow)
        #expect(shape.repair != nil)
        #expect(try RelationTest(.geometry(try .point(longitude: 0.2, latitude: 1)), .within).holds(for: shape))
        #expect(try !RelationTest(.geometry(try .point(longitude: 1, latitude: 0.2)), .intersects).holds(for: shape))
        #expect(throws: GeometryError.self) { try Shape(try Geometry(wellKnownText: "POLYGON((0 0, 1 0, 2 0, 0 0))")) }
    }
}
