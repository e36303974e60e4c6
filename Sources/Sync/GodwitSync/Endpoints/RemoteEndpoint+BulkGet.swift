//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport

// A response of `_bulk_get` has one of two forms. A response without the bytes of attachments is JSON. For documents
// with the bytes of attachments, `multipart/mixed` is requested, which contains the bytes unencoded. A server that does
// not support `multipart/mixed` is asked for JSON.

extension RemoteEndpoint {
    /// Fetches many documents by one request.
    ///
    /// - Returns: `nil` if the server has no `_bulk_get`. This is recorded as a missing feature.
    func bulkGet(
        _ wanted: [WantedRevisions], withAttachments: Bool, bytesMax: Int
    ) async throws(ReplicationError) -> RevisionsRead? {
        let path = "_bulk_get?revs=true&latest=true&att_encoding_info=true&attachments=\(withAttachments)"
        let body = RemoteEndpoint.bulkGetBody(wanted, withAttachments: withAttachments)
        // A response of more than twice the requested size is abandoned, and fewer documents are requested.
        let bytesMax = wanted.count > 1 ? 2 * bytesMax : limits.responseBytesMax
        var parts: Peer.Answer?
        if withAttachments { parts = try await bulkGetParts(path, body: body, bytesMax: bytesMax) }
        let answer =
            if let parts { parts } else { try await peer.send("POST", path, body: body, bytesMax: bytesMax) }
        if [404, 405, 501].contains(answer.status), !Peer.isDatabaseMissing(answer) {
            peer.noteMissing { $0.bulkGet = "_bulk_get returned the status \(answer.status)" }
            return nil
        }
        try peer.check(answer, accepting: [200])
        var rows = BulkGetRows(wanted)
        if let boundary = answer.partsBoundary {
            try read(parts: answer.body, boundary: boundary, into: &rows)
        } else {
            try read(list: try peer.tape(answer), withAttachments, into: &rows)
        }
        // Revisions that were refused or not returned are requested again, one by one. A revision is reported as failed
        // if the second request for it also fails.
        let unanswered = rows.unanswered
        guard !unanswered.isEmpty else { return rows.result }
        return rows.result
            + (try await openRevisions(unanswered, withAttachments: withAttachments, bytesMax: bytesMax))
    }

    /// Requests the documents with the bytes of their attachments, as `multipart/mixed`.
    ///
    /// - Returns: The response, which some servers send as JSON. The result is `nil` if the server must be asked for
    ///   JSON, because it refused `multipart/mixed` now or earlier. A refusal is recorded as a missing feature.
    private func bulkGetParts(
        _ path: String, body: [UInt8], bytesMax: Int
    ) async throws(ReplicationError) -> Peer.Answer? {
        guard peer.missingFeatures.bulkGetParts == nil else { return nil }
        let answer = try await peer.send("POST", path, body: body, accepting: "multipart/mixed", bytesMax: bytesMax)
        let isRefused = [400, 406, 415, 500].contains(answer.status)
        if isRefused || answer.status == 200 && answer.partsBoundary == nil {
            let responseText = "\(answer.status) \(answer.contentType)"
            peer.noteMissing { $0.bulkGetParts = "_bulk_get as multipart/mixed returned \(responseText)" }
        }
        return isRefused ? nil : answer
    }

    private static func bulkGetBody(_ wanted: [WantedRevisions], withAttachments: Bool) -> [UInt8] {
        var body: [UInt8] = []
        for document in wanted {
            for revision in document.revisions {
                body.append(raw: body.isEmpty ? "{\"docs\":[{\"id\":" : ",{\"id\":")
                JSONWriter.appendQuoted(document.id, to: &body)
                body.append(raw: ",\"rev\":\"\(revision)\"")
                if withAttachments, !document.knownAncestors.isEmpty {
                    body.append(raw: ",\"atts_since\":\(document.knownAncestors.jsonText)")
                }
                body.append(UInt8(ascii: "}"))
            }
        }
        body.append(raw: body.isEmpty ? "{\"docs\":[]}" : "]}")
        return body
    }

    // MARK: Responses

    private func read(
        list tape: JSONTape, _ withAttachments: Bool, into rows: inout BulkGetRows
    ) throws(ReplicationError) {
        guard tape.kind(0) == .object, tape.member("results", of: 0) != nil else {
            throw peer.nonsense("_bulk_get has no results")
        }
        for row in tape.list("results", of: 0) {
            for entry in tape.list("docs", of: row) where tape.kind(entry) == .object {
                if let document = tape.member("ok", of: entry) {
                    rows.add(try self.document(tape, document, rows.requested, withAttachments))
                } else {
                    rows.refuse(tape, entry)
                }
            }
        }
    }

    private func read(parts body: [UInt8], boundary: String, into rows: inout BulkGetRows) throws(ReplicationError) {
        for part in try parts(of: body, boundary: boundary) {
            let innerBoundary = part.headers.contentType?.boundary
            let parts = if let innerBoundary { try parts(of: part.body, boundary: innerBoundary) } else { [part] }
            guard let text = parts.first?.body else { continue }
            let tape = try peer.tape(text)
            // A part without `_id` is an error. A member `error` does not show that a part is an error, because a
            // document may have such a member.
            guard tape.kind(0) == .object, tape.member("_id", of: 0) != nil else {
                rows.refuse(tape, 0)
                continue
            }
            guard var document = try document(tape, 0, rows.requested, true) else { continue }
            if let arrived = tape.arrived(parts.dropFirst()) {
                document.arrived = arrived
                rows.add(document)
            } else {
                // The attachments differ from their descriptions in the document.
                rows.refuse(document)
            }
        }
    }

