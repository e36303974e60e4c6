//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitMultipart
import GodwitStore
import GodwitSync

/// A CouchDB of a few lines behind a network that a seed makes unreliable.
actor ModelPeer: Transport {
    /// What the peer and the way to it are like.
    struct Character {
        var hasBulkGet = true
        var hasMultipart = true
        var hasRanges = true
        /// Whether it is a Godwit, which keeps what arrived of attachments.
        var keepsArrivals = true
        /// Of 1 000 requests, how many go wrong.
        var faults = 0
        /// Documents that it refuses.
        var refuses: @Sendable (String) -> Bool = { _ in false }
    }

    var database = ModelDatabase()
    var character: Character
    private var random: SplitMix
    /// What arrived of attachments, by their digests.
    private var arrivals: [String: [UInt8]] = [:]

    init(_ character: Character, seed: UInt64) {
        self.character = character
        random = SplitMix(state: seed)
    }

    // MARK: What the simulator does to it

    func edit(_ id: String) { database.edit(id, using: &random) }
    func heal() { character.faults = 0 }

    /// Puts it back to a copy of itself, as a restored backup is: the same documents under other places.
    func reset() {
        database.epoch += 1
        database.sequence = 0
        arrivals = [:]
        for id in database.documents.keys.sorted() {
            database.sequence += 1
            database.documents[id]!.sequence = database.sequence
        }
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
            // Executed twice, as a proxy does that sends a request again; of what is long only a part arrives.
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

    private func collected(_ response: TransportResponse) async throws(ReplicationError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await piece in response.body { bytes += piece }
        } catch {
            throw ReplicationError(.network, "\(error)")
        }
        return bytes
    }

    private func response(
        _ status: Int, _ body: [UInt8], _ headers: [(name: String, value: String)] = []
    ) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: CutBody(bytes: body, at: nil))
    }

    private func json(_ status: Int, _ value: JSONValue) -> TransportResponse { response(status, value.jsonBytes()) }

    private func error(_ status: Int, _ word: String, _ reason: String = "") -> TransportResponse {
        json(status, ["error": .string(word), "reason": .string(reason)])
    }

    private func answer(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        let target = ModelTarget(request.url)
        let body = try await body(of: request)
        let value = try? JSONValue(parsing: body)
        switch (request.method, target.segments.first) {
        case ("GET", nil): return json(200, ["db_name": "db"])
        case ("GET", "_changes"): return changes(target)
        case ("POST", "_revs_diff"): return missing(value)
        case ("POST", "_bulk_get"):
            guard character.hasBulkGet else { return error(405, "method_not_allowed", "Only GET,HEAD allowed") }
            return bulkGet(value, target)
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

    private func body(of request: TransportRequest) async throws(ReplicationError) -> [UInt8] {
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
                "results": .array(results), "last_seq": .string(database.place(last)),
                "pending": .integer(Int64(pending)),
            ])
    }

    private func missing(_ value: JSONValue?) -> TransportResponse {
        var answer = JSONObject()
        for (id, revisions) in value?.objectValue ?? [:] {
            let document = database.documents[id]
            let missing = (revisions.arrayValue ?? []).filter { revision in
                // As CouchDB: an ancestor whose body is not here is known all the same.
                document?.nodes[RevisionID(revision.stringValue!)!] == nil
            }
            guard !missing.isEmpty else { continue }
            let ancestors = (document?.leaves ?? []).map { JSONValue.string($0.description) }
            answer[id] = ["missing": .array(missing), "possible_ancestors": .array(ancestors)]
        }
        return json(200, .object(answer))
    }

    // MARK: Reading

    private func text(
        _ id: String, _ revision: RevisionID, attachments: Bool, since: [RevisionID]
    ) -> JSONValue {
        let document = database.documents[id]!
        let node = document.nodes[revision]!
        let path = document.path(from: revision)
        var object: JSONObject = [
            "_id": .string(id), "_rev": .string(revision.description),
            "_revisions": [
                "start": .integer(Int64(revision.generation)), "ids": .array(path.map { .string($0.hashText) }),
            ],
        ]
        if node.isDeleted { object["_deleted"] = true }
        var members = JSONObject()
        for (name, attachment) in node.attachments {
            var member: JSONObject = [
                "content_type": .string(attachment.type), "revpos": .integer(Int64(attachment.position)),
                "digest": .string(attachment.digest),
            ]
            let isKnown = since.contains { path.contains($0) && $0.generation >= attachment.position }
            if attachments, !isKnown {
                var digits: [UInt8] = []
                Base64.append(attachment.bytes, to: &digits)
                member["data"] = .string(String(decoding: digits, as: UTF8.self))
            } else {
                member["stub"] = true
                member["length"] = .integer(Int64(attachment.bytes.count))
            }
            members[name] = .object(member)
        }
        if !members.isEmpty { object["_attachments"] = .object(members) }
        for (name, value) in node.body ?? [:] { object[name] = value }
        return .object(object)
    }

    /// The revision when it is a leaf, or the leaves that descend from it.
    private func latest(_ id: String, _ revision: RevisionID) -> [RevisionID] {
        guard let document = database.documents[id] else { return [] }
        return document.leaves.filter { document.path(from: $0).contains(revision) }
    }

    private func bulkGet(_ value: JSONValue?, _ target: ModelTarget) -> TransportResponse {
        let attachments = target.query["attachments"] == "true"
        let results = (value?["docs"]?.arrayValue ?? []).map { item -> JSONValue in
            let (id, revision) = (item["id"]!.stringValue!, RevisionID(item["rev"]!.stringValue!)!)
            let since = (item["atts_since"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { RevisionID($0) } }
            let found = latest(id, revision).map { leaf -> JSONValue in
                ["ok": text(id, leaf, attachments: attachments, since: since)]
            }
            let error: JSONValue = [
                "error": ["id": .string(id), "rev": item["rev"]!, "error": "not_found", "reason": "missing"]
            ]
            return ["id": .string(id), "docs": .array(found.isEmpty ? [error] : found)]
        }
        return json(200, ["results": .array(results)])
    }

    private func openRevisions(_ target: ModelTarget) -> TransportResponse {
        let id = target.segments[0]
        guard database.documents[id] != nil else { return error(404, "not_found", "missing") }
        let parse = { (text: String?) -> [RevisionID] in
            ((try? JSONValue(parsing: Array((text ?? "[]").utf8)))?.arrayValue ?? []).compactMap {
                $0.stringValue.flatMap { RevisionID($0) }
            }
        }
        let since = parse(target.query["atts_since"])
        let attachments = target.query["attachments"] == "true"
        var rows: [JSONValue] = []
        for revision in parse(target.query["open_revs"]) {
            let found = latest(id, revision)
            rows += found.map { ["ok": text(id, $0, attachments: attachments, since: since)] }
            if found.isEmpty { rows.append(["missing": .string(revision.description)]) }
        }
        return json(200, .array(rows))
    }

    private func attachment(_ target: ModelTarget, _ request: TransportRequest) -> TransportResponse {
        guard let revision = target.query["rev"].flatMap({ RevisionID($0) }),
            let node = database.documents[target.segments[0]]?.nodes[revision],
            let attachment = node.attachments[target.segments[1]]
        else { return error(404, "not_found", "Document is missing attachment") }
        let range = request.headers.first { $0.name == "Range" }?.value
        guard character.hasRanges, let range, let start = Int(range.dropFirst(6).dropLast()) else {
            return response(200, attachment.bytes)
        }
        guard start < attachment.bytes.count else { return error(416, "requested_range_not_satisfiable") }
        let end = attachment.bytes.count
        return response(
            206, Array(attachment.bytes[start...]), [("Content-Range", "bytes \(start)-\(end - 1)/\(end)")])
    }

    // MARK: Writing

    private func putLocal(_ id: String, _ body: JSONObject) -> TransportResponse {
        let current = database.locals[id]?["_rev"]
        guard current == body["_rev"] else { return error(409, "conflict", "Document update conflict.") }
        var body = body
        let next = (current?.stringValue.flatMap { Int($0.dropFirst(2)) } ?? 0) + 1
        body["_rev"] = .string("0-\(next)")
        database.locals[id] = body
        return json(201, ["ok": true])
    }

    private func bulkDocs(_ value: JSONValue?) -> TransportResponse {
        guard let documents = value?["docs"]?.arrayValue else { return error(400, "bad_request") }
        var rows: [JSONValue] = []
        for document in documents {
            guard let wrong = write(document, following: []) else { continue }
            // CouchDB refuses a whole request for one stub that it cannot resolve.
            if wrong == "missing_stub" { return error(412, "missing_stub", "Invalid attachment stub") }
            rows.append([
                "id": document["_id"]!, "rev": document["_rev"]!, "error": .string(wrong), "reason": "no",
            ])
        }
        return json(201, .array(rows))
    }

    private func put(
        _ target: ModelTarget, _ body: [UInt8], _ request: TransportRequest
    ) throws(ReplicationError) -> TransportResponse {
        guard character.hasMultipart else { return error(415, "bad_content_type") }
        var parts: [Part] = []
        do {
            parts = try self.parts(of: body, request, isWhole: true)
        } catch {
            return self.error(400, "bad_request", "\(error)")
        }
        guard let document = try? JSONValue(parsing: parts[0].bytes) else { return error(400, "bad_request") }
        var following: [[UInt8]] = []
        let digests = digests(of: document)
        for (part, digest) in zip(parts.dropFirst(), digests) {
            guard let start = part.start, let digest else {
                following.append(part.bytes)
                continue
            }
            let arrived = arrivals[digest] ?? []
            guard arrived.count >= start else { return error(412, "missing_arrival") }
            let attachment = ModelDatabase.Attachment(bytes: arrived[..<start] + part.bytes, position: 1)
            guard attachment.digest == digest else {
                arrivals[digest] = nil
                return error(400, "content_md5_mismatch")
            }
            following.append(attachment.bytes)
        }
        switch write(document, following: following) {
        case nil:
            for digest in digests { if let digest { arrivals[digest] = nil } }
            return json(201, ["ok": true])
        case "missing_stub": return error(412, "missing_stub")
        case let word?: return error(403, word)
        }
    }

    private struct Part {
        let start: Int?
        var bytes: [UInt8] = []
    }

    private func parts(of body: [UInt8], _ request: TransportRequest, isWhole: Bool) throws -> [Part] {
        let type = request.headers.first { $0.name == "Content-Type" }?.value ?? ""
        var parts: [Part] = []
        var reader = try MultipartReader(boundary: MediaType(type)?.boundary ?? "")
        reader.append(body)
        while let event = try reader.next() {
            switch event {
            case .headers(let headers):
                let start = character.keepsArrivals ? headers[MultipartWriter.startHeader].flatMap { Int($0) } : nil
                parts.append(Part(start: start))
            case .body(let bytes): parts[parts.count - 1].bytes += bytes
            case .partEnd, .end: break
            }
        }
        if isWhole { try reader.finish() }
        return parts
    }

    /// The digests of the attachments that follow a document.
    private func digests(of document: JSONValue) -> [String?] {
        (document["_attachments"]?.objectValue ?? [:])
            .filter { $0.value["follows"]?.boolValue == true }.map { $0.value["digest"]?.stringValue }
    }

    private func arrivals(_ asked: JSONValue?) -> TransportResponse {
        let rows = (asked?.arrayValue ?? []).map { item -> JSONValue in
            ["bytes": .integer(Int64(arrivals[item["digest"]!.stringValue!]?.count ?? 0)), "under_way": false]
        }
        return json(200, ["arrivals": .array(rows)])
    }

    /// Keeps what arrived of a request that was cut, which now and then is not what was sent.
    private func keep(_ body: [UInt8], _ request: TransportRequest) {
        let arrived = Array(body.prefix(Int.random(in: 0...body.count, using: &random)))
        guard let parts = try? parts(of: arrived, request, isWhole: false), let text = parts.first,
            let document = try? JSONValue(parsing: text.bytes)
        else { return }
        for (part, digest) in zip(parts.dropFirst(), digests(of: document)) {
            guard let start = part.start, let digest, start <= arrivals[digest]?.count ?? 0 else { continue }
            var bytes = (arrivals[digest] ?? []).prefix(start) + part.bytes
            if !bytes.isEmpty, Int.random(in: 0..<10, using: &random) == 0 { bytes[bytes.startIndex] ^= 1 }
            arrivals[digest] = Array(bytes)
        }
    }

    private func write(_ document: JSONValue, following parts: [[UInt8]]) -> String? {
        let (id, object) = (document["_id"]!.stringValue!, document.objectValue!)
        if character.refuses(id) { return "forbidden" }
        let start = Int(document["_revisions"]!["start"]!.intValue!)
        let path = document["_revisions"]!["ids"]!.arrayValue!.enumerated().map { place, hash in
            RevisionID("\(start - place)-\(hash.stringValue!)")!
        }
        var attachments: [String: ModelDatabase.Attachment?] = [:]
        var rest = parts[...]
        for (name, member) in object["_attachments"]?.objectValue ?? [:] {
            var bytes: [UInt8]?
            if member["follows"]?.boolValue == true { bytes = rest.removeFirst() }
            if let data = member["data"]?.stringValue { bytes = Base64.decode(data.utf8) }
            let position = Int(member["revpos"]?.intValue ?? 1)
            attachments[name] = .some(bytes.map { ModelDatabase.Attachment(bytes: $0, position: position) })
        }
        var body = JSONObject()
        for (name, value) in object where !name.hasPrefix("_") { body[name] = value }
        return database.graft(
            id, path: path, isDeleted: object["_deleted"]?.boolValue == true, body: body, attachments: attachments)
    }
}

/// The path and query of a request.
private struct ModelTarget {
    let segments: [String]
    var query: [String: String] = [:]

    init(_ url: String) {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // `http://peer/db/…`
        segments = parts[0].split(separator: "/").dropFirst(3).map { ModelTarget.decoded($0) }
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(sides[0])] = ModelTarget.decoded(sides[1])
        }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)!)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A body in two pieces, or one that breaks off.
private struct CutBody: AsyncSequence, Sendable {
    let bytes: [UInt8]
    let at: Int?

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        let body: CutBody
        var place = 0

        mutating func next() async throws -> [UInt8]? {
            if let cut = body.at, place >= cut || place >= body.bytes.count {
                throw ReplicationError(.network, "the connection was cut")
            }
            guard place < body.bytes.count else { return nil }
            let end = Swift.min(body.bytes.count, place + Swift.max(1, body.bytes.count / 2), body.at ?? Int.max)
            defer { place = end }
            return Array(body.bytes[place..<end])
        }
    }
}
