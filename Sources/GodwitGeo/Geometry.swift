//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A geometry of GeoJSON (RFC 7946): points, lines, areas, or a collection of them.
///
/// Longitude comes before latitude, in degrees. Coordinates beyond the second (height and what else there is) are kept
/// and written again; relations and distances look at the first two. A value is always whole: it has a position, its
/// lines have two or more, its rings four or more and end where they begin, its numbers are finite.
///
/// ```swift
/// let field = try Geometry(wellKnownText: "POLYGON((4.1 52.0, 4.2 52.0, 4.2 52.1, 4.1 52.0))")
/// let bird = try Geometry.point(longitude: 4.18, latitude: 52.03)
/// print(bird.jsonText)      // {"type":"Point","coordinates":[4.18,52.03]}
/// ```
public struct Geometry: Sendable, Hashable {
    /// The seven kinds; the numbers are those of well-known binary.
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// One position.
        case point = 1
        /// Two or more positions.
        case lineString
        /// An outer ring and holes in it.
        case polygon
        /// Some positions.
        case multiPoint
        /// Some lines.
        case multiLineString
        /// Some polygons.
        case multiPolygon
        /// Some geometries of any kind.
        case geometryCollection
    }

    /// What it is.
    public let kind: Kind
    /// The coordinates of each position: 2 to 4; of a collection the greatest of its members.
    public let dimension: Int
    /// All coordinates, position by position.
    package let coordinates: [Double]
    /// The positions of each line or ring, where there can be several.
    let pathCounts: [Int32]
    /// The rings of each polygon of a multi-polygon.
    let ringCounts: [Int32]
    /// The geometries of a collection.
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

    /// A point.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/outOfRange`` beyond ±180 and ±90 degrees.
    public static func point(longitude: Double, latitude: Double) throws(GeometryError) -> Geometry {
        var builder = GeometryBuilder(system: .wgs84)
        try builder.append(longitude, latitude)
        return try builder.finish(.point)
    }

    /// The position of a point; `nil` for anything else.
    public var position: Position? { kind == .point ? position(0) : nil }

    /// How many positions it has, those of members included.
    public var positionCount: Int {
        members.isEmpty ? coordinates.count / dimension : members.reduce(0) { $0 + $1.positionCount }
    }

    /// The first two coordinates of a position.
    func position(_ index: Int) -> Position {
        Position(coordinates[index * dimension], coordinates[index * dimension + 1])
    }

    /// The lines or rings as ranges of positions; all positions as one where there can be one only.
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
    /// Whether the third and fourth coordinates of its positions reach into some stretches; those that are not there are 0.
    package func meets(_ heights: [ClosedRange<Double>]) -> Bool {
        heights.enumerated().allSatisfy { level, stretch in
            let values = heightsOfAll(level + 2)
            return values.lowerBound <= stretch.upperBound && stretch.lowerBound <= values.upperBound
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
