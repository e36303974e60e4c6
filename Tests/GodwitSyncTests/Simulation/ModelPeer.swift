//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport

/// A short implementation of a CouchDB server behind an unreliable network, driven by a seed.
actor ModelPeer: Transport {
    /// The features of the peer and its network.
    struct Character {
        var hasBulkGet = true
        /// Whether `_bulk_get` can respond in parts.
        var hasBulkGetParts = true
        var hasMultipart = true
        var hasRanges = true
        /// Whether it is a Godwit server, which keeps the arrived bytes of attachments.
        var keepsArrivals = true
        /// The number of faulty requests in 1 000.
        var faults = 0
        /// Returns whether it refuses a document.
        var refuses: @Sendable (String) -> Bool = { _ in false }
    }

    var database = ModelDatabase()
    var character: Character
    var random: SplitMix
    /// The arrived bytes of attachments, by their digests.
    var arrivals: [String: [UInt8]] = [:]

    init(_ character: Character, seed: UInt64) {
        self.character = character
        random = SplitMix(state: seed)
    }

    // MARK: What the simulator does to it

    func edit(_ id: String) { database.edit(id, using: &random) }
    func heal() { character.faults = 0 }

    /// Replaces the peer with a copy of itself, like a restored backup: the same documents with other sequences.
    func reset() {
        database.epoch += 1
        database.sequence = 0
        database.instance += 1
        arrivals = [:]
        for id in database.documents.keys.sorted() {
            database.sequence += 1
            database.documents[id]!.sequence = database.sequence
        }
    }

    /// How a database is replaced by another one.
    enum Replacement {
        /// It is deleted and made again.
        case recreated
        /// It is restored from the last backup.
        case restored
    }

    private var backup = ModelDatabase()
    private var planned: (replacement: Replacement, after: Int)?
    /// The number of times that the database was replaced.
    private(set) var replacementCount = 0

    func makeBackup() { backup = database }

    /// Replaces the database before one of the next requests.
    func plan(_ replacement: Replacement, after requests: Int) { planned = (replacement, requests) }

    private func replaceIfPlanned() {
        guard let (replacement, after) = planned else { return }
        guard after == 0 else { return planned = (replacement, after - 1) }
        planned = nil
        replacementCount += 1
        let (epoch, instance) = (database.epoch, database.instance)
        switch replacement {
        case .recreated: database = ModelDatabase()
        case .restored: database = backup
        }
        (database.epoch, database.instance, arrivals) = (epoch + 1, instance + 1, [:])
    }

    // MARK: Requests

    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        guard Int.random(in: 0..<1_000, using: &random) < character.faults else { return try await answer(request) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: throw ReplicationError(.network, "lost on the way there")
        case 1:
            _ = try await answer(request)
            throw ReplicationError(.network, "lost on the way back")
        case 2:
            // The request is executed twice, as when a proxy repeats a request. Of a streamed request, only a part
            // arrives.
            guard case .stream = request.body else {
                _ = try await answer(request)
                return try await answer(request)
            }
            keep(try await body(of: request), request)
            throw ReplicationError(.network, "cut")
        case 3: return response(200, Array("<html>Sign in to this network</html>".utf8))
        case 4: return response(429, Array("{}".utf8), [("Retry-After", "7")])
        case 5: return response([408, 500, 502, 503, 504].randomElement(using: &random)!, [])
        case 6:
            let whole = try await answer(request)
            return TransportResponse(
                status: whole.status, headers: whole.headers,
                body: CutBody(bytes: try await collected(whole), at: Int.random(in: 0..<200, using: &random)))
        default:
            return response(
                500, Array(#"{"error":"internal_server_error","reason":"No DB shards could be opened."}"#.utf8))
        }
    }

    func collected(_ response: TransportResponse) async throws(ReplicationError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await piece in response.body { bytes += piece }
        } catch {
            throw ReplicationError(.network, "\(error)")
        }
        return bytes
    }

    func response(
        _ status: Int, _ body: [UInt8], _ headers: [(name: String, value: String)] = []
    ) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: CutBody(bytes: body, at: nil))
    }

    func json(_ status: Int, _ value: JSONValue) -> TransportResponse { response(status, value.jsonBytes()) }

    func error(_ status: Int, _ word: String, _ reason: String = "") -> TransportResponse {
        json(status, ["error": .string(word), "reason": .string(reason)])
    }

    private func answer(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        replaceIfPlanned()
        // It does not know gzip, as old servers do not. Unpacked, such a body would be no JSON.
        guard !request.headers.contains(where: { $0.name == "Content-Encoding" && $0.value == "gzip" }) else {
            return error(415, "bad_content_encoding")
        }
        let target = ModelTarget(request.url)
        let body = try await body(of: request)
        let value = try? JSONValue(parsing: body)
        switch (request.method, target.segments.first) {
        case ("GET", nil):
            return json(200, ["db_name": "db", "instance_start_time": .string("1700000000\(database.instance)")])
        case ("GET", "_changes"): return changes(target)
        case ("POST", "_revs_diff"): return missing(value)
        case ("POST", "_bulk_get"):
            guard character.hasBulkGet else { return error(405, "method_not_allowed", "Only GET,HEAD allowed") }
            let asksParts = request.headers.contains { $0.name == "Accept" && $0.value == "multipart/mixed" }
            return bulkGet(value, target, inParts: asksParts && character.hasBulkGetParts)
        case ("POST", "_bulk_docs"): return bulkDocs(value)
        case ("POST", "_godwit") where character.keepsArrivals: return arrivals(value)
        case ("GET", "_local"):
            guard let local = database.locals[target.segments[1]] else { return error(404, "not_found", "missing") }
            return json(200, .object(local))
        case ("PUT", "_local"): return putLocal(target.segments[1], value?.objectValue ?? [:])
        case ("PUT", _): return try put(target, body, request)
        case ("GET", _) where target.segments.count > 1: return attachment(target, request)
        case ("GET", _): return openRevisions(target)
        default: return error(405, "method_not_allowed")
        }
    }

    func body(of request: TransportRequest) async throws(ReplicationError) -> [UInt8] {
        switch request.body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let pieces, let length):
            var body: [UInt8] = []
            do {
                for try await piece in pieces { body += piece }
            } catch {
                throw ReplicationError(.network, "the body of the request: \(error)")
            }
            guard body.count == length else { throw ReplicationError(.network, "a body of another length") }
            return body
        }
    }

    private func changes(_ target: ModelTarget) -> TransportResponse {
        let (rows, pending) = database.changes(after: target.query["since"], limit: Int(target.query["limit"]!)!)
        let results = rows.map { row -> JSONValue in
            let leaves = database.documents[row.id]!.leaves
            return [
                "id": .string(row.id), "seq": .null,
                "changes": .array(leaves.map { ["rev": .string($0.description)] }),
            ]
        }
        let last = pending > 0 ? rows.last!.sequence : database.sequence
        return json(
            200,
            [
                "results": .array(results), "last_seq": .string(database.position(last)),
                "pending": .integer(Int64(pending)),
            ])
    }

    private func missing(_ value: JSONValue?) -> TransportResponse {
        var answer = JSONObject()
        for (id, revisions) in value?.objectValue ?? [:] {
            let document = database.documents[id]
            let missing = (revisions.arrayValue ?? []).filter { revision in
                // As in CouchDB, an ancestor whose body is not here is still known.
                document?.nodes[RevisionID(revision.stringValue!)!] == nil
            }
            guard !missing.isEmpty else { continue }
            let ancestors = (document?.leaves ?? []).map { JSONValue.string($0.description) }
            answer[id] = ["missing": .array(missing), "possible_ancestors": .array(ancestors)]
        }
        return json(200, .object(answer))
    }
}
