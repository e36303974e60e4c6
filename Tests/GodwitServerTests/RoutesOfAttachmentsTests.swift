//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@Suite("Routes of attachments", .endsWhenHung)
struct RoutesOfAttachmentsTests {
    private static let bytes = Array("twenty-six bytes of a song".utf8)

    /// Runs `body` with a server with the document `tern` and its attachment `song`.
    private func withSong(_ body: (TestServer, TestAnswer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let saved = try await server.send(
                .put, "/db/tern/song", headers: [.contentType: "audio/x-song"], body: Self.bytes)
            try await body(server, saved)
        }
    }

    @Test("An attachment creates its document, and is read with its type and digest")
    func life() async throws {
        try await withSong { server, saved in
            #expect(saved.status == 201)
            let read = try await server.send(.get, "/db/tern/song")
            #expect(read.body == Self.bytes)
            #expect(read.headers[.contentType] == "audio/x-song")
            let stub = try await server.send(.get, "/db/tern")["_attachments"]?["song"]
            #expect(stub?["stub"] == true)
            #expect(stub?["length"] == 26)
            #expect(stub?["revpos"] == 1)
            let revision = try #require(saved["rev"]?.stringValue)
            #expect(try await server.send(.delete, "/db/tern/song?rev=\(revision)").status == 200)
            let gone = try await server.send(.get, "/db/tern/song")
            #expect(gone.status == 404)
            #expect(gone["reason"] == "Document is missing attachment")
        }
    }

    @Test("A range of an attachment, and one that does not exist")
    func ranges() async throws {
        try await withSong { server, _ in
            let part = try await server.send(.get, "/db/tern/song", headers: [.range: "bytes=7-9"])
            #expect(part.status == 206)
            #expect(part.text == "six")
            #expect(part.headers[.contentRange] == "bytes 7-9/26")
            let beyond = try await server.send(.get, "/db/tern/song", headers: [.range: "bytes=26-"])
            #expect(beyond.status == 416)
        }
    }

    @Test("An attachment within its document, in Base64")
    func inline() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let attachment: JSONValue = ["content_type": "text/plain", "data": "c29uZw=="]
            try await server.send(.put, "/db/tern", json: ["_attachments": ["song": attachment]])
            #expect(try await server.send(.get, "/db/tern/song").text == "song")
            let whole = try await server.send(
                .get, "/db/tern?attachments=true", headers: [.accept: "application/json"])
            #expect(whole["_attachments"]?["song"]?["data"] == "c29uZw==")
        }
    }

    @Test("A client with the current attachment gets 304; a wrong digest is refused")
    func digest() async throws {
        try await withSong { server, saved in
            let tag = try #require(try await server.send(.get, "/db/tern/song").headers[.eTag])
            let known = try await server.send(.get, "/db/tern/song", headers: [.ifNoneMatch: tag])
            #expect(known.status == 304)
            let revision = try #require(saved["rev"]?.stringValue)
            let wrong = try await server.send(
                .put, "/db/tern/song?rev=\(revision)",
                headers: [.contentType: "a/b", HTTPField.Name("Content-MD5")!: "AAAAAAAAAAAAAAAAAAAAAA=="],
                body: Self.bytes)
            #expect(wrong.status == 400)
            #expect(wrong["error"] == "content_md5_mismatch")
        }
    }
}
