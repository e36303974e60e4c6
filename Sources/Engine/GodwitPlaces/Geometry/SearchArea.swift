//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The area of a query, in one of three representations.
public enum SearchArea: Sendable, Hashable {
    /// A range of longitudes and latitudes. If the range crosses the antimeridian, it consists of two boxes, and the
    /// first of them ends at 180 degrees. Otherwise, it consists of one box. The list must not be empty.
    case boxes([BoundingBox])
    /// The area of an ellipse around a position. The half axes of the ellipse are distances in meters.
    case ellipse(Ellipse)
    /// Any geometry.
    case geometry(Geometry)

    /// Creates the area within a radius in meters around a position.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidDistance`` when the radius is negative or not
    ///   finite, ``GeometryError/Code/outOfRange`` when the center is not within ±180 and ±90 degrees.
    public static func circle(center: Position, radius: Double) throws(GeometryError) -> SearchArea {
        .ellipse(try Ellipse(center: center, radius: radius))
    }

    /// Creates the box between two opposite corners.
    ///
    /// - Parameters:
    ///   - corners: Two consecutive positions of 2 to 4 coordinates each. Coordinates beyond the second are ignored.
    ///   - wraps: The meaning of a first longitude that is greater than the second. If `true`, the box crosses the
    ///     antimeridian. If `false`, the corners are in another order, and the box does not cross it.
    /// - Throws: ``GeometryError`` when the array does not have 4, 6 or 8 numbers, or when a coordinate is beyond ±180
    ///   or ±90 degrees.
    package static func box(corners: [Double], wraps: Bool = false) throws(GeometryError) -> SearchArea {
        guard [4, 6, 8].contains(corners.count) else {
            throw GeometryError(.invalidCoordinates, "a box needs 4, 6 or 8 numbers, not \(corners.count)")
        }
        let secondCorner = corners.count / 2
        _ = try Geometry.point(longitude: corners[0], latitude: corners[1])
        _ = try Geometry.point(longitude: corners[secondCorner], latitude: corners[secondCorner + 1])
        let south = min(corners[1], corners[secondCorner + 1])
        let north = max(corners[1], corners[secondCorner + 1])
        if wraps && corners[0] > corners[secondCorner] {
            return .boxes([
                BoundingBox(west: corners[0], south: south, east: 180, north: north),
                BoundingBox(west: -180, south: south, east: corners[secondCorner], north: north),
            ])
        }
        let west = min(corners[0], corners[secondCorner])
        return .boxes([
            BoundingBox(west: west, south: south, east: max(corners[0], corners[secondCorner]), north: north)
        ])
    }

    /// Returns the area on the map.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/selfCrossing`` when a geometry's polygon is not
    ///   valid, and the errors of ``Shape/init(_:)``. An invalid polygon of a query is not repaired, because it has
    ///   several possible meanings, and the caller can correct it.
    package func shape() throws(GeometryError) -> Shape {
        switch self {
        case .boxes(let boxes): return try Self.shape(of: boxes)
        case .ellipse(let ellipse): return try ellipse.shape()
        case .geometry(let geometry):
            let shape = try Shape(geometry)
            if let flaw = shape.repair { throw GeometryError(.selfCrossing, "the polygon is not valid: \(flaw)") }
            return shape
        }
    }

    /// Returns the position from which a query measures distances: the center of a box or of an ellipse, or the
    /// centroid of a geometry.
    ///
    /// - Parameter knownShape: The area on the map. If it is `nil`, this method computes the area on the map. For a
    ///   geometry, this takes long.
    /// - Throws: The errors of ``shape()``, or a ``GeometryError`` if GEOS fails. Throws only for a geometry that is
    ///   not a point.
    package func center(of knownShape: Shape? = nil) throws(GeometryError) -> Position {
        switch self {
        case .ellipse(let ellipse): return ellipse.center
        case .boxes(let boxes): return try Self.middle(of: boxes)
        case .geometry(let geometry) where geometry.kind == .point: return geometry.position(0)
        case .geometry:
            if let knownShape { return try MapFrame(of: knownShape).centroid() }
            return try MapFrame(of: try shape()).centroid()
        }
    }

    private static let noBox = GeometryError(.invalidCoordinates, "the area has no box")

    private static func middle(of boxes: [BoundingBox]) throws(GeometryError) -> Position {
        guard !boxes.isEmpty else { throw noBox }
        let east = boxes.count == 2 ? boxes[1].east + 360 : boxes[0].east
        let middle = (boxes[0].west + east) / 2
        return Position(middle > 180 ? middle - 360 : middle, (boxes[0].south + boxes[0].north) / 2)
    }

    /// Returns the shape of boxes. A box that has no width or no height is a line. A box that has neither is a point.
    private static func shape(of boxes: [BoundingBox]) throws(GeometryError) -> Shape {
        guard !boxes.isEmpty else { throw noBox }
        let parts = boxes.map(\.geometry)
        if parts.count == 1 { return Shape(placed: parts[0]) }
        if parts.allSatisfy({ $0.kind == .polygon }) { return Shape(placed: Geometry(polygons: parts)) }
        return Shape(placed: try GeometryBuilder.collection(of: parts))
    }
}

extension BoundingBox {
    var geometry: Geometry {
        if west == east && south == north { return Geometry(.point, dimension: 2, coordinates: [west, south]) }
        if west == east || south == north {
            return Geometry(.lineString, dimension: 2, coordinates: [west, south, east, north])
        }
        return polygon
    }
}

extension Shape {
    /// The boxes that contain all points that the shape may intersect. If a box touches the meridian of 180 degrees,
    /// the meridian is included with both of its longitudes, 180 and -180.
    package var searchBoxes: [BoundingBox] {
        var boxes = boxes
        for box in boxes {
            if box.east == 180 { boxes.append(BoundingBox(west: -180, south: box.south, east: -180, north: box.north)) }
            if box.west == -180 { boxes.append(BoundingBox(west: 180, south: box.south, east: 180, north: box.north)) }
        }
        return boxes
    }
}
