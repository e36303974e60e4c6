//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@Suite("Routes of the server", .endsWhenHung)
struct RoutesOfServerTests {
    @Test("The welcome message, for everyone, with the headers of every response")
    func greeting() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/", as: .anonymous)
            #expect(answer.status == 200)
            #expect(answer["couchdb"] == "Welcome")
            #expect(answer["vendor"]?["name"] == "Godwit")
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.contentLength] == String(answer.body.count))
            #expect(answer.headers[.server]?.hasPrefix("Godwit/") == true)
            #expect(answer.headers[HTTPField.Name("X-Couch-Request-ID")!]?.count == 10)
            #expect(answer.isComplete)
        }
    }

    @Test("The server is up, and has an icon and a page")
    func up() async throws {
        try await TestServer.run { server in
            let up = try await server.send(.get, "/_up", as: .anonymous)
            #expect(up.status == 200)
            #expect(up["status"] == "ok")
            let icon = try await server.send(.get, "/favicon.ico", as: .anonymous)
            #expect(icon.headers[.contentType] == "image/svg+xml")
        }
    }

    @Test("The requested number of new ids, which no cache stores", arguments: [1, 3, 1_000])
    func ids(_ count: Int) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/_uuids?count=\(count)", as: .anonymous)
            let ids = try #require(answer["uuids"]?.arrayValue)
            #expect(Set(ids.compactMap(\.stringValue)).count == count)
            #expect(answer.headers[.cacheControl] == "no-cache")
        }
    }

    @Test("More ids than allowed are refused")
    func tooManyIDs() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/_uuids?count=1001", as: .anonymous)
            #expect(answer.status == 400)
            #expect(answer["error"] == "bad_request")
        }
    }

    @Test("The databases by name, by range, and with their information")
    func databases() async throws {
        try await TestServer.run { server in
            for name in ["ant", "bee", "cow"] { try await server.send(.put, "/\(name)") }
            #expect(
                try await server.send(.get, "/_all_dbs").json == ["_replicator", "_users", "ant", "bee", "cow"])
            let range = try await server.send(.get, "/_all_dbs?startkey=%22b%22&limit=1&descending=false")
            #expect(try range.json == ["bee"])
            let infos = try await server.send(.post, "/_dbs_info", json: ["keys": ["cow", "dog"]])
            #expect(try infos.json[0]?["info"]?["doc_count"] == 0)
            #expect(try infos.json[1] == ["key": "dog", "error": "not_found"])
        }
    }

    @Test("Each request is counted by its method and status")
    func statistics() async throws {
        try await TestServer.run { server in
            try await server.send(.get, "/nowhere")
            let counts = try await server.send(.get, "/_node/_local/_stats/couchdb")
            #expect(counts["httpd_status_codes"]?["404"]?["value"] == 1)
            #expect(counts["httpd_request_methods"]?["GET"]?["value"] == 1)
        }
    }
}
