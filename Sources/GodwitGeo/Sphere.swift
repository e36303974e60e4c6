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

/// Bounds of distances on WGS 84 by distances on a sphere.
///
/// With the reduced latitude β, tan β = (1 − f) tan φ, the ellipsoid's metric is (a² sin² β + b² cos² β) dβ² + a² cos²
/// β dλ². Each term is at least b² and at most a² times the unit sphere's. So a way on the ellipsoid is at least b and
/// at most a times as long as the same way on the unit sphere, and so are the shortest ones.
enum Sphere {
    static let equatorialRadius = 6_378_137.0
    static let polarRadius = 6_356_752.314_245
    private static let flattening = 1 / 298.257223563
    /// Taken off bounds so that rounding does not lift one above the truth.
    static let slack = 1e-9

    static func radians(_ degrees: Double) -> Double { degrees * (.pi / 180) }

    static func reducedLatitude(_ latitude: Double) -> Double {
        abs(latitude) >= 90 ? radians(latitude) : atan((1 - flattening) * tan(radians(latitude)))
    }

    /// The place on the unit sphere.
    static func point(_ position: Position) -> SIMD3<Double> {
        let latitude = reducedLatitude(position.latitude)
        let longitude = radians(position.longitude)
        return [cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)]
    }

    /// A lower bound of metres from a chord of the unit sphere.
    static func metresMin(chord: Double) -> Double {
        max(0, (2 * asin(min(chord / 2, 1)) - slack) * polarRadius)
    }

    static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
}
