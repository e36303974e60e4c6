//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes
import ServerTesting
import TestKit
import Testing

@Suite("Routes of lists, bulk requests, changes and queries", .endsWhenHung)
struct RoutesOfListsTests {
    /// Runs `body` with a server with the documents `a` to `d` in the database `db`, whose `n` are 1 to 4.
    private func withDocuments(_ body: (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            try await server.send(.put, "/db")
            let documents = ["a", "b", "c", "d"].enumerated().map { position, id -> JSONValue in
                ["_id": .string(id), "n": .integer(Int64(position + 1))]
            }
            try await server.send(.post, "/db/_bulk_docs", json: ["docs": .array(documents)])
            try await body(server)
        }
    }

    private func ids(_ rows: JSONValue?, _ member: String = "id") -> [String] {
        (rows?.arrayValue ?? []).compactMap { $0[member]?.stringValue }
    }

    @Test("The response to a bulk request says for each document whether it was written")
    func bulkWrite() async throws {
        try await withDocuments { server in
            let answer = try await server.send(.post, "/db/_bulk_docs", json: ["docs": [["_id": "a"], ["_id": "e"]]])
            #expect(answer.status == 201)
            let outcomes = try answer.json
            #expect(outcomes[0] == ["id": "a", "error": "conflict", "reason": "Document update conflict."])
            #expect(outcomes[1]?["ok"] == true)
        }
    }

    @Test("Bulk requests with invalid bodies", arguments: ["{}", "{\"docs\":1}", "[]", "{"])
    func badBulkWrite(_ body: String) async throws {
        try await withDocuments { server in
            let answer = try await server.send(
                .post, "/db/_bulk_docs", headers: [.contentType: "application/json"], body: Array(body.utf8))
            #expect(answer.status == 400)
            #expect(answer["error"] == "bad_request")
        }
    }

    @Test("Several documents are read at once")
    func bulkRead() async throws {
        try await withDocuments { server in
            let answer = try await server.send(.post, "/db/_bulk_get", json: ["docs": [["id": "a"], ["id": "x"]]])
            let results = answer["results"]
            #expect(results?[0]?["docs"]?[0]?["ok"]?["n"] == 1)
            #expect(results?[1]?["docs"]?[0]?["error"]?["error"] == "not_found")
        }
    }

    @Test(
        "All documents by key, range, direction and number",
        arguments: [
            ("", ["a", "b", "c", "d"]), ("?startkey=%22b%22&endkey=%22c%22", ["b", "c"]),
            ("?descending=true&limit=2", ["d", "c"]), ("?skip=3", ["d"]), ("?key=%22b%22", ["b"]),
            ("?startkey=%22b%22&endkey=%22d%22&inclusive_end=false", ["b", "c"]),
        ])
    func allDocuments(_ query: String, _ expected: [String]) async throws {
        try await withDocuments { server in
            let answer = try await server.send(.get, "/db/_all_docs\(query)")
            #expect(ids(answer["rows"]) == expected)
            #expect(answer["total_rows"] == 4)
        }
    }

    @Test("All documents with given keys, with their bodies; a key without a document is an error of its row")
    func keys() async throws {
        try await withDocuments { server in
            let answer = try await server.send(
                .post, "/db/_all_docs?include_docs=true", json: ["keys": ["c", "x", "a"]])
            let rows = answer["rows"]
            #expect(rows?[0]?["doc"]?["n"] == 3)
            #expect(rows?[1] == ["key": "x", "error": "not_found"])
            #expect(rows?[2]?["id"] == "a")
        }
    }

    @Test("The changes since a sequence, once for each document, with deletions")
    func changes() async throws {
        try await withDocuments { server in
            let all = try await server.send(.get, "/db/_changes")
            #expect(ids(all["results"]) == ["a", "b", "c", "d"])
            let since = try #require(all["last_seq"]?.stringValue)
            let revision = try #require(try await server.send(.get, "/db/b")["_rev"]?.stringValue)
            try await server.send(.delete, "/db/b?rev=\(revision)")
            let later = try await server.send(.get, "/db/_changes?since=\(since)&include_docs=true")
            #expect(ids(later["results"]) == ["b"])
            #expect(later["results"]?[0]?["deleted"] == true)
            #expect(later["results"]?[0]?["doc"]?["_deleted"] == true)
            #expect(later["pending"] == 0)
        }
    }

    @Test("The changes of some documents and of a selector")
    func filteredChanges() async throws {
        try await withDocuments { server in
            let some = try await server.send(
                .post, "/db/_changes?filter=_doc_ids", json: ["doc_ids": ["b", "d"]])
            #expect(ids(some["results"]) == ["b", "d"])
            let selected = try await server.send(
                .post, "/db/_changes?filter=_selector", json: ["selector": ["n": ["$gt": 2]]])
            #expect(ids(selected["results"]) == ["c", "d"])
            let unknown = try await server.send(.get, "/db/_changes?filter=none")
            #expect(unknown.status == 400)
        }
    }

    @Test("The missing revisions, and possible ancestors")
    func revisionsDifference() async throws {
        try await withDocuments { server in
            let revision = try #require(try await server.send(.get, "/db/a")["_rev"])
            let answer = try await server.send(.post, "/db/_revs_diff", json: ["a": [revision, "2-x"]])
            #expect(answer["a"]?["missing"] == ["2-x"])
        }
    }

    @Test("A query by a selector, with an index and without")
    func find() async throws {
        try await withDocuments { server in
            let query: JSONValue = ["selector": ["n": ["$gte": 2]], "sort": [["n": "desc"]], "limit": 2]
            let unsorted = try await server.send(.post, "/db/_find", json: query)
            #expect(unsorted.status == 400)
            #expect(unsorted["error"] == "no_usable_index")
            let index = try await server.send(.post, "/db/_index", json: ["index": ["fields": ["n"]], "name": "by-n"])
            #expect(index["result"] == "created")
            let found = try await server.send(.post, "/db/_find", json: query)
            #expect(ids(found["docs"], "_id") == ["d", "c"])
            let bookmark = try #require(found["bookmark"])
            let next = try await server.send(
                .post, "/db/_find",
                json: ["selector": ["n": ["$gte": 2]], "sort": [["n": "desc"]], "bookmark": bookmark])
            #expect(ids(next["docs"], "_id") == ["b"])
            let explained = try await server.send(.post, "/db/_explain", json: query)
            #expect(explained["index"]?["name"] == "by-n")
            #expect(try await server.send(.get, "/db/_index")["total_rows"] == 2)
        }
    }

    @Test("An invalid query")
    func badFind() async throws {
        try await withDocuments { server in
            let answer = try await server.send(.post, "/db/_find", json: ["selector": ["n": ["$nope": 1]]])
            #expect(answer.status == 400)
            #expect(answer["error"] == "invalid_operator")
        }
    }
}
