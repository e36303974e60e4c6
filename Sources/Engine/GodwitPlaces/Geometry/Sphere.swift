//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Computes lower and upper bounds of distances on WGS 84 from distances on the unit sphere.
///
/// With the reduced latitude β, tan β = (1 − f) tan φ, the ellipsoid's metric is (a² sin² β + b² cos² β) dβ² + a² cos²
/// β dλ². Each term is at least b² times and at most a² times the corresponding term of the unit sphere. Therefore, the
/// length of a path on the ellipsoid is at least b times and at most a times the length of the same path on the unit
/// sphere. The same bounds apply to the shortest paths.
enum Sphere {
    /// A tolerance in radians. It is subtracted from lower bounds and added to upper bounds. Therefore rounding never
    /// makes a bound wrong.
    static let slack = 1e-9

    static func radians(_ degrees: Double) -> Double { degrees * (.pi / 180) }

    static func reducedLatitude(_ latitude: Double) -> Double {
        abs(latitude) >= 90 ? radians(latitude) : atan(Ellipsoid.axesRatio * tan(radians(latitude)))
    }

    /// Returns the point on the unit sphere.
    static func point(_ position: Position) -> SIMD3<Double> {
        let latitude = reducedLatitude(position.latitude)
        let longitude = radians(position.longitude)
        return [cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)]
    }

    /// Returns a lower bound, in meters, of a distance on WGS 84 whose chord on the unit sphere is given.
    static func metresMin(chord: Double) -> Double {
        max(0, (2 * asin(min(chord / 2, 1)) - slack) * Ellipsoid.polarRadius)
    }

    static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
}
