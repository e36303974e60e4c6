//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@Suite("Tape")
struct TapeTests {
    @Test func kindsAndRanges() throws {
        let tape = try tape(#" {"a":[null,true,false,1,1.5,"x"],"b":{}} "#)
        #expect(tape.kind(0) == .object)
        #expect(tape.range(0) == 1..<tape.bytes.count - 1)
        #expect(tape.count(of: 0) == 2)
        let array = try #require(tape.member("a", of: 0))
        #expect(tape.elements(of: array).map { tape.kind($0) } == [.null, .true, .false, .integer, .double, .string])
        #expect(
            tape.elements(of: array).map { String(decoding: tape.slice($0), as: UTF8.self) } == [
                "null", "true", "false", "1", "1.5", #""x""#,
            ])
        #expect(tape.count(of: array) == 6)
        #expect(tape.elements(of: array).map { tape.bool($0) } == [nil, true, false, nil, nil, nil])
        #expect(tape.elements(of: array).map { tape.int($0) } == [nil, nil, nil, 1, nil, nil])
        let object = try #require(tape.member("b", of: 0))
        #expect(tape.kind(object) == .object)
        #expect(Array(tape.members(of: object)).isEmpty)
        #expect(Array(tape.elements(of: object)).isEmpty)
        #expect(Array(tape.members(of: array)).isEmpty)
    }

    @Test func scalarsAtTheRoot() throws {
        #expect(try tape("12").int(0) == 12)
        #expect(try tape(#""x""#).string(0) == "x")
        #expect(try tape("true").bool(0) == true)
        #expect(try tape("12").count(of: 0) == 0)
        #expect(try tape("12").member("a", of: 0) == nil)
    }

    @Test func membersInOrder() throws {
        let tape = try tape(#"{"z":[1,{"y":2}],"a":{"b":3},"z":4,"\u0061":5}"#)
        #expect(tape.members(of: 0).map { tape.string($0.key) } == ["z", "a", "z", "a"])
        #expect(tape.members(of: 0).map { tape.kind($0.value) } == [.array, .object, .integer, .integer])
    }

    @Test("The last of duplicate members is found, with and without escapes")
    func memberLastWins() throws {
        let tape = try tape(#"{"a":1,"b":2,"\u0061":3,"é":4}"#)
        #expect(tape.member("a", of: 0).flatMap { tape.int($0) } == 3)
        #expect(tape.member("b", of: 0).flatMap { tape.int($0) } == 2)
        #expect(tape.member("c", of: 0) == nil)
        for (name, value) in [("a", 3), ("b", 2), ("é", 4)] {
            #expect(tape.member(name, of: 0).flatMap { tape.int($0) } == value)
        }
        #expect(tape.member("e\u{301}", of: 0) == nil)
    }

    @Test(
        "Strings are unescaped",
        arguments: [
            (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00E9\u20ac\ud83d\ude00""#, "Aé€😀"),
            (#""é\n€""#, "é\n€"), (#""\u0000""#, "\u{0}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
        ])
    func strings(json: String, text: String) throws {
        #expect(try tape(json).string(0) == text)
    }

    @Test func keys() throws {
        let tape = try tape(#"{"_id":1,"\u005fid":2,"":3,"\ud83d\ude00":4,"é":5,"_i":6,"longer than eight bytes":7}"#)
        let keys = tape.members(of: 0).map(\.key)
        #expect(keys.map { tape.keyEquals($0, "_id") } == [true, true, false, false, false, false, false])
        #expect(keys.map { tape.keyFirstByte($0) } == [0x5F, 0x5F, nil, 0xF0, 0xC3, 0x5F, 0x6C])
        #expect(tape.keyEquals(keys[2], ""))
        #expect(tape.keyEquals(keys[3], "😀"))
        #expect(tape.keyEquals(keys[6], "longer than eight bytes"))
        #expect(!tape.keyEquals(keys[6], "longer than eight bytez"))
        #expect(!tape.keyEquals(keys[6], "monger than eight bytes"))
    }

    @Test func valueOfASubtree() throws {
        let tape = try tape(#"{"a":[1,"x",{"b":null}],"c":2}"#)
        let array = try #require(tape.member("a", of: 0))
        #expect(try tape.value(array) == [1, "x", ["b": nil]])
        #expect(try tape.value(0) == ["a": [1, "x", ["b": nil]], "c": 2])
    }
}
