//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitPlaces
import Testing

@Suite("Coordinate systems")
struct CoordinateSystemTests {
    @Test("They are parsed from numbers and names")
    func parsing() throws {
        #expect(try CoordinateSystem(parsing: "4326") == .wgs84)
        #expect(try CoordinateSystem(parsing: "urn:ogc:def:crs:EPSG::4269").code == 4269)
        for wrong in [
            "", "x", "-1", "0", "EPSG", "urn:ogc:def:crs:EPSG::", "urn:ogc:def:crs:OGC::4326", "99999999999999999999",
            "urn:ogc:def:crs:EPSG::\u{301}4326",
        ] {
            let error = #expect(throws: GeometryError.self) { try CoordinateSystem(parsing: wrong) }
            #expect(error?.code == .unknownCoordinateSystem)
        }
    }

    @Test("A position survives the transformation and its inverse", .needsGEOS)
    func transformations() throws {
        let berlin = try Geometry(wellKnownText: "LINESTRING Z (13.4 52.5 34, 13.5 52.6 35)")
        for code in [4269, 3857, 32633, 25833, 4326] {
            let system = CoordinateSystem(code: code)
            let there = try CoordinateTransformation.between(.wgs84, and: system).transform(berlin)
            let back = try CoordinateTransformation.between(system, and: .wgs84).transform(there)
            for (number, expected) in zip(back.coordinates, berlin.coordinates) {
                #expect(abs(number - expected) < 1e-7)
            }
        }
        let mercator = try CoordinateTransformation.between(.wgs84, and: CoordinateSystem(code: 3857))
        let position = try mercator.transform(Position(longitude: 180, latitude: 0))
        #expect(abs(position.longitude - 20_037_508.342789) < 1e-5)
    }

    @Test("Unknown systems and positions that cannot be transformed are refused", .needsGEOS)
    func refused() throws {
        for code in [1, 99999, Int.max] {
            let error = #expect(throws: GeometryError.self) {
                try CoordinateTransformation.between(CoordinateSystem(code: code), and: .wgs84)
            }
            #expect(error?.code == .unknownCoordinateSystem)
        }
        let far = try Geometry(wellKnownText: "POINT(1e30 1e30)", system: CoordinateSystem(code: 32633))
        let transformation = try CoordinateTransformation.between(CoordinateSystem(code: 32633), and: .wgs84)
        #expect(throws: GeometryError.self) { try transformation.transform(far) }
    }
}
