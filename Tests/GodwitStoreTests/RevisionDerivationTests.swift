//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import Testing

@testable import GodwitStore

/// Test vectors for the framing in `RevisionID+Derivation.swift`. The expected ids were computed with Python's
/// `hashlib` from the description alone. They can never change.
@Suite("Derivation of revision ids")
struct RevisionDerivationTests {
    struct Vector: Sendable {
        var parent: String?
        var isDeleted = false
        var attachments: [(name: String, contentType: String, bytes: [UInt8])] = []
        var body = "{}"
        let expected: String
    }

    static let vectors = [
        Vector(expected: "1-cbd40d84846a38080e29f87c3e70c812"),
        Vector(body: #"{"km":42,"type":"trip"}"#, expected: "1-61d123312c30296b1ca5021ab85eb2d1"),
        Vector(
            parent: "1-0123456789abcdef0123456789abcdef", isDeleted: true,
            expected: "2-26282fc1602668403542d05a2eb73f05"),
        Vector(parent: "9-abc", body: #"{"name":"\u000f😀","é":"€"}"#, expected: "10-320b56e64ddc9a106386290763897a0c"),
        Vector(
            parent: "2-ffffffffffffffffffffffffffffffff",
            attachments: [
                ("b.txt", "text/plain", Array("hello".utf8)), ("a.bin", "application/octet-stream", []),
            ],
            body: #"{"a":[1,2.5,1e+21,null,true]}"#, expected: "3-0e7a7d64d97b099d569e2f6d1b3b76cf"),
        Vector(
            parent: "41-7051cbe5c8faecd085a3fa619e6e6337",
            attachments: [
                ("ö", "text/plain;charset=utf-8", Array(0...255)), ("z", "image/png", [0]),
            ],
            body: #"{"n":12345678901234567890}"#, expected: "42-3aa2b3e0eed489057cd280fb233a23dc"),
    ]

    @Test("Published test vectors", arguments: vectors)
    func vector(vector: Vector) throws {
        let parent = try vector.parent.map { try revision($0) }
        let fingerprints = vector.attachments.map {
            RevisionID.AttachmentFingerprint(
                name: $0.name, contentType: $0.contentType, digest: MessageDigest.Algorithm.sha256.digest(of: $0.bytes))
        }
        for order in permutations(fingerprints) {
            let derived = RevisionID.derived(
                parent: parent, isDeleted: vector.isDeleted, attachments: order,
                canonicalBody: Array(vector.body.utf8))
            #expect(derived.description == vector.expected)
        }
        #expect(try incoming(vector.body).canonicalBody == Array(vector.body.utf8))
    }

    @Test(
        "Equal edits have the same id, in any notation",
        arguments: [
            #"{"type":"trip","km":42}"#,
            #"{ "km" : 42 , "type" : "trip" }"#,
            "{\n\t\"km\": 42,\r\n\t\"type\": \"trip\"\n}",
            #"{"\u006bm":42,"type":"\u0074rip"}"#,
            #"{"_id":"other","km":42,"_deleted":false,"type":"trip"}"#,
            #"{"km":41,"km":42,"type":"trip"}"#,
        ])
    func converge(text: String) throws {
        let document = try incoming(text)
        let derived = RevisionID.derived(
            parent: nil, isDeleted: false, attachments: [], canonicalBody: document.canonicalBody)
        #expect(derived.description == "1-61d123312c30296b1ca5021ab85eb2d1")
    }

    @Test(
        "The meaning of an edit determines its id",
        arguments: [
            (#"{"a":1}"#, #"{"a":1.0}"#, true), (#"{"a":100.0}"#, #"{"a":1e2}"#, true),
            (#"{"a":-0}"#, #"{"a":0}"#, true),
            (#"{"a":1}"#, #"{"a":"1"}"#, false), (#"{"a":1}"#, #"{"b":1}"#, false), (#"{"a":[]}"#, #"{"a":{}}"#, false),
            (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#, false), (#"{"a":null}"#, "{}", false),
            (#"{"a":9007199254740993}"#, #"{"a":9007199254740992}"#, false),
            ("{\"\u{E9}\":1}", "{\"e\u{301}\":1}", false),
        ])
    func meaning(left: String, right: String, isEqual: Bool) throws {
        #expect(try (incoming(left).canonicalBody == incoming(right).canonicalBody) == isEqual)
    }

    @Test("Every part of the input affects the id")
    func parts() throws {
        func derive(
            _ parent: String? = nil, _ isDeleted: Bool = false, _ attachment: (String, String, UInt8)? = nil,
            _ body: String = "{}"
        ) throws -> RevisionID {
            let fingerprints = attachment.map {
                [
                    RevisionID.AttachmentFingerprint(
                        name: $0.0, contentType: $0.1, digest: Array(repeating: $0.2, count: 32))
                ]
            }
            return RevisionID.derived(
                parent: try parent.map { try revision($0) }, isDeleted: isDeleted, attachments: fingerprints ?? [],
                canonicalBody: Array(body.utf8))
        }
        let made = try [
            derive(), derive("1-a"), derive("1-b"), derive("2-a"), derive(nil, true), derive(nil, false, ("a", "b", 1)),
            derive(nil, false, ("ab", "", 1)), derive(nil, false, ("", "ab", 1)), derive(nil, false, ("a", "b", 2)),
            derive(nil, false, nil, #"{"a":1}"#),
        ]
        #expect(Set(made.map(\.hashText)).count == made.count)
    }

    @Test("Two stores with the same edits have the same revisions")
    func stores() async throws {
        try await withDatastore { left in
            try await withDatastore { right in
                let first = try await left.save(#"{"_id":"d","a":1,"b":"x"}"#)
                #expect(try await right.save(#"{"b":"\u0078","_id":"d", "a":1}"#) == first)
                let second = try await left.save(#"{"_id":"d","_rev":"\#(first)","_deleted":true}"#)
                #expect(try await right.save(#"{"_id":"d","_deleted":true,"_rev":"\#(first)"}"#) == second)
                #expect(second.generation == 2)
            }
        }
    }
}
