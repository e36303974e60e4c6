//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The series of Karney's solution of geodesics (Algorithms for geodesics, Journal of Geodesy 87, 2013): integrals along
/// a geodesic, as sums of sines of even multiples of an angle, to the sixth order.
///
/// The expansion parameter is 0 for the equator, and at most the third flattening.
struct GeodesicSeries {
    /// The factor of the integral.
    let factor: Double
    /// The coefficients of the sines of 2, 4, 6, … times the angle.
    private let terms: SIMD8<Double>

    private init(factor: Double, _ terms: Double...) {
        self.factor = factor
        var padded = SIMD8<Double>()
        for (index, term) in terms.enumerated() { padded[index] = term }
        self.terms = padded
    }

    /// Returns the expansion parameter of a geodesic.
    ///
    /// - Parameter cosine: The cosine of the direction in which the geodesic crosses the equator.
    static func parameter(_ cosine: Double) -> Double {
        let square = cosine * cosine * Ellipsoid.eccentricity
        return square / (2 * (1 + (1 + square).squareRoot()) + square)
    }

    /// The length of a geodesic as a function of the angle on the auxiliary sphere (equations 15, 17 and 18).
    static func length(_ e: Double) -> GeodesicSeries {
        let q = e * e
        return GeodesicSeries(
            factor: (q * (q * (q + 4) + 64) / 256 + e) / (1 - e) + 1,
            e * ((6 - q) * q - 16) / 32,
            q * ((64 - 9 * q) * q - 128) / 2048,
            q * e * (9 * q - 16) / 768,
            q * q * (3 * q - 5) / 512,
            -7 * q * q * e / 1280,
            -7 * q * q * q / 2048)
    }

    /// The inverse of ``length(_:)``: the angle as a function of the length (equation 21).
    static func angle(_ e: Double) -> GeodesicSeries {
        let q = e * e
        return GeodesicSeries(
            factor: 1,
            e * (q * (205 * q - 432) + 768) / 1536,
            q * (q * (4005 * q - 4736) + 3840) / 12288,
            q * e * (116 - 225 * q) / 384,
            q * q * (2695 - 7173 * q) / 7680,
            3467 * q * q * e / 7680,
            38081 * q * q * q / 61440)
    }

    /// The second integral of the reduced length (equations 42 and 43).
    static func reducedLength(_ e: Double) -> GeodesicSeries {
        let q = e * e
        return GeodesicSeries(
            factor: (q * (q * (-11 * q - 28) - 192) / 256 - e) / (1 + e) + 1,
            e * (q * (q + 2) + 16) / 32,
            q * (q * (35 * q + 64) + 384) / 2048,
            q * e * (15 * q + 80) / 768,
            q * q * (7 * q + 35) / 512,
            63 * q * q * e / 1280,
            77 * q * q * q / 2048)
    }

    /// The difference between the longitude and that on the auxiliary sphere (equations 23, 24 and 25).
    static func longitude(_ e: Double) -> GeodesicSeries {
        let n = Ellipsoid.thirdFlattening
        let q = e * e
        let first =
            (1 - n) / 4 + e * ((1 - n * n) / 8 + e * ((3 + n * (3 - n)) / 64 + e * ((5 + 2 * n) / 128 + e * 3 / 128)))
        let second = (2 + n * (n - 3)) / 32 + e * ((3 - n * (2 + 3 * n)) / 64 + e * ((3 + n) / 128 + e * 5 / 256))
        let third = (5 + n * (5 * n - 9)) / 192 + e * ((9 - 10 * n) / 384 + e * 7 / 512)
        let fourth = (7 - 14 * n) / 512 + e * 7 / 512
        return GeodesicSeries(
            factor: longitudeFactor(e), e * first, q * second, q * e * third, q * q * fourth, q * q * e * 21 / 2560)
    }

    static func longitudeFactor(_ e: Double) -> Double {
        let n = Ellipsoid.thirdFlattening
        let first = (n - 1) / 2
        let second = (n * (3 * n - 1) - 2) / 8
        let third = ((-n - 3) * n - 1) / 16
        return 1 + e * (first + e * (second + e * (third + e * ((-2 * n - 3) / 64 + e * -3 / 128))))
    }

    /// Returns the sum at an angle (Clenshaw's algorithm).
    func sum(_ angle: SineCosine) -> Double {
        // 2 cos 2x
        let factor = 2 * (angle.cosine - angle.sine) * (angle.cosine + angle.sine)
        var (next, afterNext) = (0.0, 0.0)
        for index in stride(from: 5, through: 0, by: -1) {
            (next, afterNext) = (factor * next - afterNext + terms[index], next)
        }
        return 2 * angle.sine * angle.cosine * next
    }
}
