//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import Testing

@Suite("Geometries are read and written")
struct GeometryTests {
    static let shapes = [
        #"{"type":"Point","coordinates":[100,0.5]}"#,
        #"{"type":"Point","coordinates":[100,0,12.25]}"#,
        #"{"type":"Point","coordinates":[100,0,12,-7]}"#,
        #"{"type":"LineString","coordinates":[[100,0],[101,1]]}"#,
        #"{"type":"Polygon","coordinates":[[[100,0],[101,0],[101,1],[100,1],[100,0]]]}"#,
        #"{"type":"Polygon","coordinates":[[[100,0],[101,0],[101,1],[100,1],[100,0]],"#
            + #"[[100.2,0.2],[100.8,0.2],[100.8,0.8],[100.2,0.8],[100.2,0.2]]]}"#,
        #"{"type":"MultiPoint","coordinates":[[100,0],[101,1]]}"#,
        #"{"type":"MultiLineString","coordinates":[[[100,0],[101,1]],[[102,2],[103,3],[104,3]]]}"#,
        #"{"type":"MultiPolygon","coordinates":[[[[102,2],[103,2],[103,3],[102,3],[102,2]]],"#
            + #"[[[100,0],[101,0],[101,1],[100,1],[100,0]],[[100.2,0.2],[100.8,0.2],[100.8,0.8],[100.2,0.8],[100.2,0.2]]]]}"#,
        #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[100,0]},"#
            + #"{"type":"LineString","coordinates":[[101,0],[102,1]]},"#
            + #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2,3]}]}]}"#,
    ]

    @Test("JSON, well-known binary and text give the same JSON again", arguments: shapes)
    func roundTrips(text: String) throws {
        let geometry = try Geometry(tape: JSONTape(scanning: Array(text.utf8)))
        #expect(geometry.jsonText == text)
        #expect(try Geometry(json: JSONValue(parsing: text)) == geometry)
        #expect(try Geometry(wellKnownBinary: geometry.wellKnownBinary).jsonText == text)
        #expect(try Geometry(wellKnownText: geometry.wellKnownText).jsonText == text)
        #expect(try Geometry(wellKnownText: geometry.wellKnownText.lowercased()) == geometry)
    }

