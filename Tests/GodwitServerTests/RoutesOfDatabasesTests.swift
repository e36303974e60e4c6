//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@Suite("Routes of databases", .endsWhenHung)
struct RoutesOfDatabasesTests {
    @Test("A database is created once, has information, and is deleted")
    func life() async throws {
        try await TestServer.run { server in
            let made = try await server.send(.put, "/db")
            #expect(made.status == 201)
            #expect(try made.json == ["ok": true])
            #expect(made.headers[.location] == "http://localhost:5984/db")
            let again = try await server.send(.put, "/db")
            #expect(again.status == 412)
            #expect(again["error"] == "file_exists")
            try await server.send(.put, "/db/a", json: [:])
            let info = try await server.send(.get, "/db")
            #expect(info["db_name"] == "db")
            #expect(info["doc_count"] == 1)
            #expect(info["doc_del_count"] == 0)
            #expect(try await server.send(.delete, "/db").json == ["ok": true])
            let gone = try await server.send(.get, "/db")
            #expect(gone.status == 404)
            #expect(try gone.json == ["error": "not_found", "reason": "Database does not exist."])
        }
    }

    @Test("An invalid name is refused when a database is created, and is missing otherwise")
    func names() async throws {
        try await TestServer.run { server in
            let made = try await server.send(.put, "/Upper")
            #expect(made.status == 400)
            #expect(made["error"] == "illegal_database_name")
            #expect(try await server.send(.get, "/Upper").status == 404)
        }
    }

    @Test("A partitioned database accepts only ids with a partition")
    func partitions() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db?partitioned=true")
            #expect(try await server.send(.put, "/db/sea:gull", json: [:]).status == 201)
            let refused = try await server.send(.put, "/db/gull", json: [:])
            #expect(refused.status == 400)
            #expect(refused["error"] == "illegal_docid")
            let partition = try await server.send(.get, "/db/_partition/sea")
            #expect(partition["doc_count"] == 1)
        }
    }

    @Test("The limit of revisions is read and set")
    func revisionsKept() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            #expect(try await server.send(.get, "/db/_revs_limit").json == 1000)
            #expect(try await server.send(.put, "/db/_revs_limit", json: 5).json == ["ok": true])
            #expect(try await server.send(.get, "/db/_revs_limit").json == 5)
            #expect(try await server.send(.put, "/db/_revs_limit", json: 0).status == 400)
        }
    }

    @Test("A purged document leaves no trace")
    func purge() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let revision = try #require(try await server.send(.put, "/db/a", json: ["x": 1])["rev"])
            let purged = try await server.send(.post, "/db/_purge", json: ["a": [revision]])
            #expect(purged.status == 201)
            #expect(purged["purged"] == ["a": [revision]])
            #expect(try await server.send(.get, "/db/a")["reason"] == "missing")
            #expect(try await server.send(.get, "/db")["doc_del_count"] == 0)
        }
    }

    @Test("Compaction is accepted, also of an index if its design document exists")
    func compaction() async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            #expect(try await server.send(.post, "/db/_compact", json: [:]).status == 202)
            #expect(try await server.send(.post, "/db/_compact/views", json: [:]).status == 404)
        }
    }
}
