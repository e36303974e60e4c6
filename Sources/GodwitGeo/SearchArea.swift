//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where a query looks: exactly one of the kinds of geometry that a query may have.
public enum SearchArea: Sendable, Hashable {
    /// A stretch of longitudes and latitudes; two boxes when it lies across the antimeridian, the western one first.
    case boxes([BoundingBox])
    /// So many metres round a place.
    case ellipse(Ellipse)
    /// Any geometry.
    case geometry(Geometry)

    /// So many metres round a place.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidDistance`` when the radius is negative or not
    ///   finite, ``GeometryError/Code/outOfRange`` when the middle is not on the map.
    public static func circle(center: Position, radius: Double) throws(GeometryError) -> SearchArea {
        .ellipse(try Ellipse(center: center, radius: radius))
    }

    /// The box between two opposite corners.
    ///
    /// - Parameters:
    ///   - corners: Two positions of 2 to 4 coordinates each, one after the other; those beyond the second are passed
    ///     over.
    ///   - wraps: Whether a first longitude that is greater than the second means the box across the antimeridian. If
    ///     not, the corners may come in any order.
    /// - Throws: ``GeometryError`` when there are not 4, 6 or 8 numbers, or when they lie beyond ±180 and ±90 degrees.
    package static func box(corners: [Double], wraps: Bool = false) throws(GeometryError) -> SearchArea {
        guard [4, 6, 8].contains(corners.count) else {
            throw GeometryError(.invalidCoordinates, "a box has 4, 6 or 8 numbers; here are \(corners.count)")
        }
        let second = corners.count / 2
        _ = try Geometry.point(longitude: corners[0], latitude: corners[1])
        _ = try Geometry.point(longitude: corners[second], latitude: corners[second + 1])
        let south = min(corners[1], corners[second + 1])
        let north = max(corners[1], corners[second + 1])
        if wraps && corners[0] > corners[second] {
            return .boxes([
                BoundingBox(west: corners[0], south: south, east: 180, north: north),
                BoundingBox(west: -180, south: south, east: corners[second], north: north),
            ])
        }
        let west = min(corners[0], corners[second])
        return .boxes([BoundingBox(west: west, south: south, east: max(corners[0], corners[second]), north: north)])
    }

    /// The area on the map.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/selfCrossing`` when a geometry's polygons are not
    ///   valid: what is meant by them nobody can know, and who asks can be told.
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

    /// The place from which a query measures distances: the middle of a box and of an ellipse, the centroid of a
    /// geometry.
    ///
    /// - Parameter known: The area on the map, if that is known already: to lay a geometry on the map takes long.
    package func center(of known: Shape? = nil) throws(GeometryError) -> Position {
        switch self {
        case .ellipse(let ellipse): return ellipse.center
        case .boxes(let boxes): return Self.middle(of: boxes)
        case .geometry(let geometry) where geometry.kind == .point: return geometry.position(0)
        case .geometry:
            if let known { return try MapFrame(of: known).centroid() }
            return try MapFrame(of: try shape()).centroid()
        }
    }

    private static func middle(of boxes: [BoundingBox]) -> Position {
        let east = boxes.count == 2 ? boxes[1].east + 360 : boxes[0].east
        let middle = (boxes[0].west + east) / 2
        return Position(middle > 180 ? middle - 360 : middle, (boxes[0].south + boxes[0].north) / 2)
    }

    /// A box without width or height is a line, without both a point.
    private static func shape(of boxes: [BoundingBox]) throws(GeometryError) -> Shape {
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
    /// The boxes in which everything lies that the shape may meet. The meridian of 180 degrees is looked for under both
    /// of its names.
    package var searchBoxes: [BoundingBox] {
        var boxes = boxes
        for box in boxes {
            if box.east == 180 { boxes.append(BoundingBox(west: -180, south: box.south, east: -180, north: box.north)) }
            if box.west == -180 { boxes.append(BoundingBox(west: 180, south: box.south, east: 180, north: box.north)) }
        }
        return boxes
    }
}
