//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@Suite("Duplicate members")
struct DuplicateTests {
    @Test(
        "The last member wins and all other bytes stay",
        arguments: [
            (#"{"a":1,"a":2}"#, #"{"a":2}"#),
            (#"{ "a" : 1 , "b" : 2, "a" : 3 }"#, #"{ "b" : 2, "a" : 3 }"#),
            (#"{"a":1,"\u0061":2,"b":{"c":1,"c":2}}"#, #"{"\u0061":2,"b":{"c":2}}"#),
            (#"{"a":{"x":1,"x":2},"a":3}"#, #"{"a":3}"#),
            (
                #"{"a":{"x":1,"x":2},"b":[{"y":1},{"y":1,"y":[]}],"a":{"x":3,"x":4}}"#,
                #"{"b":[{"y":1},{"y":[]}],"a":{"x":4}}"#
            ),
            (#"{"a":1,"a":2,"a":3}"#, #"{"a":3}"#),
            (#"{"":1,"":2}"#, #"{"":2}"#),
        ])
    func lastWins(text: String, expected: String) throws {
        let before = try tape(text)
        #expect(before.hasDuplicateMembers(in: 0))
        #expect(try withoutDuplicates(text) == expected)
        #expect(try !tape(expected).hasDuplicateMembers(in: 0))
        #expect(try before.value(0) == JSONValue(parsing: expected))
        #expect(try before.value(0).jsonText() == JSONValue(parsing: expected).jsonText())
        #expect(try canonical(text) == canonical(expected))
    }

    @Test(
        "Texts without duplicates are not changed",
        arguments: [
            "1", "[]", #"{"a":1,"b":{"a":1},"A":2}"#, #" [ {"a":1}, {"a":1} ]"#, "{\"\u{E9}\":1,\"e\u{301}\":2}",
            #"{"a":1,"a\u0000":2,"":3}"#,
        ])
    func untouched(text: String) throws {
        let tape = try tape(text)
        #expect(!tape.hasDuplicateMembers(in: 0))
        #expect(try withoutDuplicates(text) == text.drop { $0 == " " })
    }

    @Test("Both algorithms find a single duplicate at any position")
    func everyPlace() throws {
        for count in [2, 5, 12, 13, 30, 100] {
            for position in 0..<count - 1 {
                let names = (0..<count - 1).map { "k\($0)" } + ["\\u006b\(position)"]
                let text = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
                #expect(try tape(text).hasDuplicateMembers(in: 0))
                #expect(try tape(withoutDuplicates(text)).count(of: 0) == count - 1)
            }
            let text = "{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}"
            #expect(try !tape(text).hasDuplicateMembers(in: 0))
        }
    }

    @Test func onlyTheSubtree() throws {
        let tape = try tape(#"[{"a":1,"a":2},{"b":1}]"#)
        let elements = Array(tape.elements(of: 0))
        #expect(tape.hasDuplicateMembers(in: elements[0]))
        #expect(!tape.hasDuplicateMembers(in: elements[1]))
        var output: [UInt8] = []
        tape.appendWithoutDuplicates(elements[0], to: &output)
        #expect(output == Array(#"{"a":2}"#.utf8))
    }
}
