//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An elliptical area around a position. Its half axes are distances in meters, to the east and to the north. If both
/// are equal, the area is a circle.
public struct Ellipse: Sendable, Hashable {
    /// The center.
    public let center: Position
    /// The distance in meters to the eastern and the western end.
    public let rangeX: Double
    /// The distance in meters to the northern and the southern end.
    public let rangeY: Double

    /// The minimum number of corners of an outline.
    static let cornersMin = 128
    /// A side of the outline is halved if the map projection bends it too much. This is the maximum number of times
    /// that it is halved.
    private static let halvingsMax = 5
    /// A half axis that is shorter than this number of meters is treated as 0.
    private static let rangeMin = 0.001
    /// A side is halved if its middle deviates by more than this fraction of the smaller range.
    private static let deviationMax = 0.0005

    /// Creates an ellipse from its center and its half axes in meters.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidDistance`` when a range is negative or not
    ///   finite, ``GeometryError/Code/outOfRange`` when the center is not within ±180 and ±90 degrees.
    public init(center: Position, rangeX: Double, rangeY: Double) throws(GeometryError) {
        for range in [rangeX, rangeY] where !(range >= 0 && range.isFinite) {
            throw GeometryError(
                .invalidDistance, "a distance must be a number of meters from 0, not \(range)")
        }
        _ = try Geometry.point(longitude: center.longitude, latitude: center.latitude)
        self.center = center
        self.rangeX = rangeX
        self.rangeY = rangeY
    }

    /// Creates a circle from its center and its radius in meters.
    ///
    /// - Throws: ``GeometryError`` as ``init(center:rangeX:rangeY:)``.
    public init(center: Position, radius: Double) throws(GeometryError) {
        try self.init(center: center, rangeX: radius, rangeY: radius)
    }

    /// Whether both ranges are equal.
    public var isCircle: Bool { rangeX == rangeY }

    /// Returns the ellipse on the map: a polygon whose corners are on the ellipse. If a range is less than a
    /// millimeter, the result is a line or a point. If the ellipse covers the complete Earth, the result is the
    /// complete Earth.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/libraryMissing`` when GEOS is needed and not installed.
    package func shape() throws(GeometryError) -> Shape {
        if max(rangeX, rangeY) < Self.rangeMin {
            return Shape(placed: try .point(longitude: center.longitude, latitude: center.latitude))
        }
        if min(rangeX, rangeY) < Self.rangeMin { return try line() }
        let north = Geodesic.metres(from: center, to: Position(center.x, 90)) <= rangeY
        let south = Geodesic.metres(from: center, to: Position(center.x, -90)) <= rangeY
        if min(rangeX, rangeY) >= Geodesic.distanceMax - 1 { return Shape(placed: BoundingBox.world.polygon) }
        var placement = Placement()
        let outline = Geometry(rings: [outline()])
        let ring = Unwrapping(outline, outline.paths[0], .outerRing)
        let area = try placement.cut([ring], over: north ? .north : .south)
        guard north && south else { return Shape(placed: area) }
        guard GeometryLibrary.current == .geos else { throw GeometryLibrary.needsGEOS("A circle around both poles") }
        guard let rest = try GEOSShape(.world).difference(try GEOSShape(area)).geometry()?.areas else {
            throw Placement.withoutArea
        }
        return Shape(placed: rest)
    }

    private func line() throws(GeometryError) -> Shape {
        let directions: [Double] = rangeX < rangeY ? [180, 0] : [270, 90]
        let half = min(max(rangeX, rangeY), Geodesic.distanceMax / 2)
        let ends = directions.map { Geodesic.position(from: center, azimuth: $0, metres: half) }
        return try Shape(Geometry(lines: [[ends[0], center, ends[1]]]))
    }

    private func outline() -> [Position] {
        let step = -360 / Double(Self.cornersMin)
        var corners = [corner(0)]
        for index in 0..<Self.cornersMin {
            appendSide(from: Double(index) * step, to: Double(index + 1) * step, Self.halvingsMax, to: &corners)
        }
        corners[corners.count - 1] = corners[0]
        return corners
    }

    /// Appends all corners of a side of the outline except the first.
    private func appendSide(from first: Double, to second: Double, _ halvings: Int, to corners: inout [Position]) {
        let start = corners[corners.count - 1]
        let end = corner(second)
        let middle = corner((first + second) / 2)
        let across = (end.x - start.x).remainder(dividingBy: 360)
        let straight = Position(
            (start.x + across / 2).remainder(dividingBy: 360), (start.y + end.y) / 2)
        let isBent = Geodesic.metres(from: straight, to: middle) > Self.deviationMax * min(rangeX, rangeY)
        if isBent && halvings > 0 {
            appendSide(from: first, to: (first + second) / 2, halvings - 1, to: &corners)
            appendSide(from: (first + second) / 2, to: second, halvings - 1, to: &corners)
        } else {
            corners.append(end)
        }
    }

    private func corner(_ azimuth: Double) -> Position {
        let direction = Sphere.radians(azimuth)
        let east = rangeY * sin(direction)
        let north = rangeX * cos(direction)
        let range = isCircle ? rangeX : rangeX * rangeY / (east * east + north * north).squareRoot()
        return Geodesic.position(from: center, azimuth: azimuth, metres: min(range, Geodesic.distanceMax))
    }
}

extension Ellipse {
    /// The maximum rounding error of positions.
    private static let roundingDegrees = 1e-9

    /// A box that contains a circle. It is computed without the outline of the circle. `nil` near the poles, at the
    /// antimeridian, for an ellipse that is not a circle, and for a radius above 1 000 km.
    ///
    /// A degree of latitude has at least 110 574 meters. A degree of longitude has at least 111 319 meters times the
    /// cosine of the latitude. These numbers follow from the minimums of the Earth's radii of curvature in the meridian
    /// and in the prime vertical. The box is one percent wider than these numbers require.
    package var boxAround: BoundingBox? {
        guard isCircle, rangeX <= 1_000_000 else { return nil }
        let up = rangeX / 110_574 * 1.01 + Self.roundingDegrees
        let farthest = abs(center.latitude) + up
        guard farthest <= 80 else { return nil }
        let across = rangeX / (111_319 * cos(farthest * .pi / 180)) * 1.01 + Self.roundingDegrees
        guard abs(center.longitude) + across < 180 else { return nil }
        return BoundingBox(
            west: center.longitude - across, south: center.latitude - up, east: center.longitude + across,
            north: center.latitude + up)
    }
}
