//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An angle as its sine and cosine, which keep their digits where the angle itself would lose them.
struct SineCosine {
    var sine: Double
    var cosine: Double

    init(sine: Double, cosine: Double) { (self.sine, self.cosine) = (sine, cosine) }

    /// An angle in degrees. The sine and cosine of multiples of 90 degrees are exact.
    init(degrees: Double) {
        // The remainder rounds the same way.
        let quarters = (degrees / 90).rounded(.toNearestOrEven)
        let rest = degrees.remainder(dividingBy: 90) * .pi / 180
        let (sine, cosine) = (sin(rest), cos(rest))
        switch quarters.remainder(dividingBy: 4) {
        case 0: self.init(sine: sine, cosine: cosine)
        case 1, -3: self.init(sine: cosine, cosine: -sine)
        case -1, 3: self.init(sine: -cosine, cosine: sine)
        default: self.init(sine: -sine, cosine: -cosine)
        }
    }

    init(radians: Double) { self.init(sine: sin(radians), cosine: cos(radians)) }

    var radians: Double { atan2(sine, cosine) }

    /// The angle of the same direction on the unit circle.
    var normalized: SineCosine {
        let length = (sine * sine + cosine * cosine).squareRoot()
        return SineCosine(sine: sine / length, cosine: cosine / length)
    }

    static func + (left: SineCosine, right: SineCosine) -> SineCosine {
        SineCosine(
            sine: left.sine * right.cosine + left.cosine * right.sine,
            cosine: left.cosine * right.cosine - left.sine * right.sine)
    }

    static func - (left: SineCosine, right: SineCosine) -> SineCosine {
        left + SineCosine(sine: -right.sine, cosine: right.cosine)
    }
}

/// The ellipsoid of WGS 84.
enum Ellipsoid {
    static let equatorialRadius = 6_378_137.0
    static let flattening = 1 / 298.257_223_563
    static let polarRadius = equatorialRadius * axesRatio
    /// The polar radius divided by the equatorial one.
    static let axesRatio = 1 - flattening
    /// The third flattening, the difference of the radii divided by their sum.
    static let thirdFlattening = flattening / (2 - flattening)
    /// The square of the second eccentricity.
    static let eccentricity = flattening * (2 - flattening) / (axesRatio * axesRatio)

    /// A cosine that is almost 0, for the poles. Its square is a normal number.
    static let tiny = Double.leastNormalMagnitude.squareRoot()

    /// Returns the reduced latitude of a latitude in degrees.
    static func reduced(_ latitude: Double) -> SineCosine {
        let angle = SineCosine(degrees: latitude)
        var reduced = SineCosine(sine: angle.sine * axesRatio, cosine: angle.cosine).normalized
        reduced.cosine = max(reduced.cosine, tiny)
        return reduced
    }
}
