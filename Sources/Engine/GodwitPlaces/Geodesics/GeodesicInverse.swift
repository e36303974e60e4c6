//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The shortest geodesic between two positions (section 4 of Karney's article).
///
/// The positions are arranged so that the first has the greater distance from the equator, is south of it or on it, and
/// the second is east of it.
struct GeodesicInverse {
    /// The length in meters.
    private(set) var metres = 0.0
    /// The direction at the end, in degrees clockwise from north.
    private(set) var arrival = 0.0

    private let first: Latitude
    private let second: Latitude
    /// The difference of the longitudes.
    private let turn: SineCosine
    private let turnRadians: Double

    /// The relative accuracy of numbers.
    private static let accuracy = Double.ulpOfOne
    private static let root = accuracy.squareRoot()
    /// The steps of Newton's method, and of halving afterwards.
    private static let newtonStepsMax = 20
    private static let stepsMax = newtonStepsMax + 53 + 10

    /// A reduced latitude, with the factor of the length of a degree there.
    private struct Latitude {
        let sine: Double
        let cosine: Double
        let stretch: Double

        init(_ angle: SineCosine) {
            (sine, cosine) = (angle.sine, angle.cosine)
            stretch = (1 + Ellipsoid.eccentricity * sine * sine).squareRoot()
        }
    }

    init(from start: Position, to end: Position) {
        // The difference of the longitudes, with its rounding error.
        let (west, east) = ((-start.longitude).remainder(dividingBy: 360), end.longitude.remainder(dividingBy: 360))
        let rough = Self.sum(west, east)
        let exact = Self.sum(rough.sum.remainder(dividingBy: 360), rough.error)
        let isWestward = exact.sum < 0 || exact.sum == 0 && exact.error < 0
        let difference = abs(exact.sum)
        let error = isWestward ? -exact.error : exact.error
        turnRadians = (difference + error) * .pi / 180
        let rest = (180 - difference) - error
        let acute = SineCosine(degrees: difference > 90 ? rest : difference + error)
        turn = SineCosine(sine: acute.sine, cosine: difference > 90 ? -acute.cosine : acute.cosine)

        let isSwapped = abs(start.latitude) < abs(end.latitude)
        var (southern, northern) = (start.latitude, end.latitude)
        if isSwapped { swap(&southern, &northern) }
        let isMirrored = southern.sign == .plus
        if isMirrored { (southern, northern) = (-southern, -northern) }
        let lower = Ellipsoid.reduced(southern)
        var upper = Ellipsoid.reduced(northern)
        // Equal latitudes must have equal numbers.
        if lower.cosine < -lower.sine {
            if upper.cosine == lower.cosine { upper.sine = upper.sine < 0 ? lower.sine : -lower.sine }
        } else if abs(upper.sine) == -lower.sine {
            upper.cosine = lower.cosine
        }
        first = Latitude(lower)
        second = Latitude(upper)

        let ends = solve(
            isMeridian: southern == -90 || turn.sine == 0, isNearAntipode: rest < 180 * Ellipsoid.flattening)
        var direction = isSwapped ? ends.start : ends.end
        if isWestward { direction.sine = -direction.sine }
        if isSwapped != isMirrored { direction.cosine = -direction.cosine }
        arrival = direction.radians * 180 / .pi
    }

    /// Computes the length, and returns the directions at both ends.
    private mutating func solve(isMeridian: Bool, isNearAntipode: Bool) -> (start: SineCosine, end: SineCosine) {
        if isMeridian, let length = meridian() {
            metres = length
            return (turn, SineCosine(sine: 0, cosine: 1))
        }
        if first.sine == 0, !isNearAntipode {
            metres = Ellipsoid.equatorialRadius * turnRadians
            return (SineCosine(sine: 1, cosine: 0), SineCosine(sine: 1, cosine: 0))
        }
        let guess = firstGuess()
        if let short = guess.short {
            metres = short.metres
            return (guess.start.normalized, short.end.normalized)
        }
        let solution = newton(guess.start)
        metres = Ellipsoid.polarRadius * lengths(solution).length
        return (solution.start, solution.end)
    }

    /// The length of a geodesic over a meridian; `nil` if it is not the shortest one.
    private func meridian() -> Double? {
        let from = SineCosine(sine: first.sine, cosine: turn.cosine * first.cosine)
        let to = SineCosine(sine: second.sine, cosine: second.cosine)
        var solution = Solution()
        (solution.from, solution.to, solution.arc) = (from, to, Self.arc(from, to))
        solution.parameter = Ellipsoid.thirdFlattening
        let (length, reduced) = lengths(solution)
        guard solution.arc < 1 || reduced >= 0 else { return nil }
        return solution.arc < 3 * Ellipsoid.tiny ? 0 : length * Ellipsoid.polarRadius
    }

