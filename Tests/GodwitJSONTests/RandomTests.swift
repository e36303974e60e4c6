//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@Suite("Random documents")
struct RandomTests {
    @Test(
        "Values survive a round trip as bytes, and have the same canonical form",
        arguments: 0..<150 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = Self.value(depth: 0, using: &generator)
        let bytes = value.jsonBytes()
        let read = try JSONValue(parsing: bytes)
        #expect(read == value)
        #expect(read.hashValue == value.hashValue)
        #expect(read.jsonBytes() == bytes)

        let spaced = Self.spaced(bytes, using: &generator)
        #expect(try JSONValue(parsing: spaced) == value)
        let canonical = try Self.canonical(spaced)
        #expect(try Self.canonical(bytes) == canonical)
        #expect(try Self.canonical(canonical) == canonical)
        #expect(try Self.canonical(JSONValue(parsing: bytes).jsonBytes()) == canonical)
    }

    @Test("The scanner and the tape agree after any change of a single byte", arguments: 0..<20 as Range<UInt64>)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = Self.value(depth: 0, using: &generator).jsonBytes()
        for _ in 0..<100 {
            var changed = bytes
            changed[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            let tape = try? JSONTape(scanning: changed)
            #expect((tape != nil) == (refusal(of: changed) == nil))
            guard let tape else { continue }
            #expect(String(validating: changed, as: UTF8.self) != nil)
            var output: [UInt8] = []
            tape.appendCanonical(0, droppingUnderscoredMembers: false, to: &output)
            #expect(refusal(of: output) == nil)
            _ = try tape.value(0)
        }
    }

    private static func canonical(_ bytes: [UInt8]) throws -> [UInt8] {
        var output: [UInt8] = []
        try JSONTape(scanning: bytes).appendCanonical(0, droppingUnderscoredMembers: false, to: &output)
        return output
    }

    private static func value(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 9 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(Int64(bitPattern: generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
        case 3: return .bigInteger("-9" + String(repeating: "7", count: Int.random(in: 19...60, using: &generator)))
        case 4: return .double(Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 4096)
        case 5: return .string(text(using: &generator))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<6, using: &generator)).map { _ in value(depth: depth + 1, using: &generator) })
        default:
            let count = Int.random(in: 0..<(depth == 0 ? 40 : 8), using: &generator)
            return .object(
                JSONObject(
                    (0..<count).map { _ in (text(using: &generator), value(depth: depth + 1, using: &generator)) }))
        }
    }

    private static func text(using generator: inout SeededGenerator) -> String {
        let alphabet = Array("abcdefghijklmnop_\"\\/\n\u{1}\u{7F}éß€\u{E000}\u{FFFF}😀\u{10FFFF}".unicodeScalars)
        var text = ""
        for _ in 0..<Int.random(in: 0..<14, using: &generator) {
            text.unicodeScalars.append(alphabet.randomElement(using: &generator) ?? "a")
        }
        return text
    }

    /// Returns the same text with white space wherever it is allowed.
    private static func spaced(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var output: [UInt8] = []
        var inString = false
        var afterBackslash = false
        for byte in bytes {
            let isMark = !inString && Array("{}[],:".utf8).contains(byte)
            if isMark { output += [0x20, 0x09, 0x0A, 0x0D].prefix(Int.random(in: 0...4, using: &generator)) }
            output.append(byte)
            if isMark, Bool.random(using: &generator) { output.append(0x20) }
            if byte == 0x22, !afterBackslash { inString.toggle() }
            afterBackslash = inString && byte == 0x5C && !afterBackslash
        }
        return output
    }
}
