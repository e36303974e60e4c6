//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@Suite("Routes of documents", .endsWhenHung)
struct RoutesOfDocumentsTests {
    @Test("A document is created, read, changed at its revision and deleted")
    func life() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let made = try await server.send(.put, "/db/tern", json: ["wings": 2])
            #expect(made.status == 201)
            let first = try #require(made["rev"]?.stringValue)
            #expect(first.hasPrefix("1-"))
            #expect(made.headers[.eTag] == "\"\(first)\"")
            #expect(made.headers[.location] == "http://localhost:5984/db/tern")
            let read = try await server.send(.get, "/db/tern")
            #expect(try read.json == ["_id": "tern", "_rev": .string(first), "wings": 2])
            let changed = try await server.send(.put, "/db/tern?rev=\(first)", json: ["wings": 3])
            let second = try #require(changed["rev"]?.stringValue)
            #expect(second.hasPrefix("2-"))
            let deleted = try await server.send(.delete, "/db/tern?rev=\(second)")
            #expect(deleted.status == 200)
            let gone = try await server.send(.get, "/db/tern")
            #expect(gone.status == 404)
            #expect(try gone.json == ["error": "not_found", "reason": "deleted"])
        }
    }

    @Test("A concurrent write is a conflict", arguments: ["", "?rev=1-967a00dff5e02add41819138abb3284d"])
    func conflict(_ query: String) async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            try await server.send(.put, "/db/tern", json: ["wings": 2])
            let answer = try await server.send(.put, "/db/tern\(query)", json: ["wings": 3])
            #expect(answer.status == 409)
            #expect(try answer.json == ["error": "conflict", "reason": "Document update conflict."])
        }
    }

    @Test("Replicated revisions become conflicts, which the winner lists")
    func conflicts() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            for digits in ["a", "b"] {
                let answer = try await server.send(
                    .put, "/db/tern?new_edits=false", json: ["_rev": "1-\(digits)", "from": .string(digits)])
                #expect(answer.status == 201)
            }
            let winner = try await server.send(.get, "/db/tern?conflicts=true")
            #expect(winner["from"] == "b")
            #expect(winner["_conflicts"] == ["1-a"])
            let open = try await server.send(.get, "/db/tern?open_revs=all", headers: [.accept: "application/json"])
            #expect(try open.json.arrayValue?.count == 2)
            let loser = try await server.send(.get, "/db/tern?rev=1-a")
            #expect(loser["from"] == "a")
        }
    }

    @Test("The history of a document, with the status of each revision")
    func revisions() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let first = try #require(try await server.send(.put, "/db/tern", json: [:])["rev"]?.stringValue)
            let second = try #require(
                try await server.send(.put, "/db/tern", json: ["_rev": .string(first), "n": 2])["rev"]?.stringValue)
            let revisions = try await server.send(.get, "/db/tern?revs=true")["_revisions"]
            #expect(revisions?["start"] == 2)
            #expect(revisions?["ids"] == [.string(String(second.dropFirst(2))), .string(String(first.dropFirst(2)))])
            let info = try await server.send(.get, "/db/tern?revs_info=true")["_revs_info"]
            #expect(info?[0] == ["rev": .string(second), "status": "available"])
            let old = try await server.send(.get, "/db/tern?rev=\(first)")
            #expect(old["_rev"] == .string(first))
        }
    }

    @Test("A client with the current revision gets 304; another one gets the document")
    func knownRevision() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let tag = try #require(try await server.send(.put, "/db/tern", json: [:]).headers[.eTag])
            let known = try await server.send(.get, "/db/tern", headers: [.ifNoneMatch: tag])
            #expect(known.status == 304)
            #expect(known.body.isEmpty)
            #expect(known.headers[.eTag] == tag)
            let other = try await server.send(.get, "/db/tern", headers: [.ifNoneMatch: "\"1-x\""])
            #expect(other.status == 200)
        }
    }

    @Test("HEAD is GET without the body")
    func head() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            try await server.send(.put, "/db/tern", json: ["wings": 2])
            let (head, get) = (try await server.send(.head, "/db/tern"), try await server.send(.get, "/db/tern"))
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.isComplete)
            for name in [HTTPField.Name.contentLength, .contentType, .eTag] {
                #expect(head.headers[name] == get.headers[name])
            }
            #expect(try await server.send(.head, "/db/gull").status == 404)
        }
    }

    @Test("A document without an id gets one")
    func post() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let made = try await server.send(.post, "/db", json: ["wings": 2])
            #expect(made.status == 201)
            let id = try #require(made["id"]?.stringValue)
            #expect(id.count == 32)
            #expect(try await server.send(.get, "/db/\(id)")["wings"] == 2)
        }
    }

    @Test("COPY creates another document")
    func copy() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            try await server.send(.put, "/db/tern", json: ["wings": 2])
            let copied = try await server.send(
                HTTPRequest.Method("COPY")!, "/db/tern", headers: [HTTPField.Name("Destination")!: "gull"])
            #expect(copied.status == 201)
            #expect(try await server.send(.get, "/db/gull")["wings"] == 2)
        }
    }

    @Test("A local document has separate revisions and is in no list")
    func local() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            #expect(try await server.send(.put, "/db/_local/here", json: ["x": 1])["rev"] == "0-1")
            #expect(try await server.send(.get, "/db/_local/here")["x"] == 1)
            #expect(try await server.send(.get, "/db/_all_docs")["total_rows"] == 0)
            #expect(try await server.send(.delete, "/db/_local/here?rev=0-1").status == 200)
            #expect(try await server.send(.get, "/db/_local/here").status == 404)
        }
    }
}
