//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A GeoJSON geometry (RFC 7946): points, lines, areas, or a collection of geometries.
///
/// Longitude precedes latitude, in degrees. Coordinates beyond the second (such as a height) are stored and written
/// unchanged. Relations and distances use only the first two coordinates. Every value is valid:
/// - It has a position.
/// - Its lines have at least two positions.
/// - Its rings have at least four positions and are closed.
/// - Its numbers are finite.
///
/// ```swift
/// let field = try Geometry(wellKnownText: "POLYGON((4.1 52.0, 4.2 52.0, 4.2 52.1, 4.1 52.0))")
/// let bird = try Geometry.point(longitude: 4.18, latitude: 52.03)
/// print(bird.jsonText)      // {"type":"Point","coordinates":[4.18,52.03]}
/// ```
public struct Geometry: Sendable, Hashable {
    /// The seven types of geometry. The raw values are the numbers of the types in well-known binary.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// One position.
        case point = 1
        /// Two or more positions.
        case lineString
        /// An outer ring and the holes in it.
        case polygon
        /// A list of positions.
        case multiPoint
        /// A list of lines.
        case multiLineString
        /// A list of polygons.
        case multiPolygon
        /// A list of geometries of any type.
        case geometryCollection
    }

    /// The type.
    public let kind: Kind
    /// The number of coordinates of each position: 2 to 4; for a collection the maximum of its members.
    public let dimension: Int
    /// All coordinates, position by position.
    package let coordinates: [Double]
    /// The number of positions of each line or ring; empty for a type with a single list of positions.
    let pathCounts: [Int32]
    /// The number of rings of each polygon of a multi-polygon.
    let ringCounts: [Int32]
    /// The geometries of a collection; empty for other types.
    public let members: [Geometry]

    init(
        _ kind: Kind, dimension: Int, coordinates: [Double], pathCounts: [Int32] = [], ringCounts: [Int32] = [],
        members: [Geometry] = []
    ) {
        self.kind = kind
        self.dimension = dimension
        self.coordinates = coordinates
        self.pathCounts = pathCounts
        self.ringCounts = ringCounts
        self.members = members
    }

    /// Creates a point.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/outOfRange`` when the longitude is beyond ±180
    ///   degrees, or the latitude is beyond ±90 degrees.
    public static func point(longitude: Double, latitude: Double) throws(GeometryError) -> Geometry {
        var builder = GeometryBuilder(system: .wgs84)
        try builder.append(longitude, latitude)
        return try builder.finish(.point)
    }

    /// The position of a point; `nil` for other types.
    public var position: Position? { kind == .point ? position(0) : nil }

    /// The number of positions, including the positions of members.
    public var positionCount: Int {
        members.isEmpty ? coordinates.count / dimension : members.reduce(0) { $0 + $1.positionCount }
    }

    /// Returns the first two coordinates of a position.
    func position(_ index: Int) -> Position {
        Position(coordinates[index * dimension], coordinates[index * dimension + 1])
    }

    /// The lines or rings, as ranges of positions. A type with a single list of positions has one range.
    var paths: [Range<Int>] {
        if pathCounts.isEmpty { return [0..<coordinates.count / dimension] }
        var start = 0
        return pathCounts.map { count in
            defer { start += Int(count) }
            return start..<start + Int(count)
        }
    }

    /// The rings of each polygon, the outer one first.
    var polygons: [ArraySlice<Range<Int>>] {
        let paths = paths
        if kind == .polygon { return [paths[...]] }
        var start = 0
        return ringCounts.map { count in
            defer { start += Int(count) }
            return paths[start..<start + Int(count)]
        }
    }
}

extension Geometry {
    /// Whether the third and fourth coordinates of the geometry overlap with the given ranges. A missing coordinate is
    /// treated as 0.
    package func meets(_ heights: [ClosedRange<Double>]) -> Bool {
        heights.enumerated().allSatisfy { axisOffset, height in
            let values = heightsOfAll(axisOffset + 2)
            return values.lowerBound <= height.upperBound && height.lowerBound <= values.upperBound
        }
    }

    private func heightsOfAll(_ axis: Int) -> ClosedRange<Double> {
        if !members.isEmpty {
            return members.dropFirst().reduce(members[0].heightsOfAll(axis)) { range, member in
                let other = member.heightsOfAll(axis)
                return min(range.lowerBound, other.lowerBound)...max(range.upperBound, other.upperBound)
            }
        }
        guard axis < dimension else { return 0...0 }
        let values = stride(from: axis, to: coordinates.count, by: dimension).lazy.map { coordinates[$0] }
        return (values.min() ?? 0)...(values.max() ?? 0)
    }
}