    /// A geodesic from the first position to the latitude of the second one.
    private struct Solution {
        var start = SineCosine(sine: 0, cosine: 1)
        var end = SineCosine(sine: 0, cosine: 1)
        /// The angles along the geodesic from the equator, and their difference.
        var from = SineCosine(sine: 0, cosine: 1)
        var to = SineCosine(sine: 0, cosine: 1)
        var arc = 0.0
        var parameter = 0.0
        /// The longitude at the end minus that of the second position, and its derivative by the direction.
        var miss = 0.0
        var slope = 0.0
    }

    /// Returns the length and the reduced length, in polar radii (equations 7, 38 and 40).
    private func lengths(_ solution: Solution) -> (length: Double, reduced: Double) {
        let (from, to, arc) = (solution.from, solution.to, solution.arc)
        let one = GeodesicSeries.length(solution.parameter)
        let two = GeodesicSeries.reducedLength(solution.parameter)
        let oneSum = one.sum(to) - one.sum(from)
        let twoSum = two.sum(to) - two.sum(from)
        let difference = (one.factor - two.factor) * arc + (one.factor * oneSum - two.factor * twoSum)
        let reduced =
            second.stretch * (from.cosine * to.sine) - first.stretch * (from.sine * to.cosine)
            - from.cosine * to.cosine * difference
        return (one.factor * (arc + oneSum), reduced)
    }

    private static func arc(_ from: SineCosine, _ to: SineCosine) -> Double {
        let difference = to - from
        return atan2(max(0, difference.sine), difference.cosine)
    }

    /// Follows the geodesic that starts in a direction until it reaches the second latitude.
    private func solution(_ start: SineCosine) -> Solution {
        var start = start
        if first.sine == 0, start.cosine == 0 { start.cosine = -Ellipsoid.tiny }
        let equator = SineCosine(sine: start.sine * first.cosine, cosine: hypot(start.cosine, start.sine * first.sine))
        let fromCosine = start.cosine * first.cosine
        let areOpposite = second.cosine == first.cosine && abs(second.sine) == -first.sine
        let squares =
            first.cosine < -first.sine
            ? (second.cosine - first.cosine) * (first.cosine + second.cosine)
            : (first.sine - second.sine) * (first.sine + second.sine)
        let end = SineCosine(
            sine: second.cosine == first.cosine ? start.sine : equator.sine / second.cosine,
            cosine: areOpposite
                ? abs(start.cosine) : (fromCosine * fromCosine + squares).squareRoot() / second.cosine)
        let toCosine = end.cosine * second.cosine

        var solution = Solution()
        (solution.start, solution.end) = (start, end)
        solution.from = SineCosine(sine: first.sine, cosine: fromCosine).normalized
        solution.to = SineCosine(sine: second.sine, cosine: toCosine).normalized
        solution.arc = Self.arc(solution.from, solution.to)
        solution.parameter = GeodesicSeries.parameter(equator.cosine)
        let fromLongitude = SineCosine(sine: equator.sine * first.sine, cosine: fromCosine)
        let toLongitude = SineCosine(sine: equator.sine * second.sine, cosine: toCosine)
        var onSphere = toLongitude - fromLongitude
        onSphere.sine = max(0, onSphere.sine)
        let series = GeodesicSeries.longitude(solution.parameter)
        let correction = solution.arc + (series.sum(solution.to) - series.sum(solution.from))
        solution.miss =
            (onSphere - turn).radians - Ellipsoid.flattening * equator.sine * series.factor * correction
        solution.slope =
            end.cosine == 0
            ? -2 * Ellipsoid.axesRatio * first.stretch / first.sine
            : lengths(solution).reduced * Ellipsoid.axesRatio / (end.cosine * second.cosine)
        return solution
    }

    /// Improves a direction until the geodesic meets the second position, by Newton's method, and by halving if that
    /// does not converge.
    private func newton(_ guess: SineCosine) -> Solution {
        var start = guess.normalized
        var low = SineCosine(sine: Ellipsoid.tiny, cosine: 1)
        var high = SineCosine(sine: Ellipsoid.tiny, cosine: -1)
        var (isLast, isHalved) = (false, false)
        var found = Solution()
        for step in 0..<Self.stepsMax {
            found = solution(start)
            if isHalved || abs(found.miss) < (isLast ? 8 : 1) * Self.accuracy || found.miss.isNaN { break }
            let cotangent = start.cosine / start.sine
            if found.miss > 0, step > Self.newtonStepsMax || cotangent > high.cosine / high.sine {
                high = start
            } else if found.miss < 0, step > Self.newtonStepsMax || cotangent < low.cosine / low.sine {
                low = start
            }
            if step < Self.newtonStepsMax, found.slope > 0 {
                let change = -found.miss / found.slope
                let next = start + SineCosine(radians: change)
                if abs(change) < .pi, next.sine > 0 {
                    start = next.normalized
                    isLast = abs(found.miss) <= 16 * Self.accuracy
                    continue
                }
            }
            start = SineCosine(sine: (low.sine + high.sine) / 2, cosine: (low.cosine + high.cosine) / 2).normalized
            isLast = false
            let limit = Self.accuracy * Self.root
            isHalved =
                abs(low.sine - start.sine) + (low.cosine - start.cosine) < limit
                || abs(start.sine - high.sine) + (start.cosine - high.cosine) < limit
        }
        return found
    }

