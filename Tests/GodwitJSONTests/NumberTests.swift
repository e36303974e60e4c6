//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@Suite("Numbers")
struct NumberTests {
    @Test func integersAreExact() throws {
        #expect(try JSONValue(parsing: "9223372036854775807") == .integer(.max))
        #expect(try JSONValue(parsing: "-9223372036854775808") == .integer(.min))
        #expect(try JSONValue(parsing: "9223372036854775808") == .bigInteger("9223372036854775808"))
        #expect(try JSONValue(parsing: "-9223372036854775809") == .bigInteger("-9223372036854775809"))
        #expect(try JSONValue(parsing: "-0") == 0)
        let long = String(repeating: "1234567890", count: 50)
        #expect(try JSONValue(parsing: long).jsonText() == long)
        #expect(try tape("[9007199254740993]").int(1) == 9_007_199_254_740_993)
        #expect(try tape("[9223372036854775808,1.0]").int(1) == nil)
        #expect(try tape("[9223372036854775808,1.0]").int(2) == nil)
    }

    @Test func integersAndDoublesDiffer() throws {
        #expect(try JSONValue(parsing: "1") != JSONValue(parsing: "1.0"))
        #expect(try JSONValue(parsing: "1e2") == .double(100))
    }

    @Test(
        "A double is written so that it is read back unchanged",
        arguments: [
            (100.0, "100.0"), (0.1, "0.1"), (-0.0, "-0.0"), (1e22, "1e+22"), (Double.leastNonzeroMagnitude, "5e-324"),
            (.infinity, "null"),
            (.nan, "null"),
            (-122.0854231, "-122.0854231"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        ])
    func writesDoubles(double: Double, text: String) {
        #expect(JSONValue.double(double).jsonText() == text)
    }

    @Test func bigIntegersThatAreNoneAreWrittenAsNull() {
        for digits in ["", "-", "01", "1.5", "abc", "1]"] {
            #expect(JSONValue.bigInteger(digits).jsonText() == "null")
        }
    }

    @Test("Random doubles survive a round trip as text")
    func doublesRoundTrip() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3_000 {
            let double = Double(bitPattern: generator.next())
            guard double.isFinite else { continue }
            #expect(try JSONValue(parsing: JSONValue.double(double).jsonBytes()) == .double(double))
            let shortest = try canonical("[\(double)]").dropFirst().dropLast()
            #expect(Double(shortest) == double)
        }
    }

    @Test("Decimals of every length are rounded as the standard library rounds them")
    func decimalsRoundTheSame() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<4_000 {
            let text = Self.decimal(using: &generator)
            let expected = try #require(Double(text))
            let parsed = try JSONValue(parsing: text)
            if parsed.doubleValue?.bitPattern != expected.bitPattern { Issue.record("\(text)") }
        }
    }

    @Test(
        "Numbers halfway between two doubles",
        arguments: [
            "9007199254740993.0", "9007199254740995.0", "0.5000000000000000277",
            "1.00000000000000011102230246251565404", "9.007199254740993e15",
            "18446744073709551615.0", "1844674407370955161.5", "0.1844674407370955161", "9999999999999999999.0",
            "2.2250738585072011e-308", "00.5e0".dropFirst().description,
        ])
    func halfWay(text: String) throws {
        #expect(try JSONValue(parsing: text).doubleValue == Double(text))
    }

    @Test func accessors() throws {
        #expect(JSONValue.integer(3).doubleValue == 3)
        #expect(JSONValue.double(3).intValue == nil)
        #expect(JSONValue.bigInteger("100000000000000000000").doubleValue == 1e20)
        #expect(try tape("[1,2.5,\"\"]").double(2) == 2.5)
    }

    /// Returns a number of one to twenty digits with a decimal point, and sometimes an exponent.
    private static func decimal(using generator: inout SeededGenerator) -> String {
        let count = Int.random(in: 1...20, using: &generator)
        let point = Int.random(in: 1...count, using: &generator)
        var text = Bool.random(using: &generator) ? "-" : ""
        for position in 0..<count {
            text += String(Int.random(in: (position == 0 && point > 1 ? 1 : 0)...9, using: &generator))
            if position + 1 == point { text += "." }
        }
        if text.last == "." { text += "0" }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            text += "e\(Int.random(in: -330 ... 280, using: &generator))"
        }
        return text
    }
}
