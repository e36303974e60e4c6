//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@Suite("Grammar of RFC 8259")
struct GrammarTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "7", "-12", "1234567890123456789012345678901234567890", "0.5", "-0.0",
        "1e5", "1E+5",
        "1e-5", "10.25e007", "0e999999999999999999999", "1e-999999999999999999999", "1.7976931348623157e308", #""""#,
        #""a""#,
        #""\"\\\/\b\f\n\r\t""#, #""\u0000\u00e9\uFFFF""#, #""\ud83d\uDE00""#, #""é€😀""#, "\"\u{7F}\"", "[]", "{}",
        "[ ]", "{ }",
        "[1,[2,[]],{}]", #"{"a":1,"a":2,"":{}}"#, " \t\r\n[ 1 , 2 ] \n", #" { "a" : [ ] , "b" : { } } "#, "[[[[]]]]",
        "[1.5,\"x\",null]",
    ])
    func accepts(_ text: String) {
        #expect(refusal(of: text) == nil)
    }

    @Test(arguments: [
        "nul", "nulL", "truE", "True", "fals", "+1", "-", "--1", "01", "-01", "00", ".5", "1.", "1.e5", "1e", "1e+",
        "1e5.", "1.5.5", "0x10",
        "1_000", "NaN", "Infinity", "-Infinity", "1 2", "[1 2]", "[1,]", "[,1]", "[,]", "[1,,2]", "[", "]", "[1", "[1,",
        "[1}", "{", "}",
        "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, "{a:1}", "{'a':1}",
        "{1:1}",
        #"{"a":1"#, #"{"a":"#, #"{"a""#, #"{"a"#, #"""#, #""a"#, #""\"#, #""\x""#, #""\u12""#, #""\u12G4""#, #""\u"#,
        "\"\t\"", "\"\n\"",
        "\"\u{0}\"", "'a'", "/* */1", "1//", "\u{FEFF}1", "\u{A0}1", "\u{C}1", "[1]]", "{}{}", "[]x", "nullnull",
        "tru\"", "",
        " ", "\u{0}",
    ])
    func refuses(_ text: String) throws {
        let error = try #require(refusal(of: text))
        #expect(error.code == .syntax || error.code == .unexpectedEnd)
    }

    @Test(arguments: [
        #""\ud800""#, #""\uDFFF""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\ud800\u0041""#,
        #""\udc00\ud800""#,
        #"{"\ud800":1}"#,
    ])
    func refusesUnpairedSurrogates(_ text: String) {
        #expect(refusal(of: text)?.code == .unpairedSurrogate)
    }

    @Test(arguments: ["1e309", "-1e309", "1.8e308", "1.7976931348623159e308", "123e400000000000000000000", "[0.1e310]"])
    func refusesNumbersBeyondFiniteDoubles(_ text: String) {
        #expect(refusal(of: text)?.code == .numberOutOfRange)
    }

    @Test("A long number with a fraction is converted from its digits")
    func longFraction() {
        let nines = String(repeating: "9", count: 308)
        #expect(refusal(of: nines + ".5") == nil)
        #expect(refusal(of: nines + "99.5")?.code == .numberOutOfRange)
        #expect(refusal(of: nines + "99") == nil)
    }

    @Test("Each proper prefix of a document is refused")
    func prefixes() {
        let text = Array(#"{"a":[1.5e3,true,"x\u00e9\ud83d\ude00é",null],"b":{"c":-0}}"#.utf8)
        #expect(refusal(of: text) == nil)
        for count in 0..<text.count {
            #expect(refusal(of: Array(text.prefix(count))) != nil)
        }
    }

    @Test("The end of a run of plain text is found at every offset")
    func runs() {
        for length in 0..<40 {
            let run = String(repeating: "a", count: length)
            #expect(refusal(of: "\"\(run)\"") == nil)
            #expect(refusal(of: "\"\(run)\\n\(run)\"") == nil)
            #expect(refusal(of: "\"\(run)é\(run)\"") == nil)
            #expect(refusal(of: "\"\(run)\n\(run)\"")?.offset == length + 1)
            #expect(refusal(of: "\"\(run)\u{1F}!\(run)\"")?.offset == length + 1)
        }
    }
}
