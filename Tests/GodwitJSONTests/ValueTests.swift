//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@Suite("Values")
struct ValueTests {
    @Test func literalsAndText() {
        let value: JSONValue = ["s": "x\n", "i": -2, "d": 2.0, "b": true, "n": nil, "a": [1, [], [:]]]
        #expect(value.jsonText() == #"{"s":"x\n","i":-2,"d":2.0,"b":true,"n":null,"a":[1,[],{}]}"#)
        #expect("\(value)" == value.jsonText())
        #expect(try! JSONValue(parsing: value.jsonBytes()) == value)
    }

    @Test func accessors() {
        let value: JSONValue = ["s": "x", "i": 2, "d": 2.5, "b": false, "n": nil, "a": [1]]
        #expect(value["s"]?.stringValue == "x")
        #expect(value["i"]?.intValue == 2)
        #expect(value["d"]?.doubleValue == 2.5)
        #expect(value["b"]?.boolValue == false)
        #expect(value["n"]?.isNull == true)
        #expect(value["a"]?.arrayValue == [1])
        #expect(value["a"]?[0] == 1)
        #expect(value["a"]?[1] == nil)
        #expect(value.objectValue?.count == 6)
        #expect(value["x"] == nil)
        #expect(value["s"]?["x"] == nil)
        #expect(value["s"]?.intValue == nil)
    }

    @Test func changes() {
        var value: JSONValue = ["a": 1, "b": [1, 2, 3]]
        value["a"] = 2
        value["c"] = [:]
        value["c"]?["d"] = "deep"
        value["b"]?[1] = nil
        value["b"]?[0] = "first"
        value["b"]?[9] = "beyond"
        #expect(value.jsonText() == #"{"a":2,"b":["first",3],"c":{"d":"deep"}}"#)
        value["a"] = nil
        value["missing"] = nil
        #expect(value.jsonText() == #"{"b":["first",3],"c":{"d":"deep"}}"#)
        var null = JSONValue.null
        null["a"] = 1
        #expect(null == ["a": 1])
        var string: JSONValue = "text"
        string["a"] = 1
        #expect(string == "text")
    }

    @Test("Composed and decomposed letters differ")
    func canonicalEquivalence() throws {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.objectValue?.count == 2)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test func lastDuplicateWins() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#).jsonText() == #"{"b":2,"a":3}"#)
    }

    @Test func quotes() {
        var output: [UInt8] = []
        JSONWriter.appendQuoted("a\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}é😀", to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u{7F}é😀\"")
    }

    @Test func integers() {
        for integer in [0, 9, 10, -1, 1234567890, Int.max, Int.min] {
            var output: [UInt8] = []
            JSONWriter.append(integer, to: &output)
            #expect(String(decoding: output, as: UTF8.self) == String(integer))
        }
    }
}
