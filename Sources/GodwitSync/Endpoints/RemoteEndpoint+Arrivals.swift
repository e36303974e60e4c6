//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

// CouchDB takes a document with its attachments in one request, which begins anew after a cut. A Godwit keeps what arrived
// when a part of the request says that its sender will come back for it (`MultipartWriter.startHeader`), and tells how much
// that is. So one that is asked and answers gets the rest alone; any other gets CouchDB's request.

extension RemoteEndpoint {
    /// Where each attachment of a document is begun to be sent: what is before is at the peer. `nil` for one that the peer
    /// would not keep.
    func starts(
        of document: ReplicatedDocument, by carrier: AttachmentCarrier
    ) async throws(ReplicationError) -> [Int?] {
        let plain = document.attachments.map { _ in nil as Int? }
        let wasSent = carrier.wasSent(document)
        guard peer.lacks.arrivals == nil,
            wasSent || document.attachmentBytes >= limits.attachmentsResumedBytesMin
        else { return plain }
        let announced = document.attachments.map { $0.announced }
        let asked = zip(document.attachments, announced).filter { $1 != nil }.map(\.0)
        guard !asked.isEmpty, asked.count <= StoreLimits.arrivalsAskedMax,
            let arrived = try await arrived(of: asked, waiting: wasSent)
        else { return plain }
        var rest = arrived[...]
        return announced.map { $0 == nil ? nil : rest.removeFirst() }
    }

    /// How often a peer is asked that has not noticed yet that the last request was cut, in milliseconds.
    private static let arrivalsPollMilliseconds = 500

    /// How many bytes of attachments arrived.
    ///
    /// - Parameter waiting: Whether to wait for the end of requests that are under way: it may be the last one from here.
    /// - Returns: `nil` when the peer does not tell.
    private func arrived(
        of attachments: [ReplicatedAttachment], waiting: Bool
    ) async throws(ReplicationError) -> [Int]? {
        let body = RemoteEndpoint.question(attachments)
        let began = ContinuousClock.now
        while true {
            let answer = try await peer.send("POST", "_godwit/arrivals", body: body)
            guard let arrivals = arrivals(answer, of: attachments) else { return nil }
            guard waiting, arrivals.contains(where: \.isUnderWay),
                ContinuousClock.now - began < .seconds(limits.arrivalsWaitSecondsMax)
            else { return arrivals.map(\.bytes) }
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

    /// - Returns: `nil` when it is no answer to the question, which is remembered unless that may pass.
    private func arrivals(
        _ answer: Peer.Answer, of attachments: [ReplicatedAttachment]
    ) -> [(bytes: Int, isUnderWay: Bool)]? {
        guard answer.status == 200 else {
            if !ReplicationError.transientStatuses.contains(answer.status) {
                peer.learn { $0.arrivals = "_godwit/arrivals was answered \(answer.status)" }
            }
            return nil
        }
        guard let tape = try? peer.tape(answer) else { return nil }
        let rows = tape.list("arrivals", of: 0)
        guard rows.count == attachments.count else { return nil }
        var arrivals: [(bytes: Int, isUnderWay: Bool)] = []
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
    /// Whether a document was refused for what arrived of its attachments earlier.
    func isOfArrivals(_ answer: Answer) -> Bool {
        [400, 412].contains(answer.status) && ["missing_arrival", "content_md5_mismatch"].contains(words(answer).error)
    }
}