    // MARK: The first guess

    private struct Guess {
        var start: SineCosine
        /// The solution for positions that are near each other.
        var short: (metres: Double, end: SineCosine)?
    }

    private func firstGuess() -> Guess {
        let (sine1, cosine1, sine2, cosine2) = (first.sine, first.cosine, second.sine, second.cosine)
        let difference = SineCosine(
            sine: sine2 * cosine1 - cosine2 * sine1, cosine: cosine2 * cosine1 + sine2 * sine1)
        let sum = sine2 * cosine1 + cosine2 * sine1
        let isShort = difference.cosine >= 0 && difference.sine < 0.5 && cosine2 * turnRadians < 0.5
        var (around, stretch) = (turn, 1.0)
        if isShort {
            var square = (sine1 + sine2) * (sine1 + sine2)
            square /= square + (cosine1 + cosine2) * (cosine1 + cosine2)
            stretch = (1 + Ellipsoid.eccentricity * square).squareRoot()
            around = SineCosine(radians: turnRadians / (Ellipsoid.axesRatio * stretch))
        }
        let versine =
            around.cosine >= 0
            ? around.sine * around.sine / (1 + around.cosine) : around.sine * around.sine / (1 - around.cosine)
        var start = SineCosine(
            sine: cosine2 * around.sine,
            cosine: around.cosine >= 0
                ? difference.sine + cosine2 * sine1 * versine : sum - cosine2 * sine1 * versine)
        let arc = SineCosine(
            sine: hypot(start.sine, start.cosine), cosine: sine1 * sine2 + cosine1 * cosine2 * around.cosine)
        if isShort, arc.sine < Self.shortArc {
            let end = SineCosine(
                sine: cosine1 * around.sine,
                cosine: difference.sine - cosine1 * sine2 * (around.cosine >= 0 ? versine : 1 - around.cosine))
            return Guess(start: start, short: (arc.radians * Ellipsoid.polarRadius * stretch, end))
        }
        let isNearAntipode =
            arc.cosine < 0 && arc.sine < 6 * Ellipsoid.thirdFlattening * .pi * cosine1 * cosine1
        if isNearAntipode { start = nearAntipode(sum) }
        return Guess(start: start.sine > 0 ? start.normalized : SineCosine(sine: 1, cosine: 0))
    }

    /// The sine of an arc below which the first guess is exact.
    private static let shortArc =
        0.1 * root / (max(0.001, Ellipsoid.flattening) * min(1, 1 - Ellipsoid.flattening / 2) / 2).squareRoot()

    /// Solves the problem near the antipode, where geodesics touch an astroid (equation 55).
    ///
    /// - Parameter sum: The sine of the sum of the latitudes.
    private func nearAntipode(_ sum: Double) -> SineCosine {
        let parameter = GeodesicSeries.parameter(first.sine)
        let scale = Ellipsoid.flattening * first.cosine * GeodesicSeries.longitudeFactor(parameter) * .pi
        let x = atan2(-turn.sine, -turn.cosine) / scale
        let y = sum / (scale * first.cosine)
        if y > -200 * Self.accuracy, x > -1 - 1000 * Self.root {
            let sine = min(1, -x)
            return SineCosine(sine: sine, cosine: -(1 - sine * sine).squareRoot())
        }
        let root = Self.astroid(x, y)
        let angle = scale * -x * root / (1 + root)
        let (sine, cosine) = (sin(angle), -cos(angle))
        return SineCosine(
            sine: second.cosine * sine,
            cosine: sum - second.cosine * first.sine * sine * sine / (1 - cosine))
    }

    /// The positive root k of k⁴ + 2k³ − (x² + y² − 1)k² − 2y²k − y² = 0 (section 7).
    private static func astroid(_ x: Double, _ y: Double) -> Double {
        let (p, q) = (x * x, y * y)
        let r = (p + q - 1) / 6
        if q == 0, r <= 0 { return 0 }
        let s = p * q / 4
        let cube = r * r * r
        let discriminant = s * (s + 2 * cube)
        var u = r
        if discriminant >= 0 {
            var t = s + cube
            t += t < 0 ? -discriminant.squareRoot() : discriminant.squareRoot()
            let root = cbrt(t)
            u += root + (root == 0 ? 0 : r * r / root)
        } else {
            u += 2 * r * cos(atan2((-discriminant).squareRoot(), -(s + cube)) / 3)
        }
        let v = (u * u + q).squareRoot()
        let sum = u < 0 ? q / (v - u) : u + v
        let w = (sum - q) / (2 * v)
        return sum / ((sum + w * w).squareRoot() + w)
    }

    /// Returns the rounded sum of two numbers, and its error.
    private static func sum(_ one: Double, _ other: Double) -> (sum: Double, error: Double) {
        let sum = one + other
        let ofOther = sum - one
        return (sum, (one - (sum - ofOther)) + (other - ofOther))
    }
}
