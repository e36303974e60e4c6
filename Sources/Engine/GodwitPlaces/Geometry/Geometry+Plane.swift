//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Operations on the two-dimensional geometries of the map.
extension Geometry {
    /// The geometry without coordinates beyond the second.
    var flattened: Geometry {
        if dimension == 2 { return self }
        var flatCoordinates: [Double] = []
        flatCoordinates.reserveCapacity(coordinates.count / dimension * 2)
        for start in stride(from: 0, to: coordinates.count, by: dimension) {
            flatCoordinates.append(coordinates[start])
            flatCoordinates.append(coordinates[start + 1])
        }
        return Geometry(
            kind, dimension: 2, coordinates: flatCoordinates, pathCounts: pathCounts, ringCounts: ringCounts)
    }

    /// Creates a line from a list with one line, and a multi-line from a list with several lines.
    init(lines: [[Position]]) {
        self.init(
            lines.count == 1 ? .lineString : .multiLineString, dimension: 2,
            coordinates: lines.flatMap { $0.flatMap { [$0.x, $0.y] } },
            pathCounts: lines.count == 1 ? [] : lines.map { Int32($0.count) })
    }

    /// Creates a polygon from rings, the outer one first.
    init(rings: [[Position]]) {
        self.init(
            .polygon, dimension: 2, coordinates: rings.flatMap { $0.flatMap { [$0.x, $0.y] } },
            pathCounts: rings.map { Int32($0.count) })
    }

    /// Creates a multi-polygon from all polygons in a list of polygons and multi-polygons.
    init(polygons: [Geometry]) {
        self.init(
            .multiPolygon, dimension: 2, coordinates: polygons.flatMap(\.coordinates),
            pathCounts: polygons.flatMap(\.pathCounts),
            ringCounts: polygons.flatMap { $0.kind == .polygon ? [Int32($0.pathCounts.count)] : $0.ringCounts })
    }

    /// Creates one geometry from all parts of several geometries, which must have the same topological dimension. The
    /// geometries must not be collections.
    init(joining parts: [Geometry]) {
        switch parts[0].topologicalDimension {
        case 0: self.init(.multiPoint, dimension: 2, coordinates: parts.flatMap(\.coordinates))
        case 1:
            self.init(
                .multiLineString, dimension: 2, coordinates: parts.flatMap(\.coordinates),
                pathCounts: parts.flatMap { $0.pathCounts.isEmpty ? [Int32($0.coordinates.count / 2)] : $0.pathCounts })
        default: self.init(polygons: parts)
        }
    }

    /// The geometries that are not collections, at any depth.
    var leaves: [Geometry] { kind == .geometryCollection ? members.flatMap(\.leaves) : [self] }

    /// The polygons of the geometry; `nil` when it has no polygons.
    var areas: Geometry? {
        if kind == .polygon || kind == .multiPolygon { return self }
        let polygons = leaves.filter { $0.topologicalDimension == 2 }
        return polygons.isEmpty ? nil : Geometry(polygons: polygons)
    }

    /// The topological dimension: 0 for points, 1 for lines, 2 for areas; for a collection, the maximum of its members.
    var topologicalDimension: Int {
        switch kind {
        case .point, .multiPoint: 0
        case .lineString, .multiLineString: 1
        case .polygon, .multiPolygon: 2
        case .geometryCollection: members.map(\.topologicalDimension).max() ?? 0
        }
    }

    func moved(by longitude: Double) -> Geometry {
        longitude == 0 ? self : mappingLongitudes { $0 + longitude }
    }

    func mappingLongitudes(_ map: (Double) -> Double) -> Geometry {
        var moved = coordinates
        for index in stride(from: 0, to: moved.count, by: 2) { moved[index] = map(moved[index]) }
        return Geometry(
            kind, dimension: 2, coordinates: moved, pathCounts: pathCounts, ringCounts: ringCounts,
            members: members.map { $0.mappingLongitudes(map) })
    }
}
