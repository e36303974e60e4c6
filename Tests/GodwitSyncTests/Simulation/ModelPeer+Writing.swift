//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport

extension ModelPeer {
    func putLocal(_ id: String, _ body: JSONObject) -> TransportResponse {
        let current = database.locals[id]?["_rev"]
        guard current == body["_rev"] else { return error(409, "conflict", "Document update conflict.") }
        var body = body
        let next = (current?.stringValue.flatMap { Int($0.dropFirst(2)) } ?? 0) + 1
        body["_rev"] = .string("0-\(next)")
        database.locals[id] = body
        return json(201, ["ok": true])
    }

    func bulkDocs(_ value: JSONValue?) -> TransportResponse {
        guard let documents = value?["docs"]?.arrayValue else { return error(400, "bad_request") }
        var rows: [JSONValue] = []
        for document in documents {
            guard let wrong = write(document, following: []) else { continue }
            // CouchDB refuses the entire request for one stub that it cannot resolve.
            if wrong == "missing_stub" { return error(412, "missing_stub", "Invalid attachment stub") }
            rows.append([
                "id": document["_id"]!, "rev": document["_rev"]!, "error": .string(wrong), "reason": "no",
            ])
        }
        return json(201, .array(rows))
    }

    func put(
        _ target: ModelTarget, _ body: [UInt8], _ request: TransportRequest
    ) throws(ReplicationError) -> TransportResponse {
        guard character.hasMultipart else { return error(415, "bad_content_type") }
        var parts: [Part] = []
        do {
            parts = try self.parts(of: body, request, isComplete: true)
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

    private func parts(of body: [UInt8], _ request: TransportRequest, isComplete: Bool) throws -> [Part] {
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
        if isComplete { try reader.finish() }
        return parts
    }

    /// Returns the digests of the attachments that follow a document.
    private func digests(of document: JSONValue) -> [String?] {
        (document["_attachments"]?.objectValue ?? [:])
            .filter { $0.value["follows"]?.boolValue == true }.map { $0.value["digest"]?.stringValue }
    }

    func arrivals(_ asked: JSONValue?) -> TransportResponse {
        let rows = (asked?.arrayValue ?? []).map { item -> JSONValue in
            ["bytes": .integer(Int64(arrivals[item["digest"]!.stringValue!]?.count ?? 0)), "under_way": false]
        }
        return json(200, ["arrivals": .array(rows)])
    }

    /// Keeps the arrived bytes of an interrupted request. Some are corrupted at random.
    func keep(_ body: [UInt8], _ request: TransportRequest) {
        let arrived = Array(body.prefix(Int.random(in: 0...body.count, using: &random)))
        guard let parts = try? parts(of: arrived, request, isComplete: false), let text = parts.first,
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
        let path = document["_revisions"]!["ids"]!.arrayValue!.enumerated().map { position, hash in
            RevisionID("\(start - position)-\(hash.stringValue!)")!
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
