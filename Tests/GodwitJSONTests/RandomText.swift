//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestKit

//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Generates texts for the fuzzer: by the grammar, and then corrupted.
enum RandomText {
    static func bytes(using generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        appendValue(depth: 0, to: &bytes, using: &generator)
        if Int.random(in: 0..<8, using: &generator) == 0 { bytes = nested(bytes, using: &generator) }
        for _ in 0..<Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty { spoil(&bytes, using: &generator) }
        return bytes
    }

    // MARK: By the grammar

    private static func appendValue(depth: Int, to bytes: inout [UInt8], using generator: inout SeededGenerator) {
        appendBlanks(to: &bytes, using: &generator)
        switch Int.random(in: 0..<(depth < 5 ? 8 : 4), using: &generator) {
        case 0: bytes += (["null", "true", "false"].randomElement(using: &generator) ?? "null").utf8
        case 1, 2: appendNumber(to: &bytes, using: &generator)
        case 3: appendString(to: &bytes, using: &generator)
        case 4, 5:
            appendList("[", "]", to: &bytes, using: &generator) { bytes, generator in
                appendValue(depth: depth + 1, to: &bytes, using: &generator)
            }
        default:
            appendList("{", "}", to: &bytes, using: &generator) { bytes, generator in
                appendBlanks(to: &bytes, using: &generator)
                appendString(to: &bytes, using: &generator)
                appendBlanks(to: &bytes, using: &generator)
                bytes += ":".utf8
                appendValue(depth: depth + 1, to: &bytes, using: &generator)
            }
        }
        appendBlanks(to: &bytes, using: &generator)
    }

    private static func appendList(
        _ opening: String, _ closing: String, to bytes: inout [UInt8], using generator: inout SeededGenerator,
        _ appendElement: (inout [UInt8], inout SeededGenerator) -> Void
    ) {
        bytes += opening.utf8
        // Objects with more than a dozen members are compared by another algorithm.
        for position in 0..<([0, 1, 2, 3, 16].randomElement(using: &generator) ?? 0) {
            if position > 0 { bytes += ",".utf8 }
            appendElement(&bytes, &generator)
        }
        bytes += closing.utf8
    }

    private static func appendBlanks(to bytes: inout [UInt8], using generator: inout SeededGenerator) {
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return }
        bytes.append([0x20, 0x09, 0x0A, 0x0D].randomElement(using: &generator) ?? 0x20)
    }

    private static func appendNumber(to bytes: inout [UInt8], using generator: inout SeededGenerator) {
        if Bool.random(using: &generator) { bytes += "-".utf8 }
        let digits = [1, 1, 2, 8, 17, 19, 20, 40].randomElement(using: &generator) ?? 1
        appendDigits(digits, isInteger: true, to: &bytes, using: &generator)
        if Int.random(in: 0..<3, using: &generator) == 0 {
            bytes += ".".utf8
            appendDigits(Int.random(in: 1...20, using: &generator), isInteger: false, to: &bytes, using: &generator)
        }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            bytes += (["e", "E", "e+", "E-", "e-"].randomElement(using: &generator) ?? "e").utf8
            appendDigits(Int.random(in: 1...3, using: &generator), isInteger: false, to: &bytes, using: &generator)
        }
    }

    private static func appendDigits(
        _ count: Int, isInteger: Bool, to bytes: inout [UInt8], using generator: inout SeededGenerator
    ) {
        for position in 0..<count {
            let leads = isInteger && position == 0 && count > 1
            bytes.append(UInt8.random(in: (leads ? 0x31 : 0x30)...0x39, using: &generator))
        }
    }

    private static let pieces = [
        "a", "b", "_id", " ", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\u0061", "\\u00E9",
        "\\ud83d\\uDE00", "\\uFFFF", "\u{7F}", "é", "ß", "€", "\u{E000}", "\u{FFFF}", "😀", "\u{10FFFF}",
        String(repeating: "x", count: 70),
    ]

    private static func appendString(to bytes: inout [UInt8], using generator: inout SeededGenerator) {
        bytes += "\"".utf8
        for _ in 0..<Int.random(in: 0..<4, using: &generator) {
            bytes += (pieces.randomElement(using: &generator) ?? "a").utf8
        }
        bytes += "\"".utf8
    }

    /// Returns the text inside arrays or objects, with a depth just below or above a limit.
    private static func nested(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        let depth = [1, 63, 64, 65, 500, 995, 1_000, 1_001, 9_995, 10_000].randomElement(using: &generator) ?? 1
        let isObject = Bool.random(using: &generator)
        let (opening, closing) = isObject ? ("{\"k\":", "}") : ("[", "]")
        return Array(String(repeating: opening, count: depth).utf8) + bytes
            + Array(String(repeating: closing, count: depth).utf8)
    }

    // MARK: Spoilt

    private static let tokens = [
        "[", "]", "{", "}", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "0", "-", "+", ".", "e9", "1e999", "00",
        "null", "tru", "/", "\u{FEFF}", "\u{0}", "\n", "\u{B}", "NaN", "Infinity", "'", "//", "/**/", "\u{2028}", ",]",
    ].map { Array($0.utf8) }

    /// Bytes that are not valid UTF-8, or that start an invalid sequence.
    private static let strays: [[UInt8]] = [
        [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
        [0xF4, 0x90, 0x80, 0x80], [0xF8], [0xFE], [0xFF],
    ]

    private static func spoil(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        let range = position..<Int.random(in: position...min(bytes.count, position + 12), using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
        case 2: bytes.removeSubrange(range)
        case 3: bytes.insert(contentsOf: Array(bytes[range]), at: position)
        case 4: bytes.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: position)
        case 5: bytes.insert(contentsOf: strays.randomElement(using: &generator) ?? [], at: position)
        default: bytes.removeSubrange(position...)
        }
    }
}