    @Test("Truncated or overwritten well-known binary is refused or is a geometry", arguments: shapes)
    func damagedBinary(text: String) throws {
        let bytes = try Geometry(json: JSONValue(parsing: text)).wellKnownBinary
        for count in 0..<bytes.count {
            #expect(throws: GeometryError.self) { try Geometry(wellKnownBinary: Array(bytes[..<count])) }
        }
        for index in bytes.indices {
            for value in [0, 1, 7, 127, 255] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                guard let read = try? Geometry(wellKnownBinary: damaged) else { continue }
                #expect(try Geometry(wellKnownBinary: read.wellKnownBinary) == read)
            }
        }
    }

    @Test(
        "Invalid geometries are refused with their reason",
        arguments: [
            (#"1"#, "notAGeometry"),
            (#"{}"#, "notAGeometry"),
            (#"{"coordinates":[1,2]}"#, "notAGeometry"),
            (#"{"type":"Circle","coordinates":[1,2]}"#, "notAGeometry"),
            (#"{"type":"point","coordinates":[1,2]}"#, "notAGeometry"),
            (#"{"type":7,"coordinates":[1,2]}"#, "notAGeometry"),
            (#"{"type":"Point"}"#, "invalidCoordinates"),
            (#"{"type":"Point","coordinates":"1,2"}"#, "invalidCoordinates"),
            (#"{"type":"Point","coordinates":{}}"#, "invalidCoordinates"),
            (#"{"type":"Point","coordinates":[1]}"#, "invalidCoordinates"),
            (#"{"type":"Point","coordinates":[1,"2"]}"#, "invalidCoordinates"),
            (#"{"type":"Point","coordinates":[1,null]}"#, "invalidCoordinates"),
            (#"{"type":"Point","coordinates":[1,2,3,4,5]}"#, "invalidCoordinates"),
            (#"{"type":"Point","coordinates":[[1,2]]}"#, "invalidCoordinates"),
            (#"{"type":"LineString","coordinates":[1,2]}"#, "invalidCoordinates"),
            (#"{"type":"GeometryCollection"}"#, "invalidCoordinates"),
            (#"{"type":"GeometryCollection","geometries":[1]}"#, "notAGeometry"),
            (#"{"type":"GeometryCollection","geometries":[]}"#, "empty"),
            (#"{"type":"MultiPoint","coordinates":[]}"#, "empty"),
            (#"{"type":"Polygon","coordinates":[]}"#, "empty"),
            (#"{"type":"Polygon","coordinates":[[]]}"#, "empty"),
            (#"{"type":"MultiPolygon","coordinates":[[]]}"#, "empty"),
            (#"{"type":"LineString","coordinates":[[1,2]]}"#, "empty"),
            (#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}"#, "empty"),
            (#"{"type":"LineString","coordinates":[[1,2],[1,2,3]]}"#, "mixedDimensions"),
            (#"{"type":"Point","coordinates":[5,95]}"#, "outOfRange"),
            (#"{"type":"Point","coordinates":[-180.5,5]}"#, "outOfRange"),
            (#"{"type":"Point","coordinates":[123456789012345678901234567890,5]}"#, "outOfRange"),
        ])
    func refused(text: String, code: String) throws {
        let json = try JSONValue(parsing: text)
        let error = #expect(throws: GeometryError.self) { try Geometry(json: json) }
        #expect(error?.code.description == code)
    }

    @Test("Numbers that are not finite are refused")
    func notFinite() throws {
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: GeometryError.self) { try Geometry.point(longitude: number, latitude: 0) }
            #expect(throws: GeometryError.self) { try Geometry.point(longitude: 0, latitude: number) }
            #expect(throws: GeometryError.self) { try SearchArea.box(corners: [0, 0, number, 1]) }
            #expect(throws: GeometryError.self) {
                try Ellipse(center: Position(longitude: 0, latitude: 0), radius: number)
            }
        }
        for text in ["POINT(nan 1)", "POINT(inf 1)", "POINT(1e999 1)", "POINT(0x10 1)"] {
            #expect(throws: GeometryError.self) { try Geometry(wellKnownText: text) }
        }
    }

    @Test("An unclosed ring is closed")
    func unclosed() throws {
        let ring = try Geometry(json: ["type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1]]]])
        #expect(ring.jsonText == #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#)
    }

    @Test(
        "All spellings of well-known text",
        arguments: [
            ("point(-71.0537124 42.3681995)", "[-71.0537124,42.3681995]"),
            ("POINT Z (1 2 3)", "[1,2,3]"), ("POINTZ(1 2 3)", "[1,2,3]"), ("POINT(1 2 3)", "[1,2,3]"),
            ("POINT M (1 2 3)", "[1,2]"), ("Point ZM ( 1\t2 3\n4 )", "[1,2,3,4]"), ("POINT(1e1 -2.5E-1)", "[10,-0.25]"),
            ("MULTIPOINT(1 2, 3 4)", "[[1,2],[3,4]]"), ("MULTIPOINT((1 2),(3 4))", "[[1,2],[3,4]]"),
            ("  LINESTRING ( 1 2 , 3 4 ) ", "[[1,2],[3,4]]"),
        ])
    func wellKnownText(text: String, coordinates: String) throws {
        #expect(try Geometry(wellKnownText: text).json["coordinates"]?.jsonText() == coordinates)
    }

    @Test(
        "Invalid text is refused",
        arguments: [
            "", "POLYGON(EMPTY)", "POINT EMPTY", "GEOMETRYCOLLECTION EMPTY", "MULTIPOINT(1 2, EMPTY)", "POINT",
            "POINT()",
            "POINT(1)", "POINT(1 2", "POINT(1 2))", "POINT(1 2) x", "POINT(1,2)", "POINT Z (1 2)", "POINT Q (1 2)",
            "POINT(1 2 3 4 5)", "POINT(- 1)", "POINT(1 2 3,4 5 6)", "CIRCLE(1 2)", "POLYGON((0 0,1 1,1 0),)",
            "POLYGON(0 0,1 1)",
            "LINESTRING(0 0, 1 1 1)", "POINT(200 0)", "GEOMETRYCOLLECTION(POINT(1 2),)", "((((", "POINT(1 2)\0",
            "ＰＯＩＮＴ(1 2)",
        ])
    func refusedText(text: String) {
        #expect(throws: GeometryError.self) { try Geometry(wellKnownText: text) }
    }

    @Test("The geometries of features and collections are read")
    func features() throws {
        let feature: JSONValue = [
            "type": "Feature", "properties": [:], "geometry": ["type": "Point", "coordinates": [1, 2]],
        ]
        let without: JSONValue = ["type": "Feature", "geometry": .null]
        #expect(try Geometry.all(in: feature).map(\.jsonText) == [#"{"type":"Point","coordinates":[1,2]}"#])
        #expect(try Geometry.all(in: without).isEmpty)
        #expect(
            try Geometry.all(in: ["type": "FeatureCollection", "features": [feature, without, feature]]).count == 2)
        #expect(try Geometry.all(in: feature["geometry"] ?? .null).count == 1)
        for wrong in [["type": "FeatureCollection"], ["type": "Feature"], .null] as [JSONValue] {
            #expect(throws: GeometryError.self) { try Geometry.all(in: wrong) }
        }
    }
}
