//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport

extension ModelPeer {
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

    /// Returns the revision if it is a leaf, otherwise the leaves that descend from it.
    private func latest(_ id: String, _ revision: RevisionID) -> [RevisionID] {
        guard let document = database.documents[id] else { return [] }
        return document.leaves.filter { document.path(from: $0).contains(revision) }
    }

    func bulkGet(_ value: JSONValue?, _ target: ModelTarget, inParts: Bool) -> TransportResponse {
        let attachments = target.query["attachments"] == "true"
        var found: [(id: String, texts: [JSONValue], error: JSONValue)] = []
        for item in value?["docs"]?.arrayValue ?? [] {
            let (id, revision) = (item["id"]!.stringValue!, RevisionID(item["rev"]!.stringValue!)!)
            let since = (item["atts_since"]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { RevisionID($0) } }
            let error: JSONValue = [
                "error": ["id": .string(id), "rev": item["rev"]!, "error": "not_found", "reason": "missing"]
            ]
            found.append((id, latest(id, revision).map { text(id, $0, attachments: attachments, since: since) }, error))
        }
        if inParts { return parts(found.flatMap { $0.texts.isEmpty ? [$0.error] : $0.texts }) }
        let results = found.map { id, texts, error -> JSONValue in
            ["id": .string(id), "docs": .array(texts.isEmpty ? [error] : texts.map { ["ok": $0] })]
        }
        return json(200, ["results": .array(results)])
    }

    /// Returns documents as `multipart/mixed`. Some are corrupted at random.
    private func parts(_ texts: [JSONValue]) -> TransportResponse {
        var writer = MultipartWriter()
        var body: [UInt8] = []
        for text in texts {
            guard case .object(var object) = text, case .object(var members)? = object["_attachments"] else {
                body += writer.part(MultipartWriter.documentHeaders) + text.jsonBytes()
                continue
            }
            var following: [(name: String, type: String, bytes: [UInt8])] = []
            for (name, member) in members {
                guard case .object(var member) = member, let data = member["data"]?.stringValue else { continue }
                var bytes = Base64.decode(data.utf8)!
                member["data"] = nil
                member["follows"] = true
                member["length"] = .integer(Int64(bytes.count))
                members[name] = .object(member)
                if character.faults > 0, !bytes.isEmpty, Int.random(in: 0..<10, using: &random) == 0 { bytes[0] ^= 1 }
                following.append((name, member["content_type"]!.stringValue!, bytes))
            }
            object["_attachments"] = .object(members)
            var inner = MultipartWriter()
            body += writer.part([("Content-Type", inner.contentType("related"))])
            body += inner.part(MultipartWriter.documentHeaders) + JSONValue.object(object).jsonBytes()
            for (name, type, bytes) in following {
                let headers = MultipartWriter.attachmentHeaders(name: name, contentType: type, length: bytes.count)
                body += inner.part(headers) + bytes
            }
            body += inner.end()
        }
        return response(200, body + writer.end(), [("Content-Type", writer.contentType("mixed"))])
    }

    func openRevisions(_ target: ModelTarget) -> TransportResponse {
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

    func attachment(_ target: ModelTarget, _ request: TransportRequest) -> TransportResponse {
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
}
