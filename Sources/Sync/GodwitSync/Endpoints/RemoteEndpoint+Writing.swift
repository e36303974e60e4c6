//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
public import GodwitTransport

extension RemoteEndpoint {
    /// See ``DatabaseEndpoint/write(_:replication:)``.
    public func write(
        _ documents: [ReplicatedDocument], replication id: String
    ) async throws(ReplicationError) -> [ReplicationFailure] {
        guard !documents.isEmpty else { return [] }
        var body: [UInt8] = []
        body.reserveCapacity(documents.reduce(32) { $0 + $1.bytes + 1 })
        body.append(raw: "{\"new_edits\":false,\"docs\":[")
        for (index, document) in documents.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += document.textWithArrived
        }
        body.append(raw: "]}")
        let answer = try await peer.send("POST", "_bulk_docs", body: body, bytesMax: limits.answerBytesMax)
        // If the server refuses the request because of one document, each half of the documents is sent in a separate
        // request. The halves are divided again until the refused document is alone in its request.
        if [400, 412, 413].contains(answer.status) {
            guard documents.count > 1 else { return [peer.failure(of: documents[0], answer)] }
            let middle = documents.count / 2
            let firstFailures = try await write(Array(documents[..<middle]), replication: id)
            return firstFailures + (try await write(Array(documents[middle...]), replication: id))
        }
        try peer.check(answer, accepting: [200, 201, 202])
        let tape = try peer.tape(answer)
        guard tape.kind(0) == .array else { throw peer.nonsense("the response to _bulk_docs is not a list") }
        return tape.elements(of: 0).compactMap { failure(tape, $0) }
    }

    private func failure(_ answer: JSONTape, _ row: Int) -> ReplicationFailure? {
        guard answer.kind(row) == .object, answer.member("error", of: row) != nil else { return nil }
        let error = answer.text("error", of: row)
        let status = answer.member("status", of: row).flatMap { answer.int($0) }
        return ReplicationFailure(
            id: answer.text("id", of: row), revision: RevisionID(answer.text("rev", of: row)),
            status: status.flatMap { (400...599).contains($0) ? $0 : nil } ?? Peer.status(of: error), error: error,
            reason: answer.reason(of: row))
    }

    // MARK: With attachments

    /// See ``DatabaseEndpoint/carry(_:by:replication:)``.
    public func carry(
        _ document: ReplicatedDocument, by carrier: AttachmentCarrier, replication id: String
    ) async throws(ReplicationError) -> ReplicationFailure? {
        var failure: ReplicationFailure?
        if peer.missingFeatures.multipart == nil {
            guard let starts = try await starts(of: document, by: carrier) else {
                carrier.forget(document)
                return nil
            }
            let hasMovedOn = carrier.begin(document, at: starts)
            do throws(ReplicationError) {
                failure = try await carry(document, from: starts, by: carrier)
            } catch {
                carrier.end(document)
                var error = error
                error.hasMovedOn = hasMovedOn
                throw error
            }
        }
        // The request above may have shown that the server does not support multipart.
        if peer.missingFeatures.multipart != nil {
            failure = try await carryInline(document, by: carrier, replication: id)
        }
        carrier.forget(document)
        return failure
    }

    /// Sends a document followed by its attachments, without the bytes that the server already has.
    private func carry(
        _ document: ReplicatedDocument, from starts: [Int?], by carrier: AttachmentCarrier
    ) async throws(ReplicationError) -> ReplicationFailure? {
        var answer = try await send(document, from: starts, by: carrier)
        if starts.contains(where: { $0 ?? 0 > 0 }), peer.isOfArrivals(answer) {
            // The bytes of an earlier attempt are deleted or wrong, so the attachments are sent again from the
            // beginning.
            answer = try await send(document, from: starts.map { $0.map { _ in 0 } }, by: carrier)
        }
        if [200, 201, 202].contains(answer.status) {
            try peer.checkDone(answer)
            return nil
        }
        let failure = peer.failure(of: document, answer)
        if answer.status == 415 {
            peer.noteMissing { $0.multipart = "a document as multipart/related returned the status 415" }
            return failure
        }
        // After a transient failure of the document, the whole step fails and is tried again. After any other failure,
        // the replication continues without this document.
        guard failure.isTransient else { return failure }
        try peer.check(answer, accepting: [])
        return failure
    }

    private func send(
        _ document: ReplicatedDocument, from starts: [Int?], by carrier: AttachmentCarrier
    ) async throws(ReplicationError) -> Peer.Answer {
        let parts = zip(document.attachments, starts).map { attachment, start in
            MultipartBody.Part(
                name: attachment.name, contentType: attachment.contentType, length: attachment.length - (start ?? 0),
                start: start, pieces: { try await carrier.stream(attachment, of: document, from: start ?? 0) })
        }
        let body = MultipartBody(text: document.textWithFollowing, parts: parts)
        let response = try await peer.begin(
            "PUT", "\(Peer.path(of: document.id))?new_edits=false",
            headers: [("Content-Type", body.contentType), ("Accept", "application/json")],
            body: .stream(body, length: body.length), secondsMax: RemoteEndpoint.carrySecondsMax)
        return Peer.Answer(to: response, body: try await response.collect(bytesMax: limits.answerBytesMax))
    }

    /// Sends a document with its attachments as Base64, to a server that does not support multipart.
    private func carryInline(
        _ document: ReplicatedDocument, by carrier: AttachmentCarrier, replication id: String
    ) async throws(ReplicationError) -> ReplicationFailure? {
        guard document.attachmentBytes <= limits.bytesInFlightMax else {
            return ReplicationFailure(
                id: document.id, revision: document.revision, status: 415, error: "bad_content_type",
                reason: "the target does not accept multipart, and the attachments are too large for JSON")
        }
        var inline = ReplicatedDocument(id: document.id, revision: document.revision, text: document.text)
        for attachment in document.attachments {
            let stream = try await carrier.stream(attachment, of: document, from: 0)
            var collected: [UInt8] = []
            do {
                for try await piece in stream { collected += piece }
            } catch {
                throw ReplicationError(reading: error, "\(document.id), attachment \(attachment.name)")
            }
            inline.arrived.append(ReplicatedDocument.Arrived(attachment: attachment, bytes: collected))
        }
        return try await write([inline], replication: id).first
    }

    /// The time limit for a document with large attachments, in seconds. A dead connection is detected much earlier.
    private static let carrySecondsMax = 86_400
}

extension Peer {
    /// Creates the failure of a document. The server refused a request that contained only this document.
    func failure(of document: ReplicatedDocument, _ answer: Answer) -> ReplicationFailure {
        let (error, reason) = words(answer)
        return ReplicationFailure(
            id: document.id, revision: document.revision, status: answer.status, error: error, reason: reason)
    }
}
