//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import Testing

@Suite("Hexadecimal digits and percent escapes")
struct EncodingTests {
    @Test("Each byte has two digits, which are read in either case")
    func hexadecimal() {
        let bytes = (UInt8.min ... .max).map { $0 }
        let digits = bytes.hexadecimal
        #expect(digits.hasPrefix("000102") && digits.hasSuffix("fdfeff"))
        #expect([UInt8](hexadecimal: digits.utf8) == bytes)
        #expect([UInt8](hexadecimal: digits.uppercased(), count: 256) == bytes)
    }

    @Test("Other strings are not hexadecimal", arguments: ["a", "0g", " 0", "é0"])
    func notHexadecimal(text: String) {
        #expect([UInt8](hexadecimal: text.utf8) == nil)
    }

    @Test(
        "A percent-encoded string is decoded to the original string",
        arguments: ["", "a b", "ä/ö?=&%", "\u{0}~._-"])
    func percent(text: String) {
        let encoded = text.percentEncoded
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
        #expect([UInt8](percentEncoded: encoded.utf8) == Array(text.utf8))
    }

    @Test("A path of a single dot is escaped, because clients remove it")
    func dots() {
        #expect(".".percentEncoded == "%2E")
        #expect("..".percentEncoded == "%2E%2E")
        #expect("a/b".percentEncoded(keeping: "/") == "a/b")
    }

    @Test("A plus is decoded as a space if requested")
    func plus() {
        #expect([UInt8](percentEncoded: "a+b".utf8) == Array("a+b".utf8))
        #expect([UInt8](percentEncoded: "a+b".utf8, plusIsSpace: true) == Array("a b".utf8))
    }

    @Test("An invalid escape is refused", arguments: ["%", "%2", "%2x", "a%"])
    func broken(text: String) {
        #expect([UInt8](percentEncoded: text.utf8) == nil)
    }
}
