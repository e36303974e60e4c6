//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit
import Testing

@testable import GodwitStore

@Suite("ISO 8601")
struct ISO8601Tests {
    @Test(
        "Times and their strings",
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
            (-1, "2000-12-31T23:59:59Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (799_401_600, "2026-05-02T08:00:00Z"), (799_401_600.123, "2026-05-02T08:00:00.123Z"),
            (-86_400 * 307, "2000-02-29T00:00:00Z"), (1e-7, "2001-01-01T00:00:00.0000001Z"),
            (-1e-7, "2000-12-31T23:59:59.9999999Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
            (252_423_993_599, "9999-12-31T23:59:59Z"),
            (252_423_993_599.999_97, "9999-12-31T23:59:59.99997Z"),
        ] as [(Double, String)])
    func texts(seconds: Double, text: String) {
        #expect(ISO8601.text(seconds) == text)
        #expect(ISO8601.seconds(text) == seconds)
    }

    @Test("Every double in the years 0 to 9999 survives a round trip")
    func doubles() throws {
        var generator = SeededGenerator(seed: 1)
        var samples: [Double] = [0.1 + 0.2, 252_423_993_600.0.nextDown]
        samples += [Double.leastNonzeroMagnitude, .leastNormalMagnitude].flatMap { [$0, -$0] }
        while samples.count < 20_000 {
            let double = Double(bitPattern: generator.next())
            if double.magnitude < 6e10 { samples.append(double) }
            samples.append(Double.random(in: -63_145_526_400..<252_423_993_600, using: &generator))
        }
        for sample in samples {
            let text = try #require(ISO8601.text(sample))
            #expect(ISO8601.seconds(text) == sample, "\(sample) as \(text)")
        }
    }

    @Test("Every day of four hundred years follows the day before")
    func days() throws {
        var previous = ""
        var mistakes: [Int] = []
        for day in -146_097...0 {
            let text = try #require(ISO8601.text(Double(day) * 86_400))
            if text <= previous || ISO8601.seconds(text) != Double(day) * 86_400 { mistakes.append(day) }
            previous = text
        }
        #expect(mistakes.isEmpty)
    }

    @Test(
        "Other formats of a time",
        arguments: [
            ("2026-05-02T10:00:00+02:00", 799_401_600), ("2026-05-01T22:30:00.000-09:30", 799_401_600),
            ("2026-05-02t08:00:00.10z", 799_401_600.1), ("2026-05-02T08:00:00-00:00", 799_401_600),
            ("2026-05-02T08:00:00.12345678901234567890123Z", 799_401_600.123_456_8),
            ("2001-01-01T00:00:00.25+00:01", -59.75), ("0000-01-01T00:00:00-01:00", -63_145_522_800),
        ] as [(String, Double)])
    func otherTexts(text: String, seconds: Double) {
        #expect(ISO8601.seconds(text) == seconds)
    }

    @Test(
        "Invalid times",
        arguments: [
            "", "2026-05-02", "2026-05-02T08:00:00", "2026-05-02T08:00Z", "2026-05-02T08:00:00.Z",
            "2026-05-02T08:00:00Z ", " 2026-05-02T08:00:00Z", "2026-05-02 08:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-32T00:00:00Z", "2026-05-02T24:00:00Z", "2026-05-02T08:60:00Z", "2026-05-02T08:00:60Z",
            "2026-05-02T08:00:00+24:00", "2026-05-02T08:00:00+02", "2026-05-02T08:00:00+02:60",
            "+2026-05-02T08:00:00Z", "12026-05-02T08:00:00Z", "-026-05-02T08:00:00Z", "２026-05-02T08:00:00Z",
            "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-00:01", "2026-05-02T08:00:00.5.5Z",
        ])
    func noTimes(text: String) {
        #expect(ISO8601.seconds(text) == nil)
    }

    @Test(
        "Times outside of the years 0 to 9999 cannot be written",
        arguments: [
            Double.nan, .infinity, -.infinity, 252_423_993_600, (-63_145_526_400.0).nextDown, 1e300, -1e300,
        ])
    func outside(seconds: Double) {
        #expect(ISO8601.text(seconds) == nil)
    }
}
