//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Measures the distances of shapes from one position, in meters on WGS 84.
///
/// The edges of lines and polygons are straight in longitude and latitude, as in RFC 7946 and in tests such as
/// "contains". Distances to points have an error of some nanometers. Distances to edges have an error of at most one millimeter if
/// they are at most 1 000 km, and of at most one meter if they are greater. The distance to a polygon that contains the
/// position is 0.
package struct DistanceMeasure: Sendable {
    /// The position from which distances are measured.
    package let origin: Position
    private let point: SIMD3<Double>
    private let longitude: Double
    private let latitude: Double

    package init(from origin: Position) {
        self.origin = origin
        point = Sphere.point(origin)
        longitude = Sphere.radians(origin.longitude)
        latitude = Sphere.reducedLatitude(origin.latitude)
    }

    /// Returns the distance to a position in meters.
    package func metres(to position: Position) -> Double { Geodesic.metres(from: origin, to: position) }

    /// Returns the distance to the nearest point of a shape in meters; 0 inside the shape.
    package func metres(to shape: Shape) -> Double { metres(to: shape.geometry) }

    /// Returns the distance to the nearest point of a shape in an index's format, in meters. A point is read directly
    /// from the bytes.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidBinary`` when the bytes are not well-known
    ///   binary.
    package func metres(toWellKnownBinary bytes: UnsafeRawBufferPointer) throws(GeometryError) -> Double {
        if let position = Position(wellKnownBinary: bytes) { return metres(to: position) }
        return metres(to: try Geometry(wellKnownBinary: bytes))
    }

    /// Returns a lower bound in meters of the distance to any point in a box. The bound is never greater than the true
    /// distance to the box. The true distance minus the bound is at most 0.34 % of the true distance plus 7 mm.
    package func metresMin(to box: BoundingBox) -> Double {
        let south = Sphere.reducedLatitude(box.south)
        let north = Sphere.reducedLatitude(box.north)
        let west = Sphere.radians(box.west)
        let east = Sphere.radians(box.east)
        let angle =
            isBetween(west, east)
            ? max(0, south - latitude, latitude - north)
            : min(angle(toMeridian: west, south, north), angle(toMeridian: east, south, north))
        return max(0, (angle - Sphere.slack) * Ellipsoid.polarRadius)
    }

    /// Returns an upper bound, in meters, of the distance to any point in a box. The bound is the sum of two numbers:
    /// the distance to the center of the box, and an upper bound of the length of a path from the center to a corner
    /// along a meridian and a parallel.
    package func metresMax(to box: BoundingBox) -> Double {
        let middle = Position((box.west + box.east) / 2, (box.south + box.north) / 2)
        let parallel = box.south <= 0 && box.north >= 0 ? 0 : min(abs(box.south), abs(box.north))
        let across = (box.east - box.west) / 2 * cos(Sphere.reducedLatitude(parallel))
        let up = Sphere.reducedLatitude(box.north) - Sphere.reducedLatitude(box.south)
        return metres(to: middle) + (Sphere.radians(across) + up + Sphere.slack) * Ellipsoid.equatorialRadius
    }

    private func isBetween(_ west: Double, _ east: Double) -> Bool {
        (longitude >= west && longitude <= east) || longitude + 2 * .pi <= east || longitude - 2 * .pi >= west
    }

    /// Returns the angle between the origin and the nearest point of a part of a meridian. The part is between two
    /// latitudes.
    private func angle(toMeridian meridian: Double, _ south: Double, _ north: Double) -> Double {
        let across = cos(longitude - meridian) * cos(latitude)
        let up = sin(latitude)
        let foot = min(max(atan2(up, across), south), north)
        // The great circle of the meridian is longer than the meridian. If the nearest point of the great circle is
        // beyond a pole, either end of the part may be the nearest point of the meridian, so both ends are compared.
        let cosines = SIMD3(cos(foot), cos(south), cos(north))
        let sines = SIMD3(sin(foot), sin(south), sin(north))
        let cosine = (across * cosines + up * sines).max()
        guard cosine > 0.999 else { return 2 * asin(min(max(0, 2 - 2 * cosine).squareRoot() / 2, 1)) }
        // The angle is computed from the length of the chord. The cosine of a small angle would lose half of the
        // digits.
        let (x, y) = (point.x - cosines * cos(meridian), point.y - cosines * sin(meridian))
        let z = point.z - sines
        return 2 * asin(min((x * x + y * y + z * z).min().squareRoot() / 2, 1))
    }

    // MARK: Shapes

    private func metres(to geometry: Geometry) -> Double {
        switch geometry.kind {
        case .point: metres(to: geometry.position(0))
        case .multiPoint: metres(toPoints: geometry)
        case .lineString, .multiLineString: metres(toEdgesOf: geometry)
        case .polygon, .multiPolygon: geometry.encloses(origin) ? 0 : metres(toEdgesOf: geometry)
        case .geometryCollection: geometry.members.map { metres(to: $0) }.min() ?? .infinity
        }
    }

    private func metres(toPoints geometry: Geometry) -> Double {
        var shortest = Double.infinity
        for index in geometry.paths[0] {
            let position = geometry.position(index)
            if Sphere.metresMin(chord: Sphere.length(Sphere.point(position) - point)) < shortest {
                shortest = min(shortest, metres(to: position))
            }
        }
        return shortest
    }

    /// Returns the distance to the nearest edge. First, the edge with the smallest lower bound is measured exactly.
    /// Then, each other edge is measured that may be nearer according to its lower bound.
    private func metres(toEdgesOf geometry: Geometry) -> Double {
        var edges: [(edge: Edge, metresMin: Double)] = []
        for path in geometry.paths {
            var from = geometry.position(path.lowerBound)
            var fromPoint = Sphere.point(from)
            for index in path.dropFirst() {
                let to = geometry.position(index)
                let edge = Edge(from, to, fromPoint, Sphere.point(to))
                edges.append((edge, edge.metresMin(from: point)))
                from = to
                fromPoint = edge.endPoint
            }
        }
        guard let nearest = edges.min(by: { $0.metresMin < $1.metresMin }) else { return .infinity }
        var shortest = metres(to: nearest.edge, below: .infinity)
        for (edge, metresMin) in edges where metresMin < shortest { shortest = metres(to: edge, below: shortest) }
        return shortest
    }

    /// Returns the smaller of two numbers: the distance to an edge in meters, and `shortest`. A long edge is halved
    /// until its parts are short.
    private func metres(to edge: Edge, below shortest: Double) -> Double {
        var shortest = shortest
        var parts = [edge]
        while let part = parts.popLast() {
            guard part.metresMin(from: point) < shortest else { continue }
            if part.isShort {
                shortest = min(shortest, part.metresExact(from: origin))
            } else {
                let (first, second) = part.halves
                let isFirstNearer = first.metresMin(from: point) < second.metresMin(from: point)
                parts.append(contentsOf: isFirstNearer ? [second, first] : [first, second])
            }
        }
        return shortest
    }
}

