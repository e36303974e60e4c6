//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@testable import GodwitSelector

/// The two matchers, with the same expectations.
@Suite("Patterns")
struct PatternTests {
    private static let matchers: [any PatternMatcher.Type] = {
        #if SystemLibraries
            [LinearPattern.self, BacktrackingPattern.self]
        #else
            [LinearPattern.self]
        #endif
    }()

    @Test(
        "A pattern matches anywhere in a text",
        arguments: [
            ("^[A-Z]{2,3}-[0-9]+$", "AB-17", true), ("^[A-Z]{2,3}-[0-9]+$", "ABCD-17", false), ("b|c", "abc", true),
            ("^(a|b|)+$", "abba", true), ("a$", "a\n", true), (#"a\z"#, "a\n", false), ("(?m)^b$", "a\nb\nc", true),
            ("(?m)a\n^", "a\n", false), ("(?i)straße", "STRAßE", true), ("é", "É", false), ("(?i)é", "É", false),
            ("(*UTF)(?i)é", "É", true), ("^.$", "é", false), ("(*UTF)^.$", "é", true),
            (#"(*UTF)[^a](é){3}|\B"#, "ké_", false),
            (#"\bfox\b"#, "a fox.", true), (#"\bfox\b"#, "foxes", false), ("[[:<:]]fox[[:>:]]", "the fox", true),
            (#"^\p{Lu}\p{Ll}+$"#, "Anna", true), (#"(*UTF)^\p{Lu}\p{Ll}+$"#, "Émile", true),
            (#"[\w.]+@\w+"#, "a.b@c", true),
            ("(?x) a b # spaces\n c", "abc", true), (#"\Qa.b\E+$"#, "a.bbb", true), ("(a(?i)b|c)d", "Cd", true),
            ("x{0}", "", true), ("(?|(?<n>a)|(?<n>b))c", "bc", true),
            ("(?J)(?<n>a)(?<n>b)", "ab", true), ("[]a]", "]", true), (#"[a\Q-\Ez]"#, "-", true),
            (#"[a-\Qcz\E]"#, "b", true),
            (#"\10"#, "\u{8}", true), (#"\x{e9}"#, "é", false), (#"\xc3\xa9"#, "é", true), ("", "", true),
        ] as [(String, String, Bool)])
    func matching(pattern: String, text: String, isMatch: Bool) throws {
        for matcher in Self.matchers {
            let compiled = try matcher.init(pattern)
            let matches = Array(text.utf8).withUnsafeBytes { compiled.matches($0, nil) }
            #expect(matches == isMatch, "\(matcher)")
        }
    }

    @Test(
        "What is not a pattern is refused",
        arguments: [
            "(", ")", "[", "[z-a]", "a**", "^*", "*", "a{2,1}", "a{65536}", #"\"#, #"\y"#, #"\x{100}"#, #"[\d-z]"#,
            "[[:foo:]]", "[:alpha:]", "(?<1>a)", "(?<n>a)(?<n>b)", "(?|(?<a>x)|(?<b>y))", "(?q)", "(?i-i-i)", #"\c"#,
            #"\400"#,
            String(repeating: "(", count: 251) + String(repeating: ")", count: 251),
            String(repeating: "a", count: RegularExpression.patternBytesMax + 1),
        ])
    func invalid(pattern: String) {
        for matcher in Self.matchers {
            #expect(throws: PatternError.invalid, "\(matcher)") { try matcher.init(pattern) }
        }
    }

    @Test(
        "What needs backtracking is refused by name",
        arguments: [
            (#"(a)\1"#, "a back reference"), (#"(?<n>a)\k<n>"#, "a back reference"), ("(?=a)", "look-ahead"),
            ("(?<!a)b", "look-behind"), ("(?>a+)b", "an atomic group"), ("a++", "a possessive repetition"),
            ("(?R)", "recursion"), ("(a)(?1)", "recursion"), ("(a)?(?(1)b|c)", "a condition"), ("(?C)", "a callout"),
            ("(*COMMIT)a", "a verb or an assertion with a name"), (#"\R"#, #"\R"#),
            (#"\p{Greek}"#, #"\p{Greek}: only general categories are known"#),
        ])
    func unsupported(pattern: String, construct: String) {
        #expect(throws: PatternError.unsupported(construct)) { try LinearPattern(pattern) }
    }

    @Test(
        "Empty parts cost nothing, however often they are repeated",
        arguments: ["(?:(?:){65535}){65535}", "(?:(?:a{0}){65535}){65535}b", String(repeating: "{", count: 32_000)])
    func emptyParts(pattern: String) throws {
        _ = try LinearPattern(pattern)
    }

    @Test("A pattern has a limit of parts")
    func size() throws {
        #expect(throws: PatternError.tooLarge) { try LinearPattern("(a{1000}){1000}") }
        _ = try LinearPattern("(a{100}){100}")
        _ = try LinearPattern(#"(*UTF)^\p{L}{10}$"#)
    }

    /// These cost the square of the text, or two to the power of its length, when all ways are tried.
    @Test(
        "The work is linear in the text", arguments: ["(a+)+$", "(a|aa)*c", "(.*)*x", "^(a?){50}a{50}$", "a*a*a*a*a*b"])
    func linearity(pattern: String) throws {
        let compiled = try LinearPattern(pattern)
        func steps(_ count: Int) -> Int {
            var limits = WorkBudget.Limits()
            (limits.documentStepsMax, limits.stepsMax) = (.max, .max)
            let meter = WorkMeter(of: WorkBudget(limits))
            let text = [UInt8](repeating: UInt8(ascii: "a"), count: count) + [UInt8(ascii: "!")]
            #expect(!text.withUnsafeBytes { compiled.matches($0, meter) })
            return .max - (meter?.operationStepsMax ?? .max)
        }
        let (short, long) = (steps(100_000), steps(1_000_000))
        #expect(long <= 11 * short + 10_000)
    }

    @Test("A search ends when its budget is exhausted")
    func budget() throws {
        var limits = WorkBudget.Limits()
        (limits.documentStepsMax, limits.stepsMax) = (10_000, 10_000)
        let meter = WorkMeter(of: WorkBudget(limits))
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000) + [UInt8(ascii: "b")]
        let compiled = try LinearPattern("b")
        #expect(!text.withUnsafeBytes { compiled.matches($0, meter) })
        #expect(meter?.end != nil)
    }

    @Test("A table of states that is full is begun anew")
    func manyStates() throws {
        let compiled = try LinearPattern("(a|b)*a(a|b){14}c")
        var text = (0..<200_000).map { UInt8(ascii: $0 &* 2_654_435_761 >> 7 & 1 == 0 ? "a" : "b") }
        #expect(!text.withUnsafeBytes { compiled.matches($0, nil) })
        text += "abbbbbbbbbbbbbbc".utf8
        #expect(text.withUnsafeBytes { compiled.matches($0, nil) })
    }
}
