//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitPlaces
import Testing

@Suite("Circles and ellipses")
struct EllipseTests {
    static let centers = [
        Position(longitude: 0, latitude: 0), Position(longitude: 13.4, latitude: 52.5),
        Position(longitude: 180, latitude: -17),
        Position(longitude: -179.9, latitude: 65), Position(longitude: 30, latitude: 89.7),
        Position(longitude: -100, latitude: -88),
        Position(longitude: 0, latitude: 90), Position(longitude: 77, latitude: -90),
    ]

    /// Checks points in all directions, just inside and just outside of an outline.
    func check(_ ellipse: Ellipse, _ relation: Relation, inside: Double, outside: Double) throws {
        let test = try RelationTest(.ellipse(ellipse), relation)
        for azimuth in stride(from: 0.0, to: 360, by: 11) {
            for (part, isWithin) in [(0.01, true), (0.5, true), (inside, true), (outside, false), (1.5, false)] {
                let metres = ellipse.rangeX * part
                guard metres < Geodesic.distanceMax else { continue }
                let position = Geodesic.position(from: ellipse.center, azimuth: azimuth, metres: metres)
                let shape = try Shape(.point(longitude: position.longitude, latitude: position.latitude))
                #expect(try test.holds(for: shape) == isWithin, "\(ellipse) \(azimuth) \(part)")
                let isInBoxes = test.searchBoxes.contains { box in shape.boxes.contains { $0.meets(box) } }
                if isWithin && part < 0.99 { #expect(isInBoxes, "\(ellipse) \(azimuth) \(part)") }
            }
        }
    }

    @Test("A circle intersects by distance, and its outline agrees", arguments: centers)
    func circles(center: Position) throws {
        for radius in [1.0, 1000, 100_000, 3_000_000, 9_000_000, 15_000_000] {
            let circle = try Ellipse(center: center, radius: radius)
            // Circles around both poles need GEOS.
            if radius > 9_000_000, GeometryLibrary.current == .own { continue }
            try check(circle, .intersects, inside: 0.999999, outside: 1.000001)
            // An ellipse that is nearly a circle is tested with its polygon.
            let ellipse = try Ellipse(center: center, rangeX: radius, rangeY: radius * (1 - 1e-9))
            try check(ellipse, .intersects, inside: 0.995, outside: 1.005)
        }
    }

    @Test("An ellipse extends to its ranges")
    func ellipses() throws {
        let center = Position(longitude: 179.95, latitude: 50)
        let test = try RelationTest(.ellipse(try Ellipse(center: center, rangeX: 20_000, rangeY: 10_000)), .contains)
        for (azimuth, metres, isWithin) in [
            (90.0, 19_900.0, true), (90, 20_100, false), (270, 19_900, true), (0, 9_900, true), (0, 10_100, false),
            (180, 9_900, true), (180, 10_100, false), (45, 12_500, true), (45, 12_800, false),
        ] {
            let position = Geodesic.position(from: center, azimuth: azimuth, metres: metres)
            let shape = try Shape(.point(longitude: position.longitude, latitude: position.latitude))
            #expect(try test.holds(for: shape) == isWithin, "\(azimuth) \(metres)")
        }
    }

    @Test("Ranges of 0 give a point or a line, ranges larger than the Earth the world, others are refused")
    func extremes() throws {
        let center = Position(longitude: 5, latitude: 5)
        #expect(try Ellipse(center: center, radius: 0).shape().geometry == .point(longitude: 5, latitude: 5))
        #expect(try Ellipse(center: center, rangeX: 0, rangeY: 10).shape().geometry.kind == .lineString)
        #expect(try Ellipse(center: center, radius: 3e7).shape().boxes == [.world])
        #expect(try !Ellipse(center: center, radius: 1e-12).shape().boxes.isEmpty)
        for radius in [-1, .nan, .infinity] {
            #expect(throws: GeometryError.self) { try Ellipse(center: center, radius: radius) }
        }
        #expect(throws: GeometryError.self) { try Ellipse(center: Position(longitude: 0, latitude: 95), radius: 1) }
        let here = try RelationTest(.ellipse(try Ellipse(center: center, radius: 0)), .contains)
        #expect(try here.holds(for: Shape(.point(longitude: 5, latitude: 5))))
        #expect(try !here.holds(for: Shape(.point(longitude: 5.00001, latitude: 5))))
    }

    @Test("The bounding box of a circle contains the complete circle")
    func boxAround() throws {
        for latitude in stride(from: -79.5, through: 79.5, by: 5.3) {
            for radius in [0.0, 0.001, 1, 1_000, 30_000, 400_000, 1_000_000] {
                let circle = try Ellipse(center: Position(longitude: 17, latitude: latitude), radius: radius)
                guard let box = circle.boxAround else { continue }
                for azimuth in stride(from: 0.0, to: 360, by: 0.5) {
                    let edge = Geodesic.position(from: circle.center, azimuth: azimuth, metres: radius)
                    #expect(edge.longitude >= box.west && edge.longitude <= box.east)
                    #expect(edge.latitude >= box.south && edge.latitude <= box.north)
                }
            }
        }
        #expect(try Ellipse(center: Position(longitude: 179.9, latitude: 0), radius: 20_000).boxAround == nil)
        #expect(try Ellipse(center: Position(longitude: 0, latitude: 89), radius: 20_000).boxAround == nil)
    }
}
