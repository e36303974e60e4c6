//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@Suite("Canonical form")
struct CanonicalTests {
    @Test("The example of RFC 8785, section 3.2")
    func publishedExample() throws {
        let text = #"""
            {
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }
            """#
        let expected =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
            + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        #expect(try canonical(text) == expected)
    }

    @Test("The sorting example of RFC 8785, section 3.2.3")
    func publishedSorting() throws {
        let text = #"""
            {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
             "\ud83d\ude00": "Emoji: Grinning Face",
             "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}
            """#
        let tape = try JSONTape(scanning: Array(canonical(text).utf8))
        #expect(
            tape.members(of: 0).map { tape.string($0.value) } == [
                "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
                "Emoji: Grinning Face",
                "Hebrew Letter Dalet With Dagesh",
            ]
        )
    }

    @Test(
        "The numbers of RFC 8785, appendix B",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
            (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func publishedNumbers(bits: UInt64, text: String) throws {
        #expect(try canonical(JSONValue.double(Double(bitPattern: bits)).jsonText()) == text)
    }

    @Test(
        "Integers keep their digits, other numbers get ECMAScript's format",
        arguments: [
            ("-0", "0"), ("0", "0"), ("-1", "-1"), ("12345678901234567890123", "12345678901234567890123"), ("1.0", "1"),
            ("-0.0", "0"), ("1e2", "100"),
            ("1E21", "1e+21"), ("123.4500e1", "1234.5"), ("0.00000123", "0.00000123"), ("0.000000123", "1.23e-7"),
            ("1.5e-9", "1.5e-9"), ("12.5e300", "1.25e+301"),
            ("0.1000", "0.1"), ("100.25", "100.25"), ("1e-400", "0"), ("0e5", "0"),
            ("123456789012345678.5", "123456789012345680"), ("10.0", "10"), ("1e20", "100000000000000000000"),
            ("0.30000000000000004", "0.30000000000000004"), ("21.916510321000001", "21.916510321"),
            ("1230e18", "1.23e+21"), ("-0.000001", "-0.000001"),
        ])
    func numbers(text: String, expected: String) throws {
        #expect(try canonical(text) == expected)
    }

    @Test func stringsTakeTheShortestEscapes() throws {
        #expect(try canonical(#"["\u001F\u007f\/\u0008\u000c\u00e9é"]"#) == "[\"\\u001f\u{7F}/\\b\\féé\"]")
    }

    @Test("Members in any order give the same bytes")
    func everyOrder() throws {
        let members = ["\"a\":1", "\"aaaaaaaaB\":2", "\"aaaaaaaaA\":3", "\"b\":[ {\"d\":1, \"c\":2} ]", "\"\":5"]
        let expected = #"{"":5,"a":1,"aaaaaaaaA":3,"aaaaaaaaB":2,"b":[{"c":2,"d":1}]}"#
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            let text = "{ " + members.shuffled(using: &generator).joined(separator: " , ") + "}"
            #expect(try canonical(text) == expected)
        }
    }

    @Test("Few and many names are sorted alike", arguments: [2, 23, 24, 25, 26, 300])
    func manyMembers(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let names = (0..<count).map { "name \($0 * 7919 % 1_000)" }
        let text = "{" + names.shuffled(using: &generator).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        let tape = try JSONTape(scanning: Array(canonical(text).utf8))
        #expect(tape.members(of: 0).map { tape.string($0.key) } == names.sorted())
    }

    @Test("A short name sorts before the same name followed by a zero byte")
    func zeros() throws {
        #expect(try canonical(#"{"a\u0000":1,"a":2,"\u0000":3,"":4}"#) == #"{"":4,"\u0000":3,"a":2,"a\u0000":1}"#)
    }

    @Test("An escaped name sorts like the unescaped one, below and above the surrogates")
    func escapedNames() throws {
        let expected = "{\"\u{E9}aaaaaaa\":1,\"\u{1F600}aaaaaaa\":2,\"\u{E000}aaaaaaa\":3,\"\u{FFFF}aaaaaaa\":4}"
        let escaped = [
            #""\u00e9aaaaaaa":1"#, #""\ud83d\ude00aaaaaaa":2"#, #""\ue000aaaaaaa":3"#, #""\uffffaaaaaaa":4"#,
        ]
        let plain = expected.dropFirst().dropLast().split(separator: ",").map(String.init)
        for pattern in 0..<16 {
            let members = (0..<4).map { pattern >> $0 & 1 == 0 ? plain[$0] : escaped[$0] }
            #expect(try canonical("{\(members.joined(separator: ","))}") == expected)
            #expect(try canonical("{\(members.reversed().joined(separator: ","))}") == expected)
        }
    }

    @Test("Only the members of the value itself are dropped")
    func underscores() throws {
        let text = #"{"_id":"x","b":{"_c":1},"\u005frev":"1-a","a_":2,"_":3}"#
        #expect(try canonical(text, droppingUnderscoredMembers: true) == #"{"a_":2,"b":{"_c":1}}"#)
        #expect(try canonical(#"{"_id":1}"#, droppingUnderscoredMembers: true) == "{}")
        #expect(try canonical(#"[{"_id":1}]"#, droppingUnderscoredMembers: true) == #"[{"_id":1}]"#)
    }

    @Test func appendsBehindWhatIsThere() throws {
        var output = Array("{".utf8)
        try tape(#"{"b":[],"a":[1,[]]}"#).appendCanonical(0, droppingUnderscoredMembers: false, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == #"{{"a":[1,[]],"b":[]}"#)
    }
}
