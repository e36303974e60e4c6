//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An edge of a line or ring: a straight line in longitude and latitude.
struct Edge {
    let start: Position
    let end: Position
    private let startPoint: SIMD3<Double>
    let endPoint: SIMD3<Double>

    /// The maximum length in degrees of a short edge. A short edge has only one nearest point.
    private static let shortDegreesMax = 0.25
    /// The accepted error of the position of the nearest point along the edge, in meters. The resulting error of the
    /// distance is far smaller.
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

    private func position(_ fraction: Double) -> Position {
        Position(start.x + fraction * (end.x - start.x), start.y + fraction * (end.y - start.y))
    }

    /// Returns a lower bound, in meters, of the distance between the edge and a point of the unit sphere. The bound is
    /// the distance to the chord of the edge, minus the maximum deviation of the edge from this chord. This deviation
    /// is at most an eighth of the greatest second derivative of the edge.
    func metresMin(from point: SIMD3<Double>) -> Double {
        let chord = endPoint - startPoint
        let square = (chord * chord).sum()
        let fraction = square == 0 ? 0 : min(max(((point - startPoint) * chord).sum() / square, 0), 1)
        let across = Sphere.radians(abs(end.x - start.x))
        // Along an edge, reduced latitudes change up to 0.34 % faster than latitudes, and not exactly linearly.
        let up = 1.0034 * Sphere.radians(abs(end.y - start.y))
        let maxDeviation = ((across + up) * (across + up) + 0.007 * up * up) / 8
        return Sphere.metresMin(chord: max(0, Sphere.length(point - startPoint - fraction * chord) - maxDeviation))
    }

    /// Returns the distance in meters from a position to the nearest point of a short edge.
    ///
    /// If the nearest point is between the ends of the edge, the slope of the distance is 0 at this point. The product
    /// of the distance and its slope is nearly linear along an edge that is near. Therefore the secant method finds the
    /// zero of this product in a few steps.
    func metresExact(from origin: Position) -> Double {
        var low = (fraction: 0.0, slope(from: origin, at: 0))
        var high = (fraction: 1.0, slope(from: origin, at: 1))
        var best = min(low.1.metres, high.1.metres)
        guard best > 0, low.1.product < 0, high.1.product > 0 else { return best }
        // The end of the interval that was not changed in the last round: 1 is the upper end, and -1 is the lower end.
        // 0 before the first round.
        var lastUnchangedSide = 0
        for _ in 0..<Self.roundsMax {
            let fraction =
                (low.fraction * high.1.product - high.fraction * low.1.product) / (high.1.product - low.1.product)
            let sample = slope(from: origin, at: fraction)
            best = min(best, sample.metres)
            let step = min(fraction - low.fraction, high.fraction - fraction) * sample.speed
            if abs(sample.product) <= Self.toleranceMetres * sample.speed * sample.metres || step < Self.toleranceMetres
            {
                break
            }
            // If the same end is unchanged in two rounds, its value is halved, so that this end changes in the next
            // round (the Illinois method).
            if sample.product < 0 {
                low = (fraction, sample)
                if lastUnchangedSide == 1 { high.1.product /= 2 }
                lastUnchangedSide = 1
            } else {
                high = (fraction, sample)
                if lastUnchangedSide == -1 { low.1.product /= 2 }
                lastUnchangedSide = -1
            }
        }
        return best
    }

    /// Returns the distance to a point of the edge, the speed of the edge there, and the product of the distance and
    /// its slope.
    private func slope(from origin: Position, at fraction: Double) -> (metres: Double, speed: Double, product: Double) {
        let position = position(fraction)
        let geodesic = GeodesicInverse(from: origin, to: position)
        let sine = sin(Sphere.radians(position.latitude))
        let equatorial = Ellipsoid.equatorialRadius
        let polar = Ellipsoid.polarRadius
        let denominator = equatorial * equatorial * (1 - sine * sine) + polar * polar * sine * sine
        let north =
            equatorial * equatorial * polar * polar / (denominator * denominator.squareRoot())
            * Sphere.radians(end.y - start.y)
        let east =
            equatorial * equatorial / denominator.squareRoot() * cos(Sphere.radians(position.latitude))
            * Sphere.radians(end.x - start.x)
        let arrival = Sphere.radians(geodesic.arrival)
        let speed = (north * north + east * east).squareRoot()
        return (geodesic.metres, speed, geodesic.metres * (north * cos(arrival) + east * sin(arrival)))
    }
}
