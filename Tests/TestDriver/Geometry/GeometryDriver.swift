//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces

/// Answers questions about geometries, one line of JSON each, so that the tests of clients can compare the answers with
/// those of other libraries:
///
/// - `{"relate": [Q, R]}`: `{"relations": ["intersects", …]}`, the relations that hold
/// - `{"between": [lon, lat, lon, lat]}`: `{"metres": …}`
/// - `{"from": [lon, lat], "to": geometry}`: `{"metres": …, "metresMin": …}`, the latter for the bounding boxes
/// - `{"wkt": text}`: `{"geometry": …}`
/// - `{"round": geometry}`: `{"geometry": …, "wkt": …}`, the geometry after a conversion to well-known binary and back
/// - `{"transform": geometry, "system": code}`: `{"geometry": …}`, on WGS 84
/// - a failure: `{"error": code, "reason": message}`
enum GeometryDriver {
    static func run() throws {
        while let line = readLine() {
            do {
                print(try answer(try JSONValue(parsing: line)))
            } catch let error as GeometryError {
                print(["error": .string(error.code.description), "reason": .string(error.message)] as JSONValue)
            }
        }
    }

    private static func position(_ value: JSONValue?, at index: Int = 0) throws -> Position {
        guard let numbers = value?.arrayValue?.compactMap(\.doubleValue), numbers.count >= index + 2 else {
            throw GeometryError(.invalidCoordinates, "expected longitude and latitude")
        }
        return Position(longitude: numbers[index], latitude: numbers[index + 1])
    }

    private static func relations(_ first: JSONValue, _ second: JSONValue) throws -> JSONValue {
        let area = SearchArea.geometry(try Geometry(json: first))
        let shape = try Shape(try Geometry(json: second))
        let holding = try Relation.allCases.filter { relation in
            guard relation != .none else { return false }
            return try RelationTest(area, relation).holds(for: shape)
        }
        return ["relations": .array(holding.map { .string($0.rawValue) })]
    }

    private static func nearest(_ origin: JSONValue, _ target: JSONValue) throws -> JSONValue {
        let measure = DistanceMeasure(from: try position(origin))
        let shape = try Shape(try Geometry(json: target))
        let metresMin = shape.boxes.map(measure.metresMin).min() ?? 0
        return ["metres": .double(measure.metres(to: shape)), "metresMin": .double(metresMin)]
    }

    private static func answer(_ question: JSONValue) throws -> JSONValue {
        if let pair = question["relate"]?.arrayValue { return try relations(pair[0], pair[1]) }
        if let ends = question["between"] {
            let metres = Geodesic.metres(from: try position(ends), to: try position(ends, at: 2))
            return ["metres": .double(metres)]
        }
        if let origin = question["from"] { return try nearest(origin, question["to"] ?? .null) }
        if let text = question["wkt"]?.stringValue { return ["geometry": try Geometry(wellKnownText: text).json] }
        if let json = question["round"] {
            let geometry = try Geometry(wellKnownBinary: try Geometry(json: json).wellKnownBinary)
            return ["geometry": geometry.json, "wkt": .string(geometry.wellKnownText)]
        }
        let system = CoordinateSystem(code: question["system"]?.intValue ?? 0)
        let geometry = try Geometry(json: question["transform"] ?? .null, system: system)
        return ["geometry": try CoordinateTransformation.between(system, and: .wgs84).transform(geometry).json]
    }
}
