//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@testable import GodwitSelector

@Suite("Collation")
struct CollationTests {
    /// Values in the order of views in CouchDB's documentation, with additional numbers.
    private static let ascending: [String] = [
        "null", "false", "true",
        "-123456789012345678901234567891", "-123456789012345678901234567890", "-1e20", "-9223372036854775808", "-1.5",
        "-1", "0", "0.5", "1", "2", "3.0", "4", "9007199254740992", "9007199254740993", "9007199254740994.0",
        "9223372036854775806", "9223372036854775807", "9223372036854775808", "9223372036854775809", "1e22",
        "10000000000000000000001", "1e300",
        #""""#, #""_""#, #""-""#, #""1""#, #""a""#, #""A""#, #""aa""#, #""b""#,
        #""B""#, #""ba""#, #""bb""#, #""é""#, #""f""#, #""я""#, #""鳥""#,
        "[]", #"["a"]"#, #"["b"]"#, #"["b", "c"]"#, #"["b", "c", "a"]"#, #"["b", "d"]"#, #"["b", "d", "e"]"#, "[[]]",
        "[{}]",
        "{}", #"{"a": 1}"#, #"{"a": 2}"#, #"{"b": 1}"#, #"{"b": 2}"#, #"{"b": 2, "a": 1}"#, #"{"b": 2, "c": 2}"#,
    ]

    @Test("Values sort in CouchDB's order, as values and as text")
    func order() throws {
        let values = try Self.ascending.map(json)
        let tapes = try Self.ascending.map { try JSONTape(scanning: Array($0.utf8)) }
        for left in values.indices {
            for right in values.indices {
                let expected = JSONOrder(of: left, relativeTo: right)
                let pair = Comment("\(Self.ascending[left]) and \(Self.ascending[right])")
                #expect(JSONCollation.compare(values[left], values[right]) == expected, pair)
                #expect(JSONCollation.compare(tapes[left], at: 0, values[right]) == expected, pair)
                #expect(JSONCollation.compare(tapes[left], at: 0, tapes[right], at: 0) == expected, pair)
            }
        }
    }

