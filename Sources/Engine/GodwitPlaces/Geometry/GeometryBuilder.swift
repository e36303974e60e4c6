//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Collects positions into a geometry and validates it. All parsers use it.
struct GeometryBuilder {
    private let system: CoordinateSystem
    private var dimension = 0
    private var coordinates: [Double] = []
    private var pathCounts: [Int32] = []
    private var ringCounts: [Int32] = []
    /// The index of the first coordinate of the current path.
    private var pathStart = 0
    private var ringCount = 0
    /// The number of positions that may still be appended.
    private var positionsLeft: Int

    /// Creates an empty builder.
    ///
    /// - Parameters:
    ///   - system: The coordinate system, which determines the limits of coordinates.
    ///   - positionsLeft: The maximum number of positions.
    init(system: CoordinateSystem, positionsLeft: Int = GeometryLimits.positionsMax) {
        self.system = system
        self.positionsLeft = positionsLeft
    }

    mutating func append(_ x: Double, _ y: Double) throws(GeometryError) {
        try begin(positionOf: 2)
        try checkCoordinates(x, y)
        coordinates.append(x)
        coordinates.append(y)
    }

    /// Appends a position that has the given number of coordinates.
    mutating func append(_ position: InlineArray<4, Double>, count: Int) throws(GeometryError) {
        try begin(positionOf: count)
        try checkCoordinates(position[0], position[1])
        for index in 0..<count {
            guard position[index].isFinite else { throw Self.notFinite }
            coordinates.append(position[index])
        }
    }

    /// Ends a line, which must have at least two positions.
    mutating func endLine() throws(GeometryError) {
        let count = pathPositions
        guard count >= 2 else {
            throw GeometryError(.empty, "a line needs at least two positions, but this one has \(count)")
        }
        endPath(count)
    }

    /// Ends a ring, and closes it if its last position differs from the first.
    mutating func endRing() throws(GeometryError) {
        guard pathPositions > 0 else {
            throw GeometryError(.empty, "a polygon's ring needs positions, but this one has none")
        }
        let first = coordinates[pathStart..<pathStart + dimension]
        if first != coordinates[(coordinates.count - dimension)...] {
            try begin(positionOf: dimension)
            coordinates.append(contentsOf: Array(first))
        }
        let count = pathPositions
        guard count >= 4 else {
            throw GeometryError(
                .empty,
                "a polygon's ring needs at least four positions, the last equal to the first, but this one has \(count)"
            )
        }
        endPath(count)
        ringCount += 1
    }

    /// Ends a polygon of a multi-polygon.
    mutating func endPolygon() throws(GeometryError) {
        guard ringCount > 0 else { throw GeometryError(.empty, "a polygon needs an outer ring") }
        ringCounts.append(Int32(clamping: ringCount))
        ringCount = 0
    }

    /// Returns the geometry of the collected positions.
    func finish(_ kind: Geometry.Kind) throws(GeometryError) -> Geometry {
        guard dimension > 0 else {
            throw GeometryError(.empty, "a geometry needs a position, but this \(kind.name) has none")
        }
        let isList = kind == .polygon || kind == .multiLineString || kind == .multiPolygon
        return Geometry(
            kind, dimension: dimension, coordinates: coordinates, pathCounts: isList ? pathCounts : [],
            ringCounts: ringCounts)
    }

    /// Creates a collection of members.
    static func collection(of members: [Geometry]) throws(GeometryError) -> Geometry {
        guard let dimension = members.map(\.dimension).max() else {
            throw GeometryError(.empty, "a geometry needs a position, but this GeometryCollection has none")
        }
        return Geometry(.geometryCollection, dimension: dimension, coordinates: [], members: members)
    }

    private var pathPositions: Int { dimension == 0 ? 0 : (coordinates.count - pathStart) / dimension }

    private mutating func endPath(_ count: Int) {
        pathCounts.append(Int32(clamping: count))
        pathStart = coordinates.count
    }

    private mutating func begin(positionOf count: Int) throws(GeometryError) {
        if count != dimension {
            guard dimension == 0 else {
                throw GeometryError(
                    .mixedDimensions,
                    "all positions of a geometry must have equally many coordinates, not \(dimension) and \(count)"
                )
            }
            dimension = count
        }
        positionsLeft -= 1
        guard positionsLeft >= 0 else {
            throw GeometryError(
                .tooManyPositions, "a geometry may have at most \(GeometryLimits.positionsMax) positions")
        }
    }

    private func checkCoordinates(_ x: Double, _ y: Double) throws(GeometryError) {
        guard x.isFinite, y.isFinite else { throw Self.notFinite }
        guard system == .wgs84 else { return }
        guard abs(x) <= 180 else {
            throw GeometryError(.outOfRange, "a longitude must be within ±180, but this one is \(x)")
        }
        guard abs(y) <= 90 else {
            throw GeometryError(.outOfRange, "a latitude must be within ±90, but this one is \(y)")
        }
    }

    private static let notFinite = GeometryError(.outOfRange, "a coordinate must be a finite number")
}

extension Geometry.Kind {
    /// The type's name in GeoJSON.
    public var name: String {
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
