//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitPlaces

/// Measures the work of an index and a query for one document's geometry.
struct GeoBenchmarks {
    private static let rounds = 5
    private static let corners = 1_000

    func run() throws {
        let texts = (0..<1_000).map { number in
            Array(#"{"type":"place","geometry":{"type":"Point","coordinates":[\#(Self.position(number))]}}"#.utf8)
        }
        let tapes = try texts.map { try JSONTape(scanning: $0) }
        let points = try tapes.map { try Self.shape($0).wellKnownBinary }
        let polygon = try Self.polygon()
        let area = SearchArea.geometry(polygon)
        let measure = DistanceMeasure(from: Position(longitude: 3, latitude: 3))
        let shape = try Shape(polygon)
        print("nanoseconds each, the median of \(Self.rounds) rounds")
        try report("point: read off the tape, laid on the map, written", 1_000) {
            try Self.use(Self.shape(tapes[$0]).wellKnownBinary.count)
        }
        try report("polygon of 1 000 corners: laid on the map, validated, written", 20) { _ in
            try Self.use(Shape(polygon).wellKnownBinary.count)
        }
        try report("polygon of 1 000 corners prepared for a query", 20) { _ in
            try Self.use(RelationTest(area, .intersects).searchBoxes.count)
        }
        for relation in [Relation.intersects, .contains, .touches] {
            let test = try RelationTest(area, relation)
            try report("\(relation.rawValue): a kept point in the prepared polygon", 1_000) { number in
                try points[number].withUnsafeBytes { try Self.use(test.holds(forWellKnownBinary: $0) ? 1 : 0) }
            }
        }
        try report("metres to a kept point", 1_000) { number in
            try points[number].withUnsafeBytes { try Self.use(Int(measure.metres(toWellKnownBinary: $0))) }
        }
        try report("lower bound of the metres to a box", 1_000) { number in
            let west = Double(number) / 10 - 50
            Self.use(Int(measure.metresMin(to: BoundingBox(west: west, south: 4, east: west + 1, north: 5))))
        }
        try report("metres to the nearest point of the polygon's edge", 20) { _ in
            Self.use(Int(measure.metres(to: shape)))
        }
    }

    /// Returns a star around the origin; the position at 3° east, 3° north is outside of it.
    private static func polygon() throws -> Geometry {
        let positions = (0..<corners).map { number -> JSONValue in
            let angle = 2 * Double.pi * Double(number) / Double(corners)
            let radius = number.isMultiple(of: 2) ? 2.0 : 1.8
            return .array([.double(radius * cos(angle)), .double(radius * sin(angle))])
        }
        let json: JSONValue = ["type": "Polygon", "coordinates": [.array(positions)]]
        return try Geometry(json: json)
    }

    private static func position(_ number: Int) -> String {
        "\(Double(number * 7_919 % 4_001) / 1_000 - 2),\(Double(number * 104_729 % 4_001) / 1_000 - 2)"
    }

    private static func shape(_ tape: JSONTape) throws -> Shape {
        try Shape(Geometry(tape: tape, at: tape.member("geometry", of: 0) ?? 0))
    }

    @inline(never)
    private static func use(_ number: Int) {}

    private func report(_ name: String, _ count: Int, _ body: (Int) throws -> Void) throws {
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            let time = try secondsNow { for number in 0..<count { try body(number) } }
            times.append(time / Double(count))
        }
        print("\(Int(median(times) * 1e9))  \(name)")
    }
}