    private func parts(
        of body: [UInt8], boundary: String
    ) throws(ReplicationError) -> [(headers: MultipartHeaders, body: [UInt8])] {
        do throws(MultipartError) {
            return try MultipartReader.parts(of: body, boundary: boundary)
        } catch {
            throw peer.nonsense("_bulk_get: \(error.message)")
        }
    }
}

/// The requested revisions and the results of `_bulk_get`.
private struct BulkGetRows {
    private(set) var result = RevisionsRead()
    /// The requested revisions, keyed by the document's id.
    let requested: [ExactText: WantedRevisions]
    private let wanted: [WantedRevisions]
    private var answered: [ExactText: Answered] = [:]
    private var refused: [WantedRevisions] = []

    /// The results for one document.
    private struct Answered {
        var count = 0
        var revisions: Set<RevisionID> = []
    }

    init(_ wanted: [WantedRevisions]) {
        self.wanted = wanted
        requested = Dictionary(wanted.map { (ExactText($0.id), $0) }) { first, _ in first }
    }

    /// The revisions that were refused or not returned.
    ///
    /// A leaf may be returned instead of a requested ancestor. Therefore, a document is complete if it has as many
    /// results as requested revisions, even if other revisions were returned.
    var unanswered: [WantedRevisions] {
        var counts: [ExactText: Int] = [:]
        for wantedRevisions in wanted {
            counts[ExactText(wantedRevisions.id), default: 0] += wantedRevisions.revisions.count
        }
        let missing = wanted.compactMap { wantedRevisions -> WantedRevisions? in
            let received = answered[ExactText(wantedRevisions.id)] ?? Answered()
            guard received.count < counts[ExactText(wantedRevisions.id)] ?? 0 else { return nil }
            var remaining = wantedRevisions
            remaining.revisions.removeAll(where: received.revisions.contains)
            return remaining.revisions.isEmpty ? nil : remaining
        }
        return refused + missing
    }

    mutating func add(_ document: ReplicatedDocument?) {
        guard let document, let wantedRevisions = requested[ExactText(document.id)] else { return }
        recordResult(document.id, document.revision)
        result.add(document, of: wantedRevisions)
    }

    /// Records the row of a response which says that the server does not have a revision.
    mutating func refuse(_ tape: JSONTape, _ row: Int) {
        guard tape.kind(row) == .object, let error = tape.member("error", of: row), tape.kind(error) == .object,
            let revision = RevisionID(tape.text("rev", of: error))
        else { return }
        refuse(tape.text("id", of: error), revision)
    }

    /// Records a document that arrived damaged.
    mutating func refuse(_ document: ReplicatedDocument) { refuse(document.id, document.revision) }

    private mutating func refuse(_ id: String, _ revision: RevisionID) {
        guard let wantedRevisions = requested[ExactText(id)] else { return }
        recordResult(id, revision)
        refused.append(
            WantedRevisions(
                id: wantedRevisions.id, revisions: [revision], knownAncestors: wantedRevisions.knownAncestors))
    }

    private mutating func recordResult(_ id: String, _ revision: RevisionID) {
        answered[ExactText(id), default: Answered()].count += 1
        answered[ExactText(id), default: Answered()].revisions.insert(revision)
    }
}

extension JSONTape {
    /// The attachments of a document. Their bytes are the parts that follow the document, in the order of the
    /// attachments in it.
    ///
    /// - Returns: `nil` if the parts differ from the descriptions of the attachments in the document.
    fileprivate func arrived(
        _ parts: ArraySlice<(headers: MultipartHeaders, body: [UInt8])>
    ) -> [ReplicatedDocument.Arrived]? {
        var parts = parts
        var arrived: [ReplicatedDocument.Arrived] = []
        if let members = member("_attachments", of: 0), kind(members) == .object {
            for (key, value) in self.members(of: members) where bytesFollow(value) {
                let attachment = attachment(key, value)
                guard let part = parts.popFirst(),
                    let bytes = attachment.bytes(of: part.body, isPacked: part.headers["Content-Encoding"] == "gzip")
                else { return nil }
                arrived.append(ReplicatedDocument.Arrived(attachment: attachment, bytes: bytes))
            }
        }
        return parts.isEmpty ? arrived : nil
    }

    private func bytesFollow(_ value: Int) -> Bool {
        kind(value) == .object && member("follows", of: value).flatMap { bool($0) } == true
    }
}

extension ReplicatedAttachment {
    /// The decompressed bytes of the attachment.
    ///
    /// - Returns: `nil` if the digest or the length differs from the description.
    fileprivate func bytes(of body: [UInt8], isPacked: Bool) -> [UInt8]? {
        guard !digest.begins(with: "md5-") || digest.isIdenticalText(to: AttachmentDigest.text(of: body)) else {
            return nil
        }
        guard self.isPacked || isPacked else { return body.count == length ? body : nil }
        // A few compressed bytes may decompress to a gigabyte.
        guard let bytes = try? GzipUnpacker.unpacked(body, bytesMax: length), bytes.count == length else { return nil }
        return bytes
    }
}
