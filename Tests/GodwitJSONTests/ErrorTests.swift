//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@Suite("Errors")
struct ErrorTests {
    @Test(
        "An error has the offset of the wrong byte",
        arguments: [
            ("", JSONError.Code.unexpectedEnd, 0), ("[1, 2", .unexpectedEnd, 5), ("[1 2]", .syntax, 3),
            (#"{"é" 1}"#, .syntax, 6),
            (#"{"a":1,}"#, .syntax, 7), ("nulx", .syntax, 3), ("012", .syntax, 1), ("1.x", .syntax, 2),
            ("1e", .unexpectedEnd, 2), ("-", .unexpectedEnd, 1),
            ("\"a\nb\"", .syntax, 2), (#""a\qb""#, .syntax, 3), (#""a\u00g0""#, .syntax, 6),
            (#"["ab\ud800"]"#, .unpairedSurrogate, 4),
            ("[1,1e999]", .numberOutOfRange, 3), ("[] []", .syntax, 3), (#""abc"#, .unexpectedEnd, 4),
            ("[1}", .syntax, 2), (#"{"a":1]"#, .syntax, 6),
        ])
    func offset(text: String, code: JSONError.Code, offset: Int) {
        let error = refusal(of: text)
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    @Test func describesItselfWithoutTheText() throws {
        let error = try #require(refusal(of: #"{"secret": hidden}"#))
        #expect(error.description == "the text is not JSON, at byte 11: expected a value")
        #expect(!error.description.contains("hidden"))
    }

    @Test func saysWhatIsWrongAndWhere() {
        #expect(
            refusal(of: #"{"type":"trip","km"#)?.description
                == "the text ends before the end of the JSON, at byte 18: expected the end of a string")
    }

    @Test func sameErrorFromEveryEntry() throws {
        let bytes = Array("[1,]".utf8)
        let expected = try #require(refusal(of: bytes))
        #expect(throws: expected) { try JSONTape(scanning: bytes) }
        #expect(throws: expected) { try JSONValue(parsing: bytes) }
        #expect(throws: expected) { try JSONValue(parsing: "[1,]") }
    }
}
