//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@Suite("Errors, limits and rules across origins, with CouchDB's messages", .endsWhenHung)
struct RoutesOfErrorsTests {
    private static let json: HTTPFields = [.contentType: "application/json"]

    @Test(
        "A path that does not exist",
        arguments: [("/nowhere", "Database does not exist."), ("/db/nothing", "missing"), ("/db/_design/a", "missing")])
    func missing(_ path: String, _ reason: String) async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let answer = try await server.send(.get, path)
            #expect(answer.status == 404)
            #expect(try answer.json == ["error": "not_found", "reason": .string(reason)])
        }
    }

    @Test(
        "A method that a path does not have",
        arguments: [("/_all_dbs", "GET,HEAD"), ("/_up", "GET,HEAD"), ("/_session", "DELETE,GET,HEAD,POST")])
    func methods(_ path: String, _ allowed: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.put, path)
            #expect(answer.status == 405)
            #expect(answer.headers[.allow] == allowed)
            #expect(try answer.json == ["error": "method_not_allowed", "reason": .string("Only \(allowed) allowed")])
        }
    }

    @Test("A client without access does not learn the allowed methods")
    func methodsOfStrangers() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.put, "/_active_tasks", as: .anonymous)
            #expect(answer.status == 401)
            #expect(answer.headers[.allow] == nil)
        }
    }

    @Test("Another method in place of POST")
    func methodOverride() async throws {
        try await TestServer.run { server in
            let name = HTTPField.Name("X-HTTP-Method-Override")!
            let made = try await server.send(.post, "/db", headers: [name: "PUT"])
            #expect(made.status == 201)
            let read = try await server.send(.get, "/db", headers: [name: "DELETE"])
            #expect(read["db_name"] == "db")
        }
    }

    @Test("A POST of another type than JSON", arguments: ["text/plain", "application/x-www-form-urlencoded"])
    func types(_ type: String) async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let answer = try await server.send(
                .post, "/db/_find", headers: [.contentType: type], body: Array("{}".utf8))
            #expect(answer.status == 415)
            #expect(
                try answer.json == [
                    "error": "bad_content_type", "reason": "Content-Type must be application/json",
                ])
        }
    }

    @Test("A body that is not JSON, and one that is not an object", arguments: ["{", "[1]", "\u{1}", ""])
    func noJSON(_ body: String) async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let answer = try await server.send(.put, "/db/a", headers: Self.json, body: Array(body.utf8))
            #expect(answer.status == 400)
        }
    }

    @Test("A body above the limit is refused by its declared length, before it is read")
    func largeBody() async throws {
        var limits = ServerLimits()
        limits.requestBytesMax = 100
        try await TestServer.run(limits: limits) { server in
            try await server.send(.put, "/db")
            let large = JSONValue.string(String(repeating: "x", count: 100))
            for (method, path) in [(HTTPRequest.Method.put, "/db/a"), (.post, "/db/_find")] {
                let answer = try await server.send(
                    method, path, headers: [.expect: "100-continue"], json: ["text": large])
                #expect(answer.status == 413)
                #expect(answer["error"] == "too_large")
                #expect(answer.informationalStatuses.isEmpty)
            }
        }
    }

    @Test("A client that expects 100-continue is told to send its body")
    func expectation() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let answer = try await server.send(.put, "/db/a", headers: [.expect: "100-continue"], json: [:])
            #expect(answer.informationalStatuses == [100])
            #expect(answer.status == 201)
        }
    }

    @Test("An invalid parameter", arguments: ["limit=x", "startkey={", "skip=-1"])
    func parameters(_ query: String) async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let answer = try await server.send(.get, "/db/_all_docs?\(query)")
            #expect(answer.status == 400)
        }
    }

    @Test("The client's request id is in the response, unless it has invalid characters")
    func requestID() async throws {
        try await TestServer.run { server in
            let name = HTTPField.Name("X-Couch-Request-ID")!
            let taken = try await server.send(.get, "/", headers: [name: "abc-1"])
            #expect(taken.headers[name] == "abc-1")
            let refused = try await server.send(.get, "/", headers: [name: "a b"])
            #expect(refused.headers[name] != "a b")
        }
    }

    @Test("A long response is compressed for clients that accept it")
    func gzip() async throws {
        try await TestServer.run { server in
            let packed = try await server.send(.get, "/_uuids?count=100", headers: [.acceptEncoding: "gzip"])
            #expect(packed.headers[.contentEncoding] == "gzip")
            #expect(packed.body.prefix(2) == [0x1F, 0x8B])
            let plain = try await server.send(.get, "/_uuids?count=100", headers: [.acceptEncoding: "gzip;q=0"])
            #expect(plain.headers[.contentEncoding] == nil)
        }
    }

    // MARK: Origins

    private static let page = "https://app.example"

    /// Runs `body` with a server that allows the page's origin.
    private func withOrigin(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            let settings = [
                ("cors", "origins", Self.page), ("cors", "credentials", "true"), ("chttpd", "enable_cors", "true"),
            ]
            for (section, key, value) in settings {
                let answer = try await server.send(
                    .put, "/_node/_local/_config/\(section)/\(key)", json: .string(value))
                #expect(answer.status == 200)
            }
            try await body(server)
        }
    }

    @Test("Without rules, a page of another origin can read no response")
    func noOrigins() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/", headers: [.origin: Self.page])
            #expect(answer.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("A page of an allowed origin reads responses, and errors too")
    func origin() async throws {
        try await withOrigin { server in
            for path in ["/", "/none"] {
                let answer = try await server.send(.get, path, headers: [.origin: Self.page])
                #expect(answer.headers[.accessControlAllowOrigin] == Self.page)
                #expect(answer.headers[.accessControlAllowCredentials] == "true")
                #expect(answer.headers[.vary] == "Origin")
            }
            let other = try await server.send(.get, "/", headers: [.origin: "https://other.example"])
            #expect(other.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("A preflight request: the response names methods and headers, and needs no login")
    func preflight() async throws {
        try await withOrigin { server in
            let question: HTTPFields = [
                .origin: Self.page, .accessControlRequestMethod: "PUT",
                .accessControlRequestHeaders: "content-type",
            ]
            let answer = try await server.send(.options, "/db/a", as: .anonymous, headers: question)
            #expect(answer.status == 204)
            #expect(answer.headers[.accessControlAllowMethods]?.contains("PUT") == true)
            #expect(answer.headers[.accessControlAllowHeaders] == "content-type")
            var other = question
            other[.origin] = "https://other.example"
            #expect(try await server.send(.options, "/db/a", as: .anonymous, headers: other).status != 204)
        }
    }
}
