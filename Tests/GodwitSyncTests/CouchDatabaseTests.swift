//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews
import Testing

/// A server with prepared responses, which records its requests.
private actor ScriptedServer: Transport {
    struct Asked: Sendable {
        let method: String
        let url: String
        let headers: [(name: String, value: String)]
        let body: [UInt8]
    }

    private let answer: @Sendable (Asked) -> (status: Int, headers: [(String, String)], body: [UInt8])
    private(set) var asked: [Asked] = []

    init(_ answer: @escaping @Sendable (Asked) -> (status: Int, headers: [(String, String)], body: [UInt8])) {
        self.answer = answer
    }

    init(_ status: Int, _ body: String) { self.init { _ in (status, [], Array(body.utf8)) } }

    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        var body: [UInt8] = []
        switch request.body {
        case .none: break
        case .bytes(let bytes): body = bytes
        case .stream(let pieces, let length):
            do {
                for try await piece in pieces { body += piece }
            } catch {
                throw ReplicationError(.network, "\(error)")
            }
            guard body.count == length else { throw ReplicationError(.network, "not the announced length") }
        }
        let one = Asked(method: request.method, url: request.url, headers: request.headers, body: body)
        asked.append(one)
        let (status, headers, bytes) = answer(one)
        let pieces = AsyncThrowingStream<[UInt8], any Error> { stream in
            if !bytes.isEmpty { stream.yield(bytes) }
            stream.finish()
        }
        return TransportResponse(status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: pieces)
    }
}

@Suite("A database on a server")
struct CouchDatabaseTests {
    private let admin = Credentials.basic(user: "admin", password: "secret")

    private func database(_ server: ScriptedServer, credentials: Credentials = .none) throws -> CouchDatabase {
        try CouchDatabase("http://server.test/trips", credentials: credentials, transport: server)
    }

    // MARK: A real server

    @Test("A database is created and deleted; a nonexistent one is missing")
    func creation() async throws {
        try await withManager { manager in
            try await withServer(of: manager) { address in
                let database = try CouchDatabase("\(address)/new", credentials: admin)
                #expect(await code { _ = try await database.info() } == .databaseNotFound)
                #expect(await code { _ = try await database.document("a") } == .databaseNotFound)
                #expect(await code { _ = try await database.create(Document(body: [:])) } == .databaseNotFound)
                try await database.createDatabase()
                #expect(await code { try await database.createDatabase() } == .databaseExists)
                #expect(try await database.documentCount == 0)
                try await database.deleteDatabase()
                #expect(await code { try await database.deleteDatabase() } == .databaseNotFound)
                let invalid = try CouchDatabase("\(address)/UPPER", credentials: admin)
                #expect(await code { try await invalid.createDatabase() } == .invalidDatabaseName)
            }
        }
    }