extension Position {
    /// Decodes a point in an index's format of well-known binary; `nil` for other geometries.
    init?(wellKnownBinary bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 21, bytes[0] == 1,
            bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self).littleEndian == UInt32(Geometry.Kind.point.rawValue)
        else { return nil }
        func number(_ offset: Int) -> Double {
            Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        self.init(number(5), number(13))
    }
}

extension Geometry {
    /// Whether a position is inside one of the polygons, and not inside a hole.
    fileprivate func encloses(_ position: Position) -> Bool {
        if abs(position.x) == 180 {
            return hasOddCrossings(position) || hasOddCrossings(Position(-position.x, position.y))
        }
        return hasOddCrossings(position)
    }

    /// Whether a ray from the position to the east crosses the rings an odd number of times. The position is then
    /// inside, because the polygons of a shape do not overlap.
    private func hasOddCrossings(_ position: Position) -> Bool {
        var isInside = false
        for path in paths {
            for index in path.dropFirst() {
                let start = self.position(index - 1)
                let end = self.position(index)
                guard (start.y > position.y) != (end.y > position.y) else { continue }
                let crossing = start.x + (position.y - start.y) / (end.y - start.y) * (end.x - start.x)
                if position.x < crossing { isInside.toggle() }
            }
        }
        return isInside
    }
}
