//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitTransport

// This is the sender's side of resumable uploads of attachments. CouchDB receives a document with its attachments in
// one request. After a lost connection, this request must be sent again from the beginning. A Godwit server stores the
// bytes that it received before the loss, if a part of the request has the header `MultipartWriter.startHeader`. The
// sender asks the server for the number of these bytes with a request to `_godwit/arrivals`, and then sends only the
// remaining bytes. Any other server receives the complete request of CouchDB's protocol.

extension RemoteEndpoint {
    /// Returns the offset from which each attachment of a document is sent. The server has the bytes before the offset.
    ///
    /// An offset is `nil` if the server was not asked for the attachment, or does not store incomplete attachments.
    ///
    /// - Returns: The offsets, in the order of the attachments; `nil` if the server already has the document. Whether
    ///   the server has the document is checked only if the document was sent before, or if this method waited for
    ///   another upload.
    func starts(
        of document: ReplicatedDocument, by carrier: AttachmentCarrier
    ) async throws(ReplicationError) -> [Int?]? {
        let announced = document.attachments.map { $0.announced }
        let resumable = zip(document.attachments, announced).filter { $1 != nil }.map(\.0)
        let wasSent = carrier.wasSent(document)
        var arrivals = Arrivals()
        if wasSent || document.attachmentBytes >= limits.attachmentsResumedBytesMin, !resumable.isEmpty,
            resumable.count <= StoreLimits.arrivalsAskedMax
        {
            arrivals = try await arrived(of: resumable, by: carrier)
        }
        if wasSent || arrivals.hasWaited {
            let revision = RevisionsOfDocument(id: document.id, revisions: [document.revision])
            if try await missing([revision]).isEmpty { return nil }
        }
        var arrivedCounts = arrivals.bytes[...]
        return announced.map { $0 == nil ? nil : arrivedCounts.popFirst() }
    }

    private struct Arrivals {
        /// For each requested attachment, the number of bytes that the server has. The array is empty if the server
        /// does not report these numbers.
        var bytes: [Int] = []
        /// Whether this device waited for another upload of these attachments, until the upload ended or took too long.
        var hasWaited = false
    }

    /// The interval between two requests while another upload of the same attachments is in progress, in milliseconds.
    /// The server is asked several times, because it may not have noticed yet that the connection of that upload was
    /// lost.
    private static let arrivalsPollMilliseconds = 500

    /// Asks the server for the number of bytes of attachments that arrived.
    ///
    /// If another upload of the same attachments is in progress, waits for its end, at most `arrivalsWaitSecondsMax`.
    /// The other upload may be an earlier upload of this device whose connection was lost.
    private func arrived(
        of attachments: [ReplicatedAttachment], by carrier: AttachmentCarrier
    ) async throws(ReplicationError) -> Arrivals {
        guard peer.missingFeatures.arrivals == nil else { return Arrivals() }
        let body = RemoteEndpoint.arrivalsBody(attachments)
        let startTime = ContinuousClock.now
        var hasWaited = false
        while true {
            let answer = try await peer.send(
                "POST", "_godwit/arrivals", body: body, bytesMax: limits.answerBytesMax)
            guard let reported = arrivals(answer, of: attachments) else { return Arrivals(hasWaited: hasWaited) }
            let isSentByOthers = zip(attachments, reported).contains { $1.isActive && !carrier.isBeingSent($0) }
            guard isSentByOthers, ContinuousClock.now - startTime < .seconds(limits.arrivalsWaitSecondsMax) else {
                return Arrivals(bytes: reported.map(\.bytes), hasWaited: hasWaited)
            }
            hasWaited = true
            do {
                try await Task.sleep(for: .milliseconds(RemoteEndpoint.arrivalsPollMilliseconds))
            } catch {
                throw ReplicationError(reading: error, url.description)
            }
        }
    }

    private static func arrivalsBody(_ attachments: [ReplicatedAttachment]) -> [UInt8] {
        var body: [UInt8] = []
        for attachment in attachments {
            body.append(raw: body.isEmpty ? "[" : ",")
            body.append(raw: "{\"digest\":")
            JSONWriter.appendQuoted(attachment.digest, to: &body)
            body.append(raw: ",\"length\":\(attachment.length)}")
        }
        body.append(UInt8(ascii: "]"))
        return body
    }

    /// - Returns: `nil` if the server does not support the request, or its response is invalid. If the status is
    ///   unexpected and not transient, the feature is recorded as missing.
    private func arrivals(
        _ answer: Peer.Answer, of attachments: [ReplicatedAttachment]
    ) -> [(bytes: Int, isActive: Bool)]? {
        guard answer.status == 200 else {
            if !ReplicationError.transientStatuses.contains(answer.status) {
                peer.noteMissing { $0.arrivals = "_godwit/arrivals returned the status \(answer.status)" }
            }
            return nil
        }
        guard let tape = try? peer.tape(answer) else { return nil }
        let rows = tape.list("arrivals", of: 0)
        guard rows.count == attachments.count else { return nil }
        var arrivals: [(bytes: Int, isActive: Bool)] = []
        for (row, attachment) in zip(rows, attachments) {
            guard tape.kind(row) == .object, let bytes = tape.member("bytes", of: row).flatMap({ tape.int($0) }),
                (0...attachment.length).contains(bytes)
            else { return nil }
            arrivals.append((bytes, tape.member("under_way", of: row).flatMap { tape.bool($0) } == true))
        }
        return arrivals
    }
}

extension Peer {
    /// Whether the server refused a document because of attachment bytes that it stored in an earlier attempt.
    func isOfArrivals(_ answer: Answer) -> Bool {
        [400, 412].contains(answer.status) && ["missing_arrival", "content_md5_mismatch"].contains(words(answer).error)
    }
}
