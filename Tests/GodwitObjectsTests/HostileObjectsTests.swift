//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitObjectStore
import GodwitServer
import Testing

@testable import GodwitObjects

@Suite("Numbers and texts that are meant to do harm")
struct HostileObjectsTests {
    @Test("A piece of a damaged catalogue has a possible length", arguments: [0xff, 0x80, 0x7f] as [UInt8])
    func pieces(_ first: UInt8) {
        let row = [UInt8](repeating: 1, count: BlobID.byteCount) + [first] + [UInt8](repeating: 0xff, count: 7)
        #expect(Piece.decode(row).map(\.byteCount) == [ObjectLimits.uploadBytesMax])
        #expect(Piece(blob: BlobID(digest: []), byteCount: .min).byteCount == 0)
    }

    @Test("A revoked token is not valid in any other form of its text")
    func revokedToken() async throws {
        try await withStorage { storage in
            let account = storage.account
            try await storage.module.directory.run { directory in
                let token = try KeystoneToken(for: account, in: directory)
                #expect(try KeystoneToken(token.text, in: directory) != nil)
                try token.revoke(in: directory)
                let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                for end in digits.map(String.init) + ["", "="] {
                    #expect(try KeystoneToken(token.text.dropLast() + end, in: directory) == nil)
                }
                #expect(try KeystoneToken(token.text + "=", in: directory) == nil)
            }
        }
    }

    @Test("A policy is met only by a field with the same bytes")
    func policy() throws {
        let text =
            #"{"expiration":"2999-01-01T00:00:00Z","conditions":[["eq","$key","\#u{E9}"],["starts-with","$a","b/"]]}"#
        let policy = try S3Policy(Data(text.utf8).base64EncodedString())
        try policy.check(["key": "\u{E9}", "a": "b/c"])
        #expect(throws: (any Error).self) { try policy.check(["key": "e\u{301}", "a": "b/c"]) }
        #expect(throws: (any Error).self) { try policy.check(["key": "\u{E9}", "a": "b"]) }
        try policy.check(["key": "\u{E9}", "a": "b/\u{301}"])
    }

    @Test("The length of a chunk is digits without a sign", arguments: ["+3", "-3", "0x3", "", "fffffffffffffffff"])
    func chunks(_ length: String) throws {
        var payload = ChunkedPayload(signing: nil, hasTrailers: false)
        #expect(try payload.read(Array("3\r\nabc\r\n".utf8)) == Array("abc".utf8))
        #expect(throws: HTTPFailure.self) { try payload.read(Array("\(length)\r\nabc\r\n0\r\n\r\n".utf8)) }
    }

    @Test("A policy permits only fields whose names it contains with the same bytes")
    func policyNames() throws {
        let text = #"{"expiration":"2999-01-01T00:00:00Z","conditions":[["starts-with","$x-amz-meta-\#u{E9}",""]]}"#
        let policy = try S3Policy(Data(text.utf8).base64EncodedString())
        try policy.check(["x-amz-meta-\u{E9}": "v"])
        #expect(throws: (any Error).self) { try policy.check(["x-amz-meta-e\u{301}": "v"]) }
        #expect(throws: (any Error).self) {
            try policy.check(["x-amz-meta-\u{E9}": "v", "x-amz-meta-e\u{301}": "v"])
        }
    }

    @Test("Entity tags are separated by commas, whatever follows them")
    func entityTags() {
        let tags = EntityTags("\"a\", W/\"b\",\u{301}c")
        #expect(tags.contains("a") && tags.contains("b") && !tags.contains("c"))
        #expect(EntityTags(" * ").contains("x"))
    }
}
