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

/// A module with routes that are rewritten to others.
private struct Signposts: ServerModule {
    let name = "signposts"

    var routes: [Route] {
        [
            .rewriting(.get, "/to/{place...}", access: .anyone) { context in
                .rewritten(try RewrittenRequest(context.request, to: "/\(context.request.parameter("place"))"))
            },
            .rewriting(.get, "/around", access: .anyone) { context in
                .rewritten(try RewrittenRequest(context.request, to: "/around"))
            },
            .rewriting(.get, "/light/{place...}", access: .anyone, work: .light) { context in
                let position = context.request.parameter("place")
                guard position != "here" else {
                    try await context.response.sendJSON(body: Array("[]".utf8))
                    return .sent
                }
                return .rewritten(try RewrittenRequest(context.request, to: "/\(position)"))
            },
        ]
    }
}

@Suite("Rewritten requests", .endsWhenHung)
struct RewrittenRequestTests {
    private func withSignposts(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run(modules: { _ in [Signposts()] }) { server in
            try await server.send(.put, "/db")
            try await server.send(.put, "/db/tern", json: ["wings": 2])
            try await body(server)
        }
    }

    @Test("A rewritten request gets the response of its target", arguments: ["to", "to/to", "light", "light/to/light"])
    func answered(_ path: String) async throws {
        try await withSignposts { server in
            let found = try await server.send(.get, "/\(path)/db/tern")
            #expect(found.status == 200)
            #expect(found["wings"] == 2)
            let missing = try await server.send(.get, "/\(path)/db/gull")
            #expect(missing.status == 404)
        }
    }

    @Test("It has the rights of its principal, and no others")
    func rights() async throws {
        try await withSignposts { server in
            let answer = try await server.send(.get, "/to/db/tern", as: .anonymous)
            #expect(answer.status == 401)
        }
    }

    @Test("A handler that rewrites some requests responds to others itself")
    func both() async throws {
        try await withSignposts { server in
            let answer = try await server.send(.get, "/light/here", as: .anonymous)
            #expect(answer.text == "[]")
        }
    }

    @Test("A request that is rewritten to itself ends")
    func endless() async throws {
        try await withSignposts { server in
            let answer = try await server.send(.get, "/around")
            #expect(answer.status == 400)
            #expect(answer["reason"] == "Exceeded rewrite recursion limit")
        }
    }
}
