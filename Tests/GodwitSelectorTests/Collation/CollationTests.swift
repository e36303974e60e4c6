//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
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

    @Test(
        "The order of ASCII is that of ICU: all characters, with all neighbours, in pairs",
        .enabled(if: ICUCollator.root != nil))
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

    @Test(
        "The order of strings is that of ICU: random ASCII, and other characters",
        .enabled(if: ICUCollator.root != nil), arguments: 0..<4)
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

    @Test("Each character has the key that ICU makes", .enabled(if: ICUCollator.root != nil))
    func characters() {
        // The planes with characters, and some of the code points of the others.
        let points = [
            Array(0..<0x34000), Array(0xE0000..<0xE1000), Array(stride(from: 0x34000, to: 0x110000, by: 251)),
        ]
        for scalar in points.joined().compactMap({ Unicode.Scalar(UInt32($0)) }) {
            expectICUsKey(Array(String(scalar).utf8))
        }
    }

    /// The strings of CLDR's conformance test, each as code points in hexadecimal digits, with comments after `#`.
    private static let lines: [Substring]? = {
        guard let path = ProcessInfo.processInfo.environment["GODWIT_COLLATION_LINES"],
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { return nil }
        return text.split(separator: "\n")
    }()

    @Test(
        "Each string of CLDR's conformance test has the key that ICU makes",
        .enabled(if: ICUCollator.root != nil && lines != nil))
    func conformanceLines() {
        var count = 0
        for line in Self.lines ?? [] {
            let points = line.prefix { $0 != "#" && $0 != ";" }.split(separator: " ").map { UInt32($0, radix: 16) }
            // A line may have a surrogate, which no string in Swift has.
            let scalars = points.compactMap { $0.flatMap(Unicode.Scalar.init) }
            guard !scalars.isEmpty, scalars.count == points.count else { continue }
            expectICUsKey(Array(String(String.UnicodeScalarView(scalars)).utf8))
            count += 1
        }
        #expect(count > 100_000)
    }

    /// Characters that begin or continue a contraction, depend on a rule, or have weights of a form of their own.
    private static let special: [UInt32] = [
        0x6C, 0x4C, 0xB7, 0x387, 0x418, 0x438, 0x627, 0x648, 0x64A, 0x6C1, 0x6D5, 0x9C7, 0xB47, 0xB92, 0xBC6, 0xBC7,
        0xCC6, 0xCCA, 0xD46, 0xDD9, 0xDDC, 0xFB2, 0xFB3, 0x1025, 0x1B05, 0x1100, 0x1161, 0x11A8, 0xAC00, 0xAC01, 0xD7A3,
        0xE40, 0xE41, 0xE01, 0xEC0, 0xE81, 0x19B5, 0x1980, 0xAAB5, 0xAA80, 0xFDD1, 0xFFFD, 0xFFFE, 0xFFFF, 0x30AB,
        0x30FC, 0x304B, 0x4E00, 0x3400, 0x9FFF, 0x20000, 0x2A6DF, 0x10FFFF, 0xE000, 0x378, 0x0, 0x1, 0x20, 0x41, 0x61,
        0xC9, 0xE9, 0xDF, 0x1E9B, 0x3B1, 0x3A9, 0x1F82, 0x5D0, 0xFB2A, 0x1F600, 0x200D, 0xAD, 0x2126, 0xF900, 0xFA0E,
        0xFDFA, 0x17000, 0x1B170, 0x18B00, 0xE0100,
    ]
    private static let combining: [UInt32] = [
        0x300, 0x301, 0x306, 0x308, 0x327, 0x323, 0x344, 0x345, 0x34F, 0x653, 0x654, 0x655, 0xF71, 0xF72, 0xF73, 0xF74,
        0xF75, 0xF80, 0xF81, 0x3099, 0x309A, 0x1B35, 0x9BE, 0x9D7, 0xB3E, 0xBBE, 0xBD7, 0xCC2, 0xCD5, 0xCD6, 0xD3E,
        0xD57, 0xDCA, 0xDCF, 0xDDF, 0x102E, 0xC56, 0x64B, 0x5B4, 0xE38,
    ]

    @Test(
        "Random texts of characters that combine have the keys that ICU makes", .enabled(if: ICUCollator.root != nil),
        arguments: 0..<4)
    func combinations(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(TestScale.isLong ? 1_000_000 : 20_000) {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...7, using: &generator) {
                let point =
                    switch Int.random(in: 0..<12, using: &generator) {
                    case 0...3: generator.pick(Self.combining)
                    case 4...7: generator.pick(Self.special)
                    case 8: UInt32.random(in: 0x20..<0x7F, using: &generator)
                    case 9: UInt32.random(in: 0xA0..<0x600, using: &generator)
                    case 10: UInt32.random(in: 0x600..<0x3100, using: &generator)
                    default: UInt32.random(in: 0..<0x110000, using: &generator)
                    }
                if let scalar = Unicode.Scalar(point) { text.append(scalar) }
            }
            expectICUsKey(Array(String(text).utf8))
        }
    }

    @Test("A middle dot after L depends on it, also within a contraction", .enabled(if: ICUCollator.root != nil))
    func contexts() {
        // U+FDD1 contracts with letters, but no literal may contain it.
        for start in [[], [0xEF, 0xB7, 0x91]] as [[UInt8]] {
            for text in ["l", "L", "e"].flatMap({ letter in ["", "\u{301}", "\u{0}"].map { letter + $0 } }) {
                for dot in ["\u{B7}", "\u{387}", "\u{B7}\u{B7}"] { expectICUsKey(start + (text + dot + "a").utf8) }
            }
        }
    }

    @Test("Long runs of equal weights have the keys that ICU makes", .enabled(if: ICUCollator.root != nil))
    func runs() {
        for count in [31, 32, 33, 34, 66, 67, 96, 97, 98, 194, 195, 255, 256, 257, 513, 1_000] {
            for (repeated, last) in [("a", ""), ("a", "A"), ("a", "é"), ("я", "a"), ("й", "-"), ("鳥", "ｶ"), ("é", "e")]
            {
                expectICUsKey(Array((String(repeating: repeated, count: count) + last).utf8))
            }
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

    /// Compares two texts in both ways, and expects the order of ICU's keys.
    private func expectICUsOrder(_ left: [UInt8], _ right: [UInt8]) {
        guard let icu = ICUCollator.root else { return }
        let (key, otherKey) = (icu.key(of: left), icu.key(of: right))
        let expected: JSONOrder =
            key == otherKey ? .same : key.lexicographicallyPrecedes(otherKey) ? .before : .after
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { rightBytes in
                if RootCollator.compare(leftBytes, rightBytes) != expected
                    || RootCollator.compareByElements(leftBytes, rightBytes) != expected
                {
                    Issue.record("\(left) and \(right): ICU says \(expected)")
                }
            }
        }
    }

    private func expectICUsKey(_ text: [UInt8]) {
        guard let expected = ICUCollator.root?.key(of: text) else { return }
        var key: [UInt8] = []
        text.withUnsafeBytes { RootCollator.appendKey(of: $0, to: &key) }
        if key != expected { Issue.record("\(text): \(key), ICU's key is \(expected)") }
    }
}
