//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Parses geometries from a tape, without decoding JSON values.
struct GeometryReader {
    let tape: JSONTape
    let system: CoordinateSystem
    /// The number of positions that may still follow.
    private var positionsLeft = GeometryLimits.positionsMax

    init(tape: JSONTape, system: CoordinateSystem) {
        self.tape = tape
        self.system = system
    }

    mutating func geometry(_ index: Int, depth: Int = 1) throws(GeometryError) -> Geometry {
        guard tape.kind(index) == .object else { throw GeometryError(.notAGeometry, "a geometry must be an object") }
        let kind = try kind(of: index)
        let geometry: Geometry
        if kind == .geometryCollection {
            geometry = try collection(index, depth: depth)
        } else {
            guard let coordinates = tape.member("coordinates", of: index), tape.kind(coordinates) == .array else {
                throw GeometryError(.invalidCoordinates, "a \(kind.name) needs coordinates, an array")
            }
            geometry = try shape(kind, coordinates)
            positionsLeft -= geometry.positionCount
        }
        return geometry
    }

    private func kind(of index: Int) throws(GeometryError) -> Geometry.Kind {
        guard let type = tape.member("type", of: index), tape.kind(type) == .string else {
            throw GeometryError(.notAGeometry, "a geometry needs a type, a string")
        }
        for kind in Geometry.Kind.allCases where tape.keyEquals(type, kind.staticName) { return kind }
        throw GeometryError(.notAGeometry, "the type is not one of GeoJSON's geometries")
    }

    private mutating func collection(_ index: Int, depth: Int) throws(GeometryError) -> Geometry {
        guard let list = tape.member("geometries", of: index), tape.kind(list) == .array else {
            throw GeometryError(.invalidCoordinates, "a GeometryCollection needs geometries, an array")
        }
        guard depth < GeometryLimits.nestingMax else {
            throw GeometryError(.tooDeep, "collections may be nested at most \(GeometryLimits.nestingMax) levels deep")
        }
        var members: [Geometry] = []
        for member in tape.elements(of: list) { members.append(try geometry(member, depth: depth + 1)) }
        return try GeometryBuilder.collection(of: members)
    }

    private func shape(_ kind: Geometry.Kind, _ coordinates: Int) throws(GeometryError) -> Geometry {
        var builder = GeometryBuilder(system: system, positionsLeft: positionsLeft)
        switch kind {
        case .point: try position(coordinates, into: &builder)
        case .multiPoint: try positions(of: coordinates, into: &builder)
        case .lineString: try line(coordinates, into: &builder)
        case .multiLineString: for index in tape.elements(of: coordinates) { try line(index, into: &builder) }
        case .polygon: try rings(of: coordinates, into: &builder)
        default:
            for polygon in tape.elements(of: coordinates) {
                try rings(of: polygon, into: &builder)
                try builder.endPolygon()
            }
        }
        return try builder.finish(kind)
    }

    private func line(_ index: Int, into builder: inout GeometryBuilder) throws(GeometryError) {
        try positions(of: index, into: &builder)
        try builder.endLine()
    }

    private func rings(of index: Int, into builder: inout GeometryBuilder) throws(GeometryError) {
        try checkArray(index)
        for ring in tape.elements(of: index) {
            try positions(of: ring, into: &builder)
            try builder.endRing()
        }
    }

    private func positions(of index: Int, into builder: inout GeometryBuilder) throws(GeometryError) {
        try checkArray(index)
        for element in tape.elements(of: index) { try position(element, into: &builder) }
    }

    private func position(_ index: Int, into builder: inout GeometryBuilder) throws(GeometryError) {
        try checkArray(index)
        var position: InlineArray<4, Double> = .init(repeating: 0)
        var count = 0
        for element in tape.elements(of: index) {
            guard count < 4, let number = tape.double(element) else { throw Self.notAPosition }
            position[count] = number
            count += 1
        }
        guard count >= 2 else { throw Self.notAPosition }
        try builder.append(position, count: count)
    }

    private func checkArray(_ index: Int) throws(GeometryError) {
        guard tape.kind(index) == .array else { throw Self.notAPosition }
    }

    private static let notAPosition = GeometryError(
        .invalidCoordinates,
        "a position must be an array of 2 to 4 numbers, and lines, rings and polygons must be arrays of them")
}

extension Geometry.Kind {
    fileprivate var staticName: StaticString {
        switch self {
        case .point: "Point"
        case .lineString: "LineString"
        case .polygon: "Polygon"
        case .multiPoint: "MultiPoint"
        case .multiLineString: "MultiLineString"
        case .multiPolygon: "MultiPolygon"
        case .geometryCollection: "GeometryCollection"
        }
    }
}
