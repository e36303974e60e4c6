//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport

/// The bytes of an attachment, or a range of them, read from a server.
struct AttachmentDownload: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    private let database: CouchDatabase
    private let attachment: RemoteAttachment
    private let range: Range<Int>
    private let firstResponse = FirstResponse()

    /// The response of a request that was sent before the first read.
    private final class FirstResponse: Sendable {
        let response = Mutex<TransportResponse?>(nil)
    }

    init(database: CouchDatabase, attachment: RemoteAttachment, range: Range<Int>) {
        self.database = database
        self.attachment = attachment
        self.range = range
    }

    private var isEntireAttachment: Bool { range.count == attachment.length }

    /// The first byte of the request's range. An empty range cannot be requested, so one byte is requested instead. The
    /// response shows whether the attachment exists.
    private var start: Int { Swift.min(range.lowerBound, Swift.max(0, attachment.length - 1)) }

    /// Sends the request. The first iterator reads its response.
    func begin() async throws(StoreError) {
        let response = try await request()
        firstResponse.response.withLock { $0 = response }
    }

    private func request() async throws(StoreError) -> TransportResponse {
        let path =
            "\(Peer.path(of: attachment.documentID))/\(attachment.name.percentEncoded)?rev=\(attachment.revision)"
        let lastByte = Swift.max(start, range.upperBound - 1)
        let response: TransportResponse
        let answer: Peer.Answer
        do throws(ReplicationError) {
            response = try await database.peer.begin(
                "GET", path, headers: isEntireAttachment ? [] : [("Range", "bytes=\(start)-\(lastByte)")],
                secondsMax: CouchDatabase.carrySecondsMax)
            guard ![200, 206].contains(response.status) else { return response }
            answer = Peer.Answer(
                to: response, body: try await response.collect(bytesMax: database.limits.responseBytesMax))
        } catch {
            throw StoreError(error, at: database.url)
        }
        throw database.failure(answer, .other("the attachment \(attachment.name) of \(attachment.documentID)"))
    }

    func makeAsyncIterator() -> Iterator { Iterator(download: self) }

    struct Iterator: AsyncIteratorProtocol {
        let download: AttachmentDownload
        var pieces: (any AsyncIteratorProtocol<[UInt8], any Error>)?
        /// The number of bytes to drop at the beginning of the response, if the server does not support ranges.
        var droppedCount = 0
        /// The number of bytes of the range that have not arrived yet.
        var remainingCount = 0
        var md5 = MessageDigest(.md5)
        var isEnded = false

        init(download: AttachmentDownload) { self.download = download }

        mutating func next() async throws -> [UInt8]? {
            guard !isEnded else { return nil }
            if pieces == nil { try await start() }
            while true {
                guard let piece = try await nextPiece() else {
                    try end()
                    return nil
                }
                let neededBytes = piece.dropFirst(droppedCount).prefix(remainingCount)
                droppedCount = Swift.max(0, droppedCount - piece.count)
                remainingCount -= neededBytes.count
                if download.isEntireAttachment {
                    guard neededBytes.count == piece.count else {
                        throw download.fault("more bytes were received than announced")
                    }
                    md5.update(piece)
                } else if remainingCount == 0 {
                    isEnded = true
                }
                if !neededBytes.isEmpty { return Array(neededBytes) }
                if isEnded { return nil }
            }
        }

        private mutating func start() async throws(StoreError) {
            let response: TransportResponse
            if let firstResponse = download.firstResponse.response.withLock({ $0.take() }) {
                response = firstResponse
            } else {
                response = try await download.request()
            }
            remainingCount = download.range.count
            if response.status == 200 {
                droppedCount = download.start
            } else if response["Content-Range"]?.begins(with: "bytes \(download.start)-") != true {
                throw download.fault("the response has another range than requested")
            }
            pieces = response.body.makeAsyncIterator()
        }

        private mutating func nextPiece() async throws(StoreError) -> [UInt8]? {
            guard var current = pieces else { return nil }
            defer { pieces = current }
            do {
                return try await current.next(isolation: nil)
            } catch {
                throw StoreError(ReplicationError(reading: error, ""), at: download.database.url)
            }
        }

        private mutating func end() throws(StoreError) {
            isEnded = true
            guard remainingCount == 0 else {
                throw StoreError(
                    .unreachable,
                    "\(download.subject): the connection ended \(remainingCount) bytes too early. Read it again.")
            }
            let announced = download.attachment
            guard download.isEntireAttachment, announced.isDigestOfBytes,
                announced.digest.utf8.starts(with: "md5-".utf8)
            else {
                return
            }
            guard AttachmentDigest.text(md5.finish()).isIdenticalText(to: announced.digest) else {
                throw download.fault("its digest differs from the announced one")
            }
        }
    }

    private var subject: String { "\(database.url), the attachment \(attachment.name) of \(attachment.documentID)" }

    private func fault(_ detail: String) -> StoreError {
        StoreError(.badAnswer, "\(subject): \(detail). Read it again.")
    }
}