    @Test("A client without rights is refused, and the message does not contain the password")
    func refusals() async throws {
        try await withManager { manager in
            _ = try await manager.datastore(named: "trips")
            try await withServer(of: manager) { address in
                let trips = try CouchDatabase("\(address)/trips", credentials: admin)
                try await trips.setSecurity(["members": ["names": ["ana"], "roles": []]])
                #expect(try await trips.security()["members"]?["names"] == ["ana"])
                for credentials in [Credentials.none, .basic(user: "admin", password: "wr0ng!")] {
                    let refused = try CouchDatabase("\(address)/trips", credentials: credentials)
                    let error = await #expect(throws: StoreError.self) { try await refused.document("a") }
                    #expect(error?.code == .accessRefused)
                    #expect(error?.message.contains("wr0ng!") == false)
                    let writing = await #expect(throws: StoreError.self) {
                        try await refused.create(Document(body: ["private": "words"]))
                    }
                    #expect(writing?.code == .accessRefused && writing?.message.contains("words") == false)
                }
                let wrong = Credentials.session(user: "admin", password: "wr0ng!")
                let refused = try CouchDatabase("\(address)/trips", credentials: wrong)
                let error = await #expect(throws: StoreError.self) { try await refused.info() }
                #expect(error?.code == .accessRefused && error?.message.contains("wr0ng!") == false)
                let session = try CouchDatabase(
                    "\(address)/trips", credentials: .session(user: "admin", password: "secret"))
                #expect(try await session.documentCount == 0)
            }
        }
    }

    @Test("An unreachable server and an invalid URL are reported as such")
    func unreachable() async throws {
        let database = try CouchDatabase("http://ana:pw0rd@127.0.0.1:1/trips")
        let error = await #expect(throws: StoreError.self) { try await database.document("a") }
        #expect(error?.code == .unreachable && error?.message.contains("pw0rd") == false)
        #expect(database.url == "http://127.0.0.1:1/trips")
        for text in ["trips", "ftp://host/trips", "http://ana:pw0rd@host"] {
            let error = #expect(throws: StoreError.self) { try CouchDatabase(text) }
            #expect(error?.code == .invalidURL && error?.message.contains("pw0rd") == false)
        }
    }

    @Test("Leaves are read with their bodies, deleted ones too")
    func openRevisions() async throws {
        try await withManager { manager in
            let datastore = try await manager.datastore(named: "trips")
            for branch in ["b", "c"] {
                try await datastore.graft(
                    #"{"_id":"x","_revisions":{"start":2,"ids":["\#(branch)","a"]},"v":"\#(branch)"}"#)
            }
            try await datastore.graft(#"{"_id":"x","_deleted":true,"_revisions":{"start":2,"ids":["d","a"]}}"#)
            try await withServer(of: manager) { address in
                let trips = try CouchDatabase("\(address)/trips", credentials: admin)
                let all = try await trips.openRevisions(of: "x")
                #expect(Set(all.map(\.revision?.description)) == ["2-b", "2-c", "2-d"])
                #expect(all.filter(\.isDeleted).map(\.revision?.description) == ["2-d"])
                let some = try await trips.openRevisions(of: "x", [RevisionID("2-b")!, RevisionID("2-zz")!])
                #expect(some.map { $0.body["v"] } == ["b"])
                #expect(await code { _ = try await trips.openRevisions(of: "y") } == .notFound)
            }
        }
    }

    @Test("A response above the limit is requested again in smaller parts")
    func largeAnswers() async throws {
        try await withManager { manager in
            let datastore = try await manager.datastore(named: "trips")
            let text = String(repeating: "x", count: 10_000)
            for number in 0..<9 {
                _ = try await datastore.create(Document(id: "\(number)", body: ["x": .string(text)]))
            }
            try await withServer(of: manager) { address in
                var limits = ClientLimits()
                limits.responseBytesMax = 25_000
                let trips = try CouchDatabase("\(address)/trips", credentials: admin, limits: limits)
                let ids = (0..<9).map { "\($0)" }
                #expect(try await trips.documents(limit: .max).map(\.id) == ids)
                #expect(try await trips.documents(ids).map { $0?.id } == ids)
                var changed: [String] = []
                for try await change in trips.changes(live: false, withDocuments: true) { changed.append(change.id) }
                #expect(changed == ids)
                limits.responseBytesMax = 9_000
                let small = try CouchDatabase("\(address)/trips", credentials: admin, limits: limits)
                #expect(await code { _ = try await small.documents(limit: .max) } == .answerTooLarge)
                #expect(await code { _ = try await small.document("1") } == .answerTooLarge)
            }
        }
    }

    @Test(
        "The rows of a view are read page by page, each once: several rows with one key and document, too",
        arguments: [false, true])
    func viewRows(descending: Bool) async throws {
        try await withManager(scripts: .inProcess()) { manager in
            let datastore = try await manager.datastore(named: "trips")
            let map = "function(doc) { for (var i = 0; i < doc.times; i++) emit([doc.year], i); emit(null, -1) }"
            let views: JSONValue = ["years": ["map": .string(map), "reduce": "_sum"]]
            _ = try await datastore.create(Document(id: "_design/trips", body: ["views": views]))
            for number in 0..<12 {
                let body: JSONObject = ["year": .integer(Int64(2020 + number / 6)), "times": .integer(Int64(number))]
                _ = try await datastore.create(Document(id: "trip-\(number)", body: body))
            }
            try await withServer(of: manager) { address in
                var limits = ClientLimits()
                limits.documentsPerBatchMax = 4
                let trips = try CouchDatabase("\(address)/trips", credentials: admin, limits: limits)
                var query = ViewQuery()
                query.descending = descending
                query.reduce = false
                query.includesDocuments = true
                let all = try await rows(trips, query)
                #expect(all.count == 12 + (0..<12).reduce(0, +))
                #expect(Set(all).count == all.count)
                query.key = [2021]
                #expect(try await rows(trips, query) == all.filter { $0.contains("[2021]") })
                query.key = nil
                (query.skip, query.limit) = (5, 30)
                #expect(try await rows(trips, query) == Array(all[5..<35]))
                query = ViewQuery()
                query.keys = [[2021], nil]
                query.reduce = false
                #expect(try await rows(trips, query).count == 12 + (6..<12).reduce(0, +))
                limits.documentsPerBatchMax = 1
                let small = try CouchDatabase("\(address)/trips", credentials: admin, limits: limits)
                query = ViewQuery()
                query.descending = descending
                query.grouping = .exact
                let groups = try await rows(small, query)
                #expect(
                    groups
                        == (descending
                            ? ["[2021] 200", "[2020] 20", "null -12"] : ["null -12", "[2020] 20", "[2021] 200"]))
                #expect(await code { _ = try await rows(trips, ViewQuery(), of: "trips/none") } == .notFound)
                #expect(await code { _ = try await rows(trips, ViewQuery(), of: "trips") } == .invalidRequest)
            }
        }
    }

    private func rows(
        _ database: CouchDatabase, _ query: ViewQuery, of view: String = "trips/years"
    ) async throws -> [String] {
        var rows: [String] = []
        for try await row in database.rows(of: view, query) {
            #expect(!query.includesDocuments || row.document?.id == row.id)
            rows.append("\(row.id.map { $0 + " " } ?? "")\(row.key) \(row.value)")
        }
        return rows
    }

    // MARK: A server with scripted answers

    @Test("A selector is sent in CouchDB's format, and its results become documents")
    func find() async throws {
        let server = ScriptedServer(
            200,
            #"{"docs":[{"_id":"a","_rev":"1-a","km":42,"_attachments":{"x":{"content_type":"t/x","revpos":1,"digest":"md5-x","length":3,"stub":true}}}],"bookmark":"g1","warning":"No matching index found"}"#
        )
        let trips = try database(server)
        var query = FindQuery(
            selector: ["km": ["$gt": 40]], sort: ["type", .descending("km")], limit: 1, skip: 2, bookmark: "g0",
            index: ["d", "i"])
        let page = try await trips.find(query)
        #expect(page.bookmark == "g1" && page.warning == "No matching index found")
        #expect(page.documents.map(\.id) == ["a"] && page.documents[0].body == ["km": 42])
        #expect(page.documents[0].revision == RevisionID("1-a") && page.documents[0].attachments["x"]?.length == 3)
        let asked = await server.asked[0]
        #expect(asked.method == "POST" && asked.url == "http://server.test/trips/_find")
        #expect(
            try JSONValue(parsing: asked.body) == [
                "selector": ["km": ["$gt": 40]], "limit": 1, "sort": [["type": "asc"], ["km": "desc"]], "skip": 2,
                "bookmark": "g0", "use_index": ["d", "i"],
            ])
        query = FindQuery(selector: [:], fields: ["_id", "_rev", "km"])
        let part = try await trips.find(query).documents[0]
        #expect(part.id == "a" && part.revision == nil && part.attachments.isEmpty)
        #expect(await code { _ = try await trips.update(part) } == .invalidDocument)
    }

    @Test("Indexes are listed and deleted")
    func indexes() async throws {
        let server = ScriptedServer { asked in
            switch asked.method {
            case "GET":
                (
                    200, [],
                    Array(
                        #"{"total_rows":2,"indexes":[{"ddoc":null,"name":"_all_docs","type":"special","def":{"fields":[{"_id":"asc"}]}},{"ddoc":"_design/d","name":"i","type":"json","def":{"fields":[{"type":"asc"},{"km":"desc"}]}}]}"#
                            .utf8)
                )
            default:
                asked.url.hasSuffix("/d/json/i")
                    ? (200, [], Array(#"{"ok":true}"#.utf8))
                    : (404, [], Array(#"{"error":"not_found","reason":"missing"}"#.utf8))
            }
        }
        let trips = try database(server)
        let indexes = try await trips.indexes()
        #expect(indexes.map(\.name) == ["_all_docs", "i"] && indexes.map(\.designDocument) == ["", "d"])
        #expect(indexes[1].fields.map(\.name) == ["type", "km"])
        #expect(indexes[1].fields.map(\.isDescending) == [false, true])
        try await trips.deleteIndex("i", designDocument: "d")
        #expect(await code { try await trips.deleteIndex("j", designDocument: "d") } == .indexNotFound)
    }

    @Test("Features that the server lacks are reported as not supported", arguments: [404, 405, 501])
    func notSupported(_ status: Int) async throws {
        let trips = try database(ScriptedServer(status, #"{"error":"not_implemented","reason":"missing"}"#))
        #expect(await code { _ = try await trips.find(FindQuery(selector: [:])) } == .notSupported)
        #expect(await code { _ = try await trips.indexes() } == .notSupported)
    }

    @Test(
        "Each status has its code",
        arguments: [
            (400, "bad_request", StoreError.Code.invalidRequest), (400, "doc_validation", .invalidDocument),
            (400, "illegal_docid", .invalidDocumentID), (401, "unauthorized", .accessRefused),
            (403, "forbidden", .accessRefused), (404, "not_found", .notFound), (409, "conflict", .conflict),
            (412, "missing_stub", .missingStub), (413, "document_too_large", .documentTooLarge),
            (415, "bad_content_type", .invalidRequest), (429, "too_many_requests", .overloaded),
            (500, "internal_server_error", .serverFailed), (502, "bad_gateway", .serverFailed),
            (503, "service_unavailable", .overloaded), (507, "insufficient_storage", .diskFull),
        ])
    func statuses(_ status: Int, _ error: String, _ expected: StoreError.Code) async throws {
        let trips = try database(ScriptedServer(status, #"{"error":"\#(error)","reason":"because"}"#))
        #expect(await code { _ = try await trips.document("a") } == expected)
        #expect(await code { _ = try await trips.create(Document(id: "a", body: [:])) } == expected)
    }

    @Test("An invalid response is reported as not from CouchDB", arguments: ["<html>", "[]", "{}", #"{"ok":true}"#])
    func badAnswers(_ body: String) async throws {
        let trips = try database(ScriptedServer(200, body))
        #expect(await code { _ = try await trips.info() } == .badAnswer)
        #expect(await code { _ = try await trips.document("a") } == .badAnswer)
        #expect(await code { _ = try await trips.create(Document(body: [:])) } == .badAnswer)
        #expect(await code { _ = try await trips.documents(["a"]) } == .badAnswer)
        #expect(await code { _ = try await trips.leaves(of: "a") } == .badAnswer)
        #expect(await code { _ = try await trips.writeEach([.create(Document(body: [:]))]) } == .badAnswer)
        #expect(await code { for try await _ in trips.changes(live: false) {} } == .badAnswer)
        #expect(await code { _ = try await trips.find(FindQuery(selector: [:])) } == .badAnswer)
    }

    /// Returns a database with one document and one attachment of the bytes 1, 2, 3.
    private func withPhoto(
        digest: String = "md5-Uonfc331cyb83SJZevsfrA==", more: String = "",
        _ answer: @escaping @Sendable () -> (status: Int, headers: [(String, String)], body: [UInt8])
    ) async throws -> (CouchDatabase, GodwitStore.Attachment) {
        let stub = #"{"content_type":"t/x","revpos":1,"digest":"\#(digest)","length":3,"stub":true\#(more)}"#
        let text = #"{"_id":"a","_rev":"1-a","_attachments":{"x":\#(stub)}}"#
        let trips = try database(
            ScriptedServer { $0.url.contains("/a/x") ? answer() : (200, [], Array(text.utf8)) })
        return (trips, try #require(await trips.document("a").attachments["x"]))
    }

    @Test("Bytes of an attachment that differ from the announced digest are refused")
    func damagedAttachments() async throws {
        var (trips, photo) = try await withPhoto { (200, [], [1, 2, 3]) }
        #expect(try await trips.bytes(of: photo).collect(bytesMax: 3) == [1, 2, 3])
        (trips, photo) = try await withPhoto { (200, [], [1, 2, 4]) }
        #expect(await code { _ = try await trips.bytes(of: photo).collect(bytesMax: 3) } == .badAnswer)
        (trips, photo) = try await withPhoto { (200, [], [1, 2, 3, 4]) }
        #expect(await code { _ = try await trips.bytes(of: photo).collect(bytesMax: 3) } == .badAnswer)
        (trips, photo) = try await withPhoto { (200, [], [1, 2]) }
        #expect(await code { _ = try await trips.bytes(of: photo).collect(bytesMax: 3) } == .unreachable)
        (trips, photo) = try await withPhoto { (404, [], Array(#"{"error":"not_found","reason":"x"}"#.utf8)) }
        #expect(await code { _ = try await trips.bytes(of: photo) } == .notFound)
        // The digest of a compressed attachment is not the digest of the attachment's bytes.
        (trips, photo) = try await withPhoto(digest: "md5-AAAA", more: #","encoding":"gzip""#) { (200, [], [1, 2, 3]) }
        #expect(try await trips.bytes(of: photo).collect(bytesMax: 3) == [1, 2, 3])
    }

    @Test("A range of an attachment is right from a server without ranges, and a wrong range is refused")
    func ranges() async throws {
        var (trips, photo) = try await withPhoto { (200, [], [1, 2, 3]) }
        #expect(try await trips.bytes(of: photo, in: 1..<2).collect(bytesMax: 3) == [2])
        #expect(try await trips.bytes(of: photo, in: 2..<9).collect(bytesMax: 3) == [3])
        (trips, photo) = try await withPhoto { (206, [("Content-Range", "bytes 1-1/3")], [2]) }
        #expect(try await trips.bytes(of: photo, in: 1..<2).collect(bytesMax: 3) == [2])
        #expect(await code { _ = try await trips.bytes(of: photo, in: 0..<1).collect(bytesMax: 3) } == .badAnswer)
    }

    @Test("A stream is sent again completely if the session expired")
    func streamsAgain() async throws {
        let tokens = Tokens()
        let server = ScriptedServer { asked in
            guard asked.headers.contains(where: { $0.value == "Bearer new" }) else {
                return (401, [], Array(#"{"error":"unauthorized","reason":"x"}"#.utf8))
            }
            return asked.method == "PUT"
                ? (201, [], Array(#"{"ok":true,"id":"a","rev":"1-a"}"#.utf8))
                : (200, [], Array(#"{"_id":"a","_rev":"1-a"}"#.utf8))
        }
        let trips = try database(server, credentials: .bearer { await tokens.next() })
        let pieces = AsyncStream<[UInt8]> { stream in
            for number in 0..<5 { stream.yield(Array(repeating: UInt8(number), count: 100_000)) }
            stream.finish()
        }
        _ = try await trips.create(
            Document(id: "a", body: [:], attachments: ["x": .stream(pieces, contentType: "video/mp4")]))
        let asked = await server.asked
        #expect(asked.map(\.method) == ["PUT", "PUT", "GET"])
        #expect(asked[0].body == asked[1].body && asked[0].body.count > 500_000)
    }

    private actor Tokens {
        private var tokens = ["old", "new"]

        func next() -> String { tokens.removeFirst() }
    }

    @Test(
        "A position in the changes is sent back unchanged", arguments: ["7", "\"7-g1AAAA\"", "[7,\"x\"]"])
    func places(_ sequence: String) async throws {
        let server = ScriptedServer(
            200,
            #"{"results":[{"seq":\#(sequence),"id":"a","changes":[{"rev":"1-a"}]}],"last_seq":\#(sequence),"pending":0}"#
        )
        let trips = try database(server)
        var position = UpdateSequence.zero
        for try await change in trips.changes(live: false) { position = change.sequence }
        #expect(position.description == sequence.filter { $0 != "\"" } || position.description == sequence)
        for try await _ in trips.changes(since: position, live: false) {}
        let escaped = ["[": "%5B", "]": "%5D", ",": "%2C", "\"": "%22"]
        let parameter = "since=" + position.description.map { escaped[String($0)] ?? String($0) }.joined()
        #expect(await server.asked[1].url.contains(parameter))
    }
}
