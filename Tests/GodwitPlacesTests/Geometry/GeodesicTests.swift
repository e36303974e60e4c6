//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestKit
import Testing

@testable import GodwitPlaces

/// The geodesics of PROJ, if it is installed.
private struct PROJ: @unchecked Sendable {
    // Proof of `Sendable`: the memory is constant after the initializer.
    private typealias Inverse =
        @convention(c) (
            UnsafeRawPointer, Double, Double, Double, Double, UnsafeMutablePointer<Double>,
            UnsafeMutablePointer<Double>,
            UnsafeMutablePointer<Double>
        ) -> Void
    private typealias Direct =
        @convention(c) (
            UnsafeRawPointer, Double, Double, Double, Double, UnsafeMutablePointer<Double>,
            UnsafeMutablePointer<Double>,
            UnsafeMutablePointer<Double>?
        ) -> Void

    static let shared = PROJ()

    /// The space of `struct geod_geodesic`, which has 51 numbers.
    private let ellipsoid = UnsafeMutablePointer<Double>.allocate(capacity: 128)
    private let inverse: Inverse
    private let direct: Direct

    private init?() {
        guard let library = dlopen("libproj.so.25", RTLD_NOW), let make = dlsym(library, "geod_init"),
            let inverse = dlsym(library, "geod_inverse"), let direct = dlsym(library, "geod_direct")
        else { return nil }
        self.inverse = unsafeBitCast(inverse, to: Inverse.self)
        self.direct = unsafeBitCast(direct, to: Direct.self)
        unsafeBitCast(make, to: (@convention(c) (UnsafeMutablePointer<Double>, Double, Double) -> Void).self)(
            ellipsoid, 6_378_137, 1 / 298.257_223_563)
    }

    func way(_ from: Position, _ to: Position) -> (metres: Double, arrival: Double) {
        var (metres, departure, arrival) = (0.0, 0.0, 0.0)
        inverse(ellipsoid, from.latitude, from.longitude, to.latitude, to.longitude, &metres, &departure, &arrival)
        return (metres, arrival)
    }

    func end(_ from: Position, _ azimuth: Double, _ metres: Double) -> Position {
        var (latitude, longitude) = (0.0, 0.0)
        direct(ellipsoid, from.latitude, from.longitude, azimuth, metres, &latitude, &longitude, nil)
        return Position(longitude: longitude, latitude: latitude)
    }
}

@Suite("Geodesics", .enabled(if: PROJ.shared != nil, "PROJ is not installed"))
struct GeodesicTests {
    private static let rounds = TestScale.isLong ? 1_000_000 : 100_000

    /// A position anywhere, or one with hard numbers: poles, the equator, the antimeridian, the antipode of another and
    /// its neighborhood.
    private static func position(_ random: inout SeededGenerator, near other: Position? = nil) -> Position {
        func small() -> Double {
            Double.random(in: -1...1, using: &random) * pow(10, .random(in: -12...0, using: &random))
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            return Position(
                [0, 90, -90, 180, -180, 179.5, 45].randomElement(using: &random)!,
                [0, 90, -90, 30, -30, 45].randomElement(using: &random)!)
        case 1: return Position(.random(in: -180...180, using: &random), small())
        case 2: return Position(.random(in: -180...180, using: &random), max(-90, min(90, 90 - abs(small()))))
        case 3:
            if let other {
                return Position(
                    (other.x + 180 + small()).remainder(dividingBy: 360), max(-90, min(90, -other.y + small())))
            }
        case 4:
            if let other {
                return Position((other.x + small()).remainder(dividingBy: 360), max(-90, min(90, other.y + small())))
            }
        case 5: if let other { return Position(other.x, .random(in: -90...90, using: &random)) }
        case 6:
            if let other {
                return Position(
                    .random(in: -180...180, using: &random), Bool.random(using: &random) ? other.y : -other.y)
            }
        default: break
        }
        return Position(.random(in: -180...180, using: &random), .random(in: -90...90, using: &random))
    }

    @Test("Distances and directions are those of PROJ")
    func inverse() throws {
        let proj = try #require(PROJ.shared)
        var random = SeededGenerator(seed: 1)
        var worst = (metres: 0.0, degrees: 0.0)
        for _ in 0..<Self.rounds {
            let from = Self.position(&random)
            let to = Self.position(&random, near: from)
            let (expected, found) = (proj.way(from, to), GeodesicInverse(from: from, to: to))
            let difference = abs(found.metres - expected.metres)
            #expect(difference < 2e-8, "\(from) \(to): \(found.metres) instead of \(expected.metres)")
            worst.metres = max(worst.metres, difference)
            // Near the antipode and for short distances, a small error of the numbers turns the direction.
            guard expected.metres > 1, expected.metres < 19_900_000 else { continue }
            let turn = abs((found.arrival - expected.arrival).remainder(dividingBy: 360))
            let limit = 1e-13 * 20_000_000 / min(expected.metres, 20_003_931 - expected.metres) * 100
            #expect(turn < max(limit, 1e-9), "\(from) \(to): direction \(found.arrival) instead of \(expected.arrival)")
        }
        print("The greatest difference from PROJ's distances is \(worst.metres) m.")
    }

    @Test("Ends of geodesics are those of PROJ")
    func direct() throws {
        let proj = try #require(PROJ.shared)
        var random = SeededGenerator(seed: 2)
        var worst = 0.0
        for _ in 0..<Self.rounds {
            let from = Self.position(&random)
            let azimuth =
                Bool.random(using: &random)
                ? Double.random(in: -180...360, using: &random) : [0, 90, 180, 270, -90].randomElement(using: &random)!
            let metres = Double.random(in: -1...1, using: &random) * pow(10, .random(in: -3...7.3, using: &random))
            let expected = proj.end(from, azimuth, metres)
            let found = Geodesic.position(from: from, azimuth: azimuth, metres: metres)
            let difference = proj.way(expected, found).metres
            #expect(difference < 2e-8, "\(from) \(azimuth) \(metres): \(found) instead of \(expected)")
            #expect(abs(found.longitude) <= 180 && abs(found.latitude) <= 90)
            worst = max(worst, difference)
        }
        print("The greatest difference from PROJ's ends is \(worst) m.")
    }
}
