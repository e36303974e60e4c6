//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

extension Geometry {
    /// Parses a GeoJSON geometry. An unclosed ring is closed. Members that GeoJSON does not define are ignored.
    ///
    /// - Parameters:
    ///   - json: The geometry, as an object.
    ///   - system: The coordinate system. Coordinates in ``CoordinateSystem/wgs84`` must be within ±180 and ±90
    ///     degrees; coordinates in other systems must be finite.
    /// - Throws: ``GeometryError`` that describes what is wrong with the geometry.
    public init(json: JSONValue, system: CoordinateSystem = .wgs84) throws(GeometryError) {
        let tape: JSONTape
        do {
            tape = try JSONTape(scanning: json.jsonBytes())
        } catch {
            throw GeometryError(.notAGeometry, "the geometry cannot be written as JSON")
        }
        self = try Geometry(tape: tape, system: system)
    }

    /// Parses a GeoJSON geometry from a tape.
    ///
    /// - Parameters:
    ///   - tape: The scanned text.
    ///   - index: The index of the geometry in the tape.
    ///   - system: The coordinate system.
    /// - Throws: ``GeometryError`` that describes what is wrong with the geometry.
    package init(tape: JSONTape, at index: Int = 0, system: CoordinateSystem = .wgs84) throws(GeometryError) {
        var reader = GeometryReader(tape: tape, system: system)
        self = try reader.geometry(index)
    }

    /// Parses all geometries of a value: a geometry, a Feature, or a FeatureCollection.
    ///
    /// - Returns: The geometry, or the geometries of the features. A feature whose geometry is `null` has no geometry.
    /// - Throws: ``GeometryError`` for the first geometry that is not valid.
    public static func all(in json: JSONValue, system: CoordinateSystem = .wgs84) throws(GeometryError) -> [Geometry] {
        let members: [JSONValue]
        switch json["type"]?.stringValue {
        case "FeatureCollection":
            guard let features = json["features"]?.arrayValue else {
                throw GeometryError(.notAGeometry, "a FeatureCollection needs features, an array")
            }
            members = features
        case "Feature": members = [json]
        default: return [try Geometry(json: json, system: system)]
        }
        var geometries: [Geometry] = []
        for member in members {
            guard member["type"]?.stringValue == "Feature", let geometry = member["geometry"] else {
                throw GeometryError(.notAGeometry, "a Feature needs the type Feature and a geometry, which may be null")
            }
            if !geometry.isNull { geometries.append(try Geometry(json: geometry, system: system)) }
        }
        return geometries
    }

    /// The geometry as GeoJSON.
    public var json: JSONValue {
        if kind == .geometryCollection {
            return ["type": .string(kind.name), "geometries": .array(members.map(\.json))]
        }
        return ["type": .string(kind.name), "coordinates": jsonCoordinates]
    }

    /// The geometry as GeoJSON text without white space. A coordinate that is a whole number has no fraction, as in
    /// JavaScript. Any other coordinate has the smallest number of digits that are parsed as the same number.
    public var jsonText: String {
        var bytes: [UInt8] = []
        appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the ``jsonText`` of the geometry.
    package func appendJSON(to bytes: inout [UInt8]) {
        bytes += "{\"type\":\"".utf8
        bytes += kind.name.utf8
        if kind == .geometryCollection {
            bytes += "\",\"geometries\":".utf8
            Self.appendList(members, to: &bytes) { $0.appendJSON(to: &$1) }
        } else {
            bytes += "\",\"coordinates\":".utf8
            appendCoordinates(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private func appendCoordinates(to bytes: inout [UInt8]) {
        switch kind {
        case .point: appendPosition(0, to: &bytes)
        case .lineString, .multiPoint: appendPositions(paths[0], to: &bytes)
        case .polygon, .multiLineString: Self.appendList(paths, to: &bytes, appendPositions)
        default: Self.appendList(polygons, to: &bytes) { Self.appendList($0, to: &$1, appendPositions) }
        }
    }

    private func appendPositions(_ positions: Range<Int>, to bytes: inout [UInt8]) {
        Self.appendList(positions, to: &bytes, appendPosition)
    }

    private func appendPosition(_ index: Int, to bytes: inout [UInt8]) {
        Self.appendList(coordinates[index * dimension..<(index + 1) * dimension], to: &bytes) { number, bytes in
            if let integer = Int(exactly: number) {
                JSONWriter.append(integer, to: &bytes)
            } else {
                JSONWriter.append(number, to: &bytes)
            }
        }
    }

    private static func appendList<Elements: Sequence>(
        _ elements: Elements, to bytes: inout [UInt8], _ append: (Elements.Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private var jsonCoordinates: JSONValue {
        let paths = paths.map { range in JSONValue.array(range.map(jsonPosition)) }
        switch kind {
        case .point: return jsonPosition(0)
        case .lineString, .multiPoint: return paths[0]
        case .polygon, .multiLineString: return .array(paths)
        default:
            var start = 0
            return .array(
                ringCounts.map { count in
                    defer { start += Int(count) }
                    return .array(Array(paths[start..<start + Int(count)]))
                })
        }
    }

    private func jsonPosition(_ index: Int) -> JSONValue {
        .array(coordinates[index * dimension..<(index + 1) * dimension].map(Self.jsonNumber))
    }

    private static func jsonNumber(_ number: Double) -> JSONValue {
        Int64(exactly: number).map(JSONValue.integer) ?? .double(number)
    }
}
