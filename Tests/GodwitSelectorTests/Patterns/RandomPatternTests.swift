//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit
import Testing

@testable import GodwitSelector

#if SystemLibraries
    @Suite("Random patterns")
    struct RandomPatternTests {
        private static let atoms = [
            "a", "b", "c", "A", "B", "é", "z", "1", "_", "-", " ", "\n", ".", "^", "$", #"\b"#, #"\B"#, #"\A"#, #"\z"#,
            #"\Z"#, #"\d"#, #"\w"#, #"\s"#, #"\D"#, #"\W"#, #"\S"#, #"\h"#, #"\v"#, #"\N"#, #"\n"#, #"\x41"#,
            #"\x{62}"#,
            #"\101"#, #"\Qa.b\E"#, #"\."#, "[abc]", "[^a]", "[a-c]", "[[:alpha:]]", "[[:^digit:]]", #"[\w-]"#, "[]a]",
            "[^]b]", #"[a\]b]"#, #"[\x61-c_]"#, #"\pL"#, #"\p{Lu}"#, #"\P{Ll}"#, #"\p{^N}"#, "(?i)", "(?-i)", "(?s)",
            "(?m)", "(?x)", "(?#c)", #"\K"#, #"\G"#, "[é]", "[à-ü]", "[[:<:]]", "[[:>:]]", #"\10"#, #"\t"#, #"\cA"#,
            #"[\d\s]"#, #"[^\W_]"#, "[[:punct:]]", #"\p{L&}"#, #"\p{Xan}"#, "(?^)", "(?xx)", "[a b]", "#", "{", "}",
            "]",
            ",", #"\E"#, #"[\Qa-\Ec]"#, #"\o{141}"#, "x{2}",
        ]
        private static let repetitions = [
            "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??", "{0}", "{3}", "{1,2}?", "{,2}", "{a}", "++",
        ]
        private static let groups = ["(", "(?:", "(?i:", "(?<n>", "(?<m>", "(?J:", "(?|", "(?m:", "(?s-i:", "(?x:"]
        private static let signs = "()[]?*\\a^-:{}1|<>'x&QEPi,=".map { String($0) }
        private static let letters = [
            "a", "b", "c", "A", "B", "z", "é", "É", "1", "_", " ", "-", "\n", "\t", "x", "xx", "ab", "", ".", "\u{1}",
            "k", "K",
            "ß",
        ]

        private static func pattern(depth: Int, _ generator: inout SeededGenerator) -> String {
            (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                var part = atoms.randomElement(using: &generator) ?? ""
                if depth > 0, Int.random(in: 0..<4, using: &generator) == 0 {
                    let group = groups.randomElement(using: &generator) ?? ""
                    part = group + pattern(depth: depth - 1, &generator) + ")"
                }
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    part += repetitions.randomElement(using: &generator) ?? ""
                }
                return Int.random(in: 0..<8, using: &generator) == 0 ? part + "|" : part
            }
            .joined()
        }

        private static func text(of parts: [String], max: Int, _ generator: inout SeededGenerator) -> String {
            (0..<Int.random(in: 0..<max, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
                .joined()
        }

        @Test("The linear matcher accepts what PCRE2 accepts, and matches the same texts", arguments: ["", "(*UTF)"])
        func equality(prefix: String) throws {
            let seed: UInt64 = 1
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<(TestScale.isLong ? 100_000 : 8_500) {
                let isNoise = Int.random(in: 0..<30, using: &generator) == 0
                let pattern =
                    prefix
                    + (isNoise
                        ? Self.text(of: Self.signs, max: 9, &generator) : Self.pattern(depth: 2, &generator))
                let comment = Comment("seed \(seed): \(pattern.debugDescription)")
                let reference = try? BacktrackingPattern(pattern)
                do throws(PatternError) {
                    let linear = try LinearPattern(pattern)
                    guard let reference else {
                        Issue.record("PCRE2 refuses it. \(comment)")
                        continue
                    }
                    for _ in 0..<6 {
                        let text = Array(Self.text(of: Self.letters, max: 8, &generator).utf8)
                        let isMatch = text.withUnsafeBytes { reference.matches($0, nil) }
                        #expect(text.withUnsafeBytes { linear.matches($0, nil) } == isMatch, "\(comment) in \(text)")
                    }
                } catch  where error == .invalid {
                    #expect(reference == nil, comment)
                } catch {
                    // What PCRE2 alone can do.
                }
            }
        }
    }
#endif
