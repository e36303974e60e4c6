//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Incoming documents")
struct IncomingDocumentTests {
    private func body(_ text: String, purpose: IncomingDocument.Purpose = .edit) throws -> String {
        String(decoding: try incoming(text, purpose: purpose).body, as: UTF8.self)
    }

    @Test(
        "The body's bytes stay unchanged",
        arguments: [
            #"{"b": 1 ,"a":[1.50, 1e2, -0],  "c":"\u0041\/é" }"#, #"{"a":{"_x":1,"_id":2}}"#, "{\"a\":\n\t1}",
            #"{"n":123456789012345678901234567890}"#, #"{"":{"":""}}"#,
        ])
    func unchanged(text: String) throws {
        #expect(try body(text) == text)
        #expect(try body(text, purpose: .replication) == text)
        #expect(try body(" \n\(text)\r\n ") == text)
    }

    @Test(
        "Reserved members are removed, and nothing else is changed",
        arguments: [
            (#"{"_id":"a","b": 1.50}"#, #"{"b": 1.50}"#),
            (#"{ "b" : [ 1, 2 ] , "_rev" : "1-a" , "c" : { "_id" : 1 } }"#, #"{"b" : [ 1, 2 ],"c" : { "_id" : 1 }}"#),
            (#"{"_id":"a"}"#, "{}"), ("{ }", "{}"), ("{\n}", "{}"), (#"{"\u005fid":"a","\u0062":1}"#, #"{"\u0062":1}"#),
            (#"{"_conflicts":["2-a"],"_deleted_conflicts":[],"_revs_info":[{}],"_local_seq":7,"a":1}"#, #"{"a":1}"#),
        ])
    func reservedMembers(text: String, expected: String) throws {
        #expect(try body(text) == expected)
    }

    @Test(
        "Of duplicate members the last wins, at any depth",
        arguments: [
            (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":1,"b":0,"\u0061":2}"#, #"{"b":0,"\u0061":2}"#),
            (#"{"a":{"x":1,"x":2},"b":[{"y":1,"y":[3]}]}"#, #"{"a":{"x":2},"b":[{"y":[3]}]}"#),
            (#"{"a":{"x":1,"x":2},"_id":"i","a":{"x":3,"x":4}}"#, #"{"a":{"x":4}}"#),
            ("{\"\u{E9}\":1,\"e\u{301}\":2,\"z\":{\"a\":1,\"a\":2}}", "{\"\u{E9}\":1,\"e\u{301}\":2,\"z\":{\"a\":2}}"),
            ("{\"\u{E9}\":1,\"e\u{301}\":2,\"a\":1,\"a\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2,\"a\":2}"),
        ])
    func duplicates(text: String, expected: String) throws {
        let found = try body(text)
        #expect(found.utf8.elementsEqual(expected.utf8), "\(found)")
        #expect(try incoming(text).canonicalBody == incoming(expected).canonicalBody)
    }

    @Test("Of duplicate reserved members the last wins")
    func duplicateReservedMembers() throws {
        let document = try incoming(
            #"{"_id":"a","_rev":"1-a","_deleted":true,"_id":"b","_rev":"2-b","_deleted":false}"#)
        #expect(document.id == "b" && document.revision?.description == "2-b" && !document.isDeleted)
    }

    @Test("A body at the limit is accepted, one byte more is refused")
    func bodyBytesMax() throws {
        var limits = StoreLimits()
        limits.bodyBytesMax = 100
        let frame = #"{"a":""}"#.utf8.count
        func text(_ bytes: Int) -> String { #"{"_id":"x","a":"\#(String(repeating: "y", count: bytes - frame))"}"# }
        #expect(try incoming(text(100), limits: limits).body.count == 100)
        let error = #expect(throws: StoreError.self) { try incoming(text(101), limits: limits) }
        #expect(error?.code == .documentTooLarge)
        #expect(error?.message.contains("y") == false || error?.message.contains("yyy") == false)
    }

    @Test("Ten thousand levels are accepted, one more is refused")
    func depth() throws {
        func text(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(try incoming(text(10_000)).body.count == 20_004)
        let error = #expect(throws: StoreError.self) { try incoming(text(10_001)) }
        #expect(error?.code == .invalidJSON)
    }

    @Test("A deep document is saved and read back")
    func deepDocument() async throws {
        try await withDatastore { store in
            let text = #"{"a":"# + String(repeating: "[", count: 9_999) + String(repeating: "]", count: 9_999) + "}"
            let revision = try await store.save(#"{"_id":"d","# + text.dropFirst())
            #expect(try store.body("d", at: revision) == text)
        }
    }

    @Test(
        "A body that is not a JSON object is refused",
        arguments: [
            ("", StoreError.Code.invalidJSON), ("{", .invalidJSON), (#"{"a":1,}"#, .invalidJSON),
            (#"{"a":NaN}"#, .invalidJSON),
            (#"{"a":1e400}"#, .invalidJSON), (#"{"a":"\ud800"}"#, .invalidJSON), ("{} {}", .invalidJSON),
            ("[]", .invalidRequest), ("1", .invalidRequest), ("null", .invalidRequest), (#""a""#, .invalidRequest),
        ])
    func refused(text: String, code: StoreError.Code) {
        let error = #expect(throws: StoreError.self) { try incoming(text) }
        #expect(error?.code == code)
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let text = Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
        let error = #expect(throws: StoreError.self) {
            try IncomingDocument(parsing: text, purpose: .edit, limits: .default)
        }
        #expect(error?.code == .invalidJSON)
    }

    @Test("A document within a longer text")
    func withinText() throws {
        let tape = try JSONTape(scanning: Array(#"{"docs":[{"_id":"a","n":1},{"_id":"b","n":2,"n":3},7]}"#.utf8))
        let elements = try Array(tape.elements(of: #require(tape.member("docs", of: 0))))
        let documents = try elements.prefix(2).map {
            try IncomingDocument(tape, at: $0, purpose: .edit, limits: .default)
        }
        #expect(documents.map(\.id) == ["a", "b"])
        #expect(documents.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"n":1}"#, #"{"n":3}"#])
        #expect(throws: StoreError.self) {
            try IncomingDocument(tape, at: elements[2], purpose: .edit, limits: .default)
        }
    }
}
