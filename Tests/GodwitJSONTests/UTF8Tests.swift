//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@Suite("UTF-8")
struct UTF8Tests {
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82],
            [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xFE], [0xFF],
        ] as [[UInt8]])
    func refusesWhatIsNoUTF8(_ sequence: [UInt8]) {
        let error = refusal(of: Array("\"ab".utf8) + sequence + Array("cd\"".utf8))
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == 3)
    }

    @Test("Lead bytes, second bytes and the bytes after them are validated like the standard library does")
    func everyLeadAndSecondByte() {
        for lead in UInt8(0x80)...0xFF {
            for second in stride(from: UInt8(0x40), through: 0xF8, by: 4) {
                for tail: [UInt8] in [[], [0x80], [0xBF, 0x80], [0xBF, 0x41]] {
                    let sequence = [lead, second] + tail
                    let isValid = String(validating: sequence, as: UTF8.self) != nil
                    let error = refusal(of: [0x22] + sequence + [0x22])
                    if (error == nil) != isValid { Issue.record("\(sequence)") }
                    // After ASCII of each length up to a word, and before more ASCII.
                    for count in 0...8 {
                        let text = [UInt8](repeating: 0x61, count: count) + sequence + [0x61, 0x62]
                        if text.withUnsafeBytes(\.isUTF8) != isValid { Issue.record("\(text)") }
                    }
                }
            }
        }
    }

    @Test func refusesUTF8OutsideOfStrings() {
        #expect(refusal(of: "é")?.code == .syntax)
        #expect(refusal(of: [0x5B, 0xFF, 0x5D])?.code == .syntax)
    }

    @Test func endsInsideASequence() {
        #expect(refusal(of: [0x22, 0xE2, 0x82])?.code == .invalidUTF8)
    }
}
