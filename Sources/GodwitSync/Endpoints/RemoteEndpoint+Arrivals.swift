//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitJSON
import GodwitStore

// CouchDB takes a document with its attachments in one request, which must be sent again from the beginning after a
// lost connection. Godwit keeps the bytes that arrived if a part of the request has the header
// `MultipartWriter.startHeader`, and reports their number on request. A server that answers this request gets only the
// remaining bytes; any other server gets CouchDB's request.

extension RemoteEndpoint {
    /// The offset of each attachment of a document from which it is sent: the server has the bytes before. `nil` for an
    /// attachment that the server would not keep after a lost connection.
    ///
    /// - Returns: `nil` if the server has the document, because a response was lost or an earlier run ended before it
    ///   arrived.
    func starts(
        of document: ReplicatedDocument, by carrier: AttachmentCarrier
    ) async throws(ReplicationError) -> [Int?]? {
        let announced = document.attachments.map { $0.announced }
        let asked = zip(document.attachments, announced).filter { $1 != nil }.map(\.0)
        let wasSent = carrier.wasSent(document)
        var arrivals = Arrivals()
        if wasSent || document.attachmentBytes >= limits.attachmentsResumedBytesMin, !asked.isEmpty,
            asked.count <= StoreLimits.arrivalsAskedMax
        {
            arrivals = try await arrived(of: asked, by: carrier)
        }
        if wasSent || arrivals.hasWaited {
            let revision = RevisionsOfDocument(id: document.id, revisions: [document.revision])
            if try await missing([revision]).isEmpty { return nil }
        }
        var rest = arrivals.bytes[...]
        return announced.map { $0 == nil ? nil : rest.popFirst() }
    }

    private struct Arrivals {
        /// The number of bytes of each requested attachment. Empty if the server does not report it.
        var bytes: [Int] = []
        /// Whether another request with these attachments was in progress, and ended.
        var hasWaited = false
    }

    /// The interval of requests to a server that has not noticed yet that the connection of the last request was lost,
    /// in milliseconds.
    private static let arrivalsPollMilliseconds = 500

    /// Asks the server for the number of bytes of attachments that arrived.
    ///
    /// If a request of another run is in progress, waits for its end: it may be an earlier one of this device whose
    /// connection was lost.
    private func arrived(
        of attachments: [ReplicatedAttachment], by carrier: AttachmentCarrier
    ) async throws(ReplicationError) -> Arrivals {
        guard peer.missingFeatures.arrivals == nil else { return Arrivals() }
        let body = RemoteEndpoint.question(attachments)
        let began = ContinuousClock.now
        var hasWaited = false
        while true {
            let answer = try await peer.send(
                "POST", "_godwit/arrivals", body: body, bytesMax: limits.answerBytesMax)
            guard let told = arrivals(answer, of: attachments) else { return Arrivals(hasWaited: hasWaited) }
            let isStrange = zip(attachments, told).contains { $1.isActive && !carrier.isBeingSent($0) }
            guard isStrange, ContinuousClock.now - began < .seconds(limits.arrivalsWaitSecondsMax) else {
                return Arrivals(bytes: told.map(\.bytes), hasWaited: hasWaited)
            }
            hasWaited = true
            do {
                try await Task.sleep(for: .milliseconds(RemoteEndpoint.arrivalsPollMilliseconds))
            } catch {
                throw ReplicationError(reading: error, url.description)
            }
        }
    }

    private static func question(_ attachments: [ReplicatedAttachment]) -> [UInt8] {
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

    /// - Returns: `nil` if the server does not support the request. That is recorded, unless the failure is transient.
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
    /// Whether a document was refused because of attachment bytes from an earlier attempt.
    func isOfArrivals(_ answer: Answer) -> Bool {
        [400, 412].contains(answer.status) && ["missing_arrival", "content_md5_mismatch"].contains(words(answer).error)
    }
}