    @Test(
        "Different values that are equal in the collation",
        arguments: [
            ("1", "1.0"), ("0", "-0.0"), ("1e22", "10000000000000000000000"), ("-1e22", "-10000000000000000000000"),
            (#""e\u0301""#, #""\u00e9""#), (#""a\u0000""#, #""a""#), ("[1, 2]", "[1.0, 2e0]"),
            (#"{"a\u0001": 1}"#, #"{"a": 1}"#), ("18446744073709551616", "18446744073709551616.0"),
        ])
    func sameness(left: String, right: String) throws {
        #expect(try JSONCollation.compare(json(left), json(right)) == .same)
        #expect(try JSONCollation.compare(json(right), json(left)) == .same)
    }

    @Test("Deep values are compared without recursion")
    func depth() throws {
        let levels = 9_000
        let texts = ["1", "2"].map {
            String(repeating: "[", count: levels) + $0 + String(repeating: "]", count: levels)
        }
        let tapes = try texts.map { try JSONTape(scanning: Array($0.utf8)) }
        #expect(JSONCollation.compare(tapes[0], at: 0, tapes[1], at: 0) == .before)
        #expect(JSONCollation.compare(tapes[0], at: 0, tapes[0], at: 0) == .same)
    }

    @Test("The order of ASCII without ICU is that of ICU: all characters, with all neighbours, in pairs")
    func asciiPairs() {
        let characters = (0..<128).map { [UInt8($0)] }
        for left in characters {
            for right in characters {
                expectICUsOrder(left, right)
                expectICUsOrder(left + right, right + left)
                expectICUsOrder(left, left + right)
                expectICUsOrder(left + [97], right + [65])
            }
        }
    }

    @Test("The order of strings is that of ICU: random ASCII, and other characters", arguments: 0..<4)
    func randomStrings(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let few: [Unicode.Scalar] = ["a", "A", "b", "-", "\u{0}", " ", "1", "l", "L", "\u{7F}"]
        let all = (0..<128).map { Unicode.Scalar(UInt8($0)) }
        let beyond: [Unicode.Scalar] = few + ["\u{301}", "\u{327}", "·", "é", "ß", "я", "鳥", "\u{FFFD}", "😀"]
        for _ in 0..<20_000 {
            let alphabet = generator.pick([few, all, beyond])
            expectICUsOrder(text(of: alphabet, &generator), text(of: alphabet, &generator))
        }
    }

    /// Marks, with the vowel signs of Tibetan that consist of marks.
    private static let marks: [Unicode.Scalar] = [
        "\u{301}", "\u{323}", "\u{306}", "\u{338}", "\u{F71}", "\u{F72}", "\u{F73}", "\u{F80}", "\u{653}",
        "\u{1D165}",
    ]
    /// Letters that combine with some of them, and others.
    private static let letters: [Unicode.Scalar] = [
        "a", "\u{438}", "\u{FB2}", "\u{627}", "\u{E9}", "\u{5B57}", "\u{1F600}",
    ]

    @Test("A text of marks costs its length, and not the square of it")
    func marksCost() {
        for piece: [Unicode.Scalar] in [["\u{F71}"], ["\u{F71}", "\u{F72}"], ["\u{438}", "\u{323}"], Self.marks] {
            let text = String(String.UnicodeScalarView(piece))
            let bytes = Array(String(repeating: text, count: 300_000 / piece.count).utf8)
            var key: [UInt8] = []
            bytes.withUnsafeBytes { RootCollator.appendKey(of: $0, to: &key) }
            #expect(key.last == 0)
            expectICUsOrder(bytes, bytes + [97])
        }
    }

    @Test("Marks combine as in the stream-safe format: U+034F follows each thirty of them", arguments: 0..<4)
    func streamSafe(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var (text, safe) = (String.UnicodeScalarView(), String.UnicodeScalarView())
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                for _ in 0..<Int.random(in: 0...2, using: &generator) {
                    let letter = generator.pick(Self.letters)
                    text.append(letter)
                    safe.append(letter)
                }
                let few = Array(Self.marks.shuffled(using: &generator).prefix(2))
                for count in 0..<Int.random(in: 0...75, using: &generator) {
                    let mark = generator.pick(few)
                    if count > 0, count % 30 == 0 { safe.append("\u{34F}") }
                    text.append(mark)
                    safe.append(mark)
                }
                // Otherwise the next marks would continue the row.
                text.append("b")
                safe.append("b")
            }
            let keys = [text, safe].map { text in
                var key: [UInt8] = []
                Array(String(text).utf8).withUnsafeBytes { RootCollator.appendKey(of: $0, to: &key) }
                return key
            }
            #expect(keys[0] == keys[1], "\(Array(text))")
            let order = Array(String(text).utf8).withUnsafeBytes { left in
                Array(String(safe).utf8).withUnsafeBytes { RootCollator.compare(left, $0) }
            }
            #expect(order == .same, "\(Array(text))")
        }
    }

    @Test("Many threads compare at once")
    func threads() async {
        let words: [JSONValue] = ["été", "ete", "Été", "я", "鳥", "ß", "ss", "e\u{301}te"]
        let orders = await withTaskGroup(of: [JSONOrder].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    (0..<2_000).map { JSONCollation.compare(words[$0 % 8], words[$0 / 8 % 8]) }
                }
            }
            return await group.reduce(into: Set<[JSONOrder]>()) { $0.insert($1) }
        }
        #expect(orders.count == 1)
    }

    private func text(of alphabet: [Unicode.Scalar], _ generator: inout SeededGenerator) -> [UInt8] {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...6, using: &generator) { text.append(generator.pick(alphabet)) }
        return Array(String(text).utf8)
    }

    private func expectICUsOrder(_ left: [UInt8], _ right: [UInt8]) {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                let expected = RootCollator.compareWithICU(left, right)
                if RootCollator.compare(left, right) != expected {
                    Issue.record("\(Array(left)) and \(Array(right)): ICU says \(expected)")
                }
            }
        }
    }
}
