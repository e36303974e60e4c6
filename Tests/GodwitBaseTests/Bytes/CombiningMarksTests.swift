//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import TestKit
import Testing

@Suite("Combining marks in a row")
struct CombiningMarksTests {
    private static let marks = ["\u{301}", "\u{F71}", "\u{F73}", "\u{1D165}", "\u{64B}"]

    private func areTooMany(_ text: String) -> Bool { CombiningMarks.areTooMany(inJSON: Array(text.utf8)) }

    @Test("The largest row is allowed, and one mark more is not, wherever it is", arguments: marks)
    func limit(mark: String) {
        let row = String(repeating: mark, count: CombiningMarks.rowMax)
        for before in ["", "a", "é", "字", String(repeating: "x", count: 600), String(repeating: "字", count: 300)] {
            for after in ["", "a", String(repeating: "y", count: 600), "é"] {
                #expect(!(before + row + after).hasTooManyMarks)
                #expect((before + row + mark + after).hasTooManyMarks)
                #expect(!(before + row + "a" + row + after).hasTooManyMarks)
                #expect(areTooMany("\\n\"" + before + row + mark + after))
            }
        }
    }

    @Test("Escapes in JSON count as their characters")
    func escapes() {
        let pair = #"\u0301\u0323"#
        #expect(!areTooMany(String(repeating: pair, count: CombiningMarks.rowMax / 2)))
        #expect(areTooMany(String(repeating: pair, count: CombiningMarks.rowMax / 2) + "\u{301}"))
        #expect(areTooMany(String(repeating: #"\uD834\uDD65"#, count: CombiningMarks.rowMax + 1)))
        #expect(!areTooMany(String(repeating: #"\uD834\uD834"#, count: CombiningMarks.rowMax + 1)))
        #expect(!areTooMany(String(repeating: #"\u0301a"#, count: 1_000)))
        for text in [#"\"#, #"\u"#, #"\u03"#, #"\uXXXX"#, #"\uD834\u"#] { #expect(!areTooMany(text)) }
    }

    @Test("Any bytes are read, and the stream-safe text without its joiners is the text", arguments: 0..<4)
    func anyBytes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] = [
            [0xCC, 0x81], [0xE0, 0xBD, 0xB1], [0x61], [0xFF], [0xCC], [0xE0, 0xBD], [0xF0, 0x9D, 0x85, 0xA5],
        ]
        for _ in 0..<500 {
            let few = Array(pieces.shuffled(using: &generator).prefix(2))
            let count = Int.random(in: 0...200, using: &generator)
            let bytes = (0..<count).flatMap { _ in generator.pick(few) }
            let safe = bytes.withUnsafeBytes { CombiningMarks.streamSafe($0) } ?? bytes
            let joiner: [UInt8] = [0xCD, 0x8F]
            var (rest, index) = (bytes[...], 0)
            while index < safe.count {
                if safe[index...].starts(with: joiner) {
                    index += 2
                } else {
                    #expect(rest.popFirst() == safe[index])
                    index += 1
                }
            }
            #expect(rest.isEmpty)
            #expect(safe.withUnsafeBytes { CombiningMarks.streamSafe($0) } == nil, "\(bytes)")
        }
    }
}
