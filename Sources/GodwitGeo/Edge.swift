//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An edge of a line or ring: a straight line in longitude and latitude.
struct Edge {
    let start: Position
    let end: Position
    private let startPoint: SIMD3<Double>
    let endPoint: SIMD3<Double>

    /// The maximum length in degrees of an edge on which at most one point is nearest.
    private static let shortDegreesMax = 0.25
    /// The tolerance in metres along the edge for the nearest point. The error of the distance is far smaller.
    private static let toleranceMetres = 1e-4
    private static let roundsMax = 60

    init(_ start: Position, _ end: Position, _ startPoint: SIMD3<Double>, _ endPoint: SIMD3<Double>) {
        self.start = start
        self.end = end
        self.startPoint = startPoint
        self.endPoint = endPoint
    }

    var isShort: Bool { max(abs(end.x - start.x), abs(end.y - start.y)) <= Self.shortDegreesMax }

    var halves: (Edge, Edge) {
        let middle = position(0.5)
        let middlePoint = Sphere.point(middle)
        return (Edge(start, middle, startPoint, middlePoint), Edge(middle, end, middlePoint, endPoint))
    }

    private func position(_ part: Double) -> Position {
        Position(start.x + part * (end.x - start.x), start.y + part * (end.y - start.y))
    }

    /// Returns a lower bound in metres of the distance from a point of the unit sphere: the distance to the chord,
    /// minus the maximum deviation of the edge from the chord, which is an eighth of the greatest second derivative.
    func metresMin(from point: SIMD3<Double>) -> Double {
        let chord = endPoint - startPoint
        let square = (chord * chord).sum()
        let part = square == 0 ? 0 : min(max(((point - startPoint) * chord).sum() / square, 0), 1)
        let across = Sphere.radians(abs(end.x - start.x))
        // Reduced latitudes change up to 0.34 % faster than latitudes, and not exactly linearly.
        let up = 1.0034 * Sphere.radians(abs(end.y - start.y))
        let bend = ((across + up) * (across + up) + 0.007 * up * up) / 8
        return Sphere.metresMin(chord: max(0, Sphere.length(point - startPoint - part * chord) - bend))
    }

    /// Returns the distance in metres from a position to the nearest point of a short edge.
    ///
    /// If that point is between the ends, the slope of the distance is 0 there. The product of distance and slope is
    /// nearly linear along a close edge, so that the secant method finds its zero in a few steps.
    func metresExact(from origin: Position) -> Double {
        var low = (part: 0.0, slope(from: origin, at: 0))
        var high = (part: 1.0, slope(from: origin, at: 1))
        var best = min(low.1.metres, high.1.metres)
        guard best > 0, low.1.product < 0, high.1.product > 0 else { return best }
        var kept = 0
        for _ in 0..<Self.roundsMax {
            let part = (low.part * high.1.product - high.part * low.1.product) / (high.1.product - low.1.product)
            let found = slope(from: origin, at: part)
            best = min(best, found.metres)
            let step = min(part - low.part, high.part - part) * found.speed
            if abs(found.product) <= Self.toleranceMetres * found.speed * found.metres || step < Self.toleranceMetres {
                break
            }
            // The value on the unchanged side is halved, so that this side moves too (the Illinois method).
            if found.product < 0 {
                low = (part, found)
                if kept == 1 { high.1.product /= 2 }
                kept = 1
            } else {
                high = (part, found)
                if kept == -1 { low.1.product /= 2 }
                kept = -1
            }
        }
        return best
    }

    /// Returns the distance to a point of the edge, the speed of the edge there, and the product of the distance and
    /// its slope.
    private func slope(from origin: Position, at part: Double) -> (metres: Double, speed: Double, product: Double) {
        let position = position(part)
        let way = Geodesic.way(from: origin, to: position)
        let sine = sin(Sphere.radians(position.latitude))
        let a = Sphere.equatorialRadius
        let b = Sphere.polarRadius
        let bend = a * a * (1 - sine * sine) + b * b * sine * sine
        let north = a * a * b * b / (bend * bend.squareRoot()) * Sphere.radians(end.y - start.y)
        let east =
            a * a / bend.squareRoot() * cos(Sphere.radians(position.latitude)) * Sphere.radians(end.x - start.x)
        let arrival = Sphere.radians(way.arrival)
        let speed = (north * north + east * east).squareRoot()
        return (way.metres, speed, way.metres * (north * cos(arrival) + east * sin(arrival)))
    }
}
