//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import GodwitStore
import HTTPTypes
import ServerTesting
import TestKit
import Testing

/// A module with a route that opens the database in its path.
private struct Counter: ServerModule {
    let name = "counter"

    var routes: [Route] {
        [
            Route(.get, "/count/{db}", access: .database(.read)) { context in
                let datastore = try await context.datastore()
                let count = try datastore.info().documentCount
                try await context.response.sendJSON(body: Array("{\"count\":\(count)}".utf8))
            }
        ]
    }
}

@Suite("A module's route of a database", .endsWhenHung)
struct RequestContextTests {
    private func withCounter(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run(modules: { _ in [Counter()] }) { server in
            try await server.send(.put, "/db")
            try await server.send(.put, "/db/tern", json: [:])
            try await body(server)
        }
    }

    @Test("It opens the database that its path names")
    func opened() async throws {
        try await withCounter { server in
            let answer = try await server.send(.get, "/count/db")
            #expect(answer["count"] == 1)
        }
    }

    @Test("A database that does not exist, or has an invalid name, is missing", arguments: ["other", "No", "_none"])
    func missing(_ name: String) async throws {
        try await withCounter { server in
            let answer = try await server.send(.get, "/count/\(name)")
            #expect(answer.status == 404)
            #expect(answer["reason"] == "Database does not exist.")
        }
    }

    @Test(
        "A principal without rights is refused, whether or not the database exists",
        arguments: ["db", "other", "_users"])
    func refused(_ name: String) async throws {
        try await withCounter { server in
            let answer = try await server.send(.get, "/count/\(name)", as: .anonymous)
            #expect(answer.status == 401)
        }
    }

    @Test("Rights from the security object are sufficient")
    func member() async throws {
        try await withCounter { server in
            try await server.addUser("ann")
            let before = try await server.send(.get, "/count/db", as: .user("ann"))
            #expect(before.status == 403)
            try await server.send(.put, "/db/_security", json: ["members": ["names": ["ann"]]])
            let after = try await server.send(.get, "/count/db", as: .user("ann"))
            #expect(after["count"] == 1)
        }
    }
}
