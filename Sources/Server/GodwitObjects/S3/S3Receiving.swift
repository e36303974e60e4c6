//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes
import NIOCore

/// Receives the body of a request, in any of S3's encodings, and checks its digests.
struct S3Receiving {
    let directory: ObjectDirectory

    /// The received bytes and their checksums.
    struct Received {
        let upload: FinishedUpload
        /// The checksum that the client sent and the one that was asked for, keyed by the names of their headers.
        let checksums: [String: String]
    }

    /// Returns the length of the object that a request declares; `nil` if the request declares none.
    static func length(of request: S3Request) throws -> Int? {
        guard request.head.hasLength else {
            throw HTTPFailure(
                .lengthRequired, "MissingContentLength", "You must provide the Content-Length HTTP header.")
        }
        guard isChunked(request) else { return request.head.contentLength }
        guard let length = request.head.header("x-amz-decoded-content-length").flatMap({ Int($0) }), length >= 0 else {
            throw HTTPFailure(
                .lengthRequired, "MissingContentLength",
                "You must provide the x-amz-decoded-content-length HTTP header.")
        }
        return length
    }

    private static func isChunked(_ request: S3Request) -> Bool {
        request.identity.payloadHash.begins(with: "STREAMING-")
    }

    /// Receives the body.
    ///
    /// - Parameter wanted: The checksum of an upload in parts, which is computed even if the client does not send it.
    func receive(_ request: S3Request, wanted: UploadChecksum? = nil) async throws -> Received {
        let expectedMD5 = try request.expectedMD5
        let hash = request.identity.payloadHash
        let sent = try S3Receiving.sentAlgorithm(of: request)
        try wanted?.check(sent)
        var checksums = Set([sent, wanted?.algorithm].compactMap { $0 }).map { Checksum($0) }
        guard S3Receiving.isChunked(request) else {
            let isDigest = hash.utf8.count == 64
            guard isDigest || hash == SignatureV4.unsignedPayload else {
                throw S3Failure.invalid(
                    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a valid sha256 value, or a STREAMING value.")
            }
            let upload = try await request.head.receiveObject(of: request.account.id, in: directory) {
                for index in checksums.indices { checksums[index].update($0) }
            }
            try request.checkDigest(upload.sha256)
            return try checked(upload, checksums, sent, expectedMD5, trailers: [], request)
        }
        return try await receiveChunks(request, expectedMD5, checksums, sent)
    }

    private func receiveChunks(
        _ request: S3Request, _ expectedMD5: [UInt8]?, _ checksums: [Checksum], _ sent: Checksum.Algorithm?
    ) async throws -> Received {
        let hash = request.identity.payloadHash
        let kinds = [
            SignatureV4.streamingPayload, SignatureV4.streamingPayloadWithTrailer,
            SignatureV4.unsignedPayloadWithTrailer,
        ]
        // Exact: the kinds are ASCII.
        guard kinds.contains(hash) else { throw S3Failure.notImplemented("The payload \(hash)") }
        var checksums = checksums
        var payload = ChunkedPayload(
            signing: hash == SignatureV4.unsignedPayloadWithTrailer ? nil : request.identity.signing,
            hasTrailers: hash != SignatureV4.streamingPayload)
        let length = try S3Receiving.length(of: request) ?? 0
        let upload = try await directory.beginUpload(of: request.account.id)
        try await request.head.readBody(bytesMax: ObjectLimits.uploadBytesMax * 2) { buffer in
            let bytes = try payload.read([UInt8](buffer.readableBytesView))
            for index in checksums.indices { checksums[index].update(bytes) }
            guard bytes.count <= length.subtractingSaturated(upload.byteCount) else { throw S3Receiving.incomplete }
            try await upload.append(bytes)
        }
        try payload.finish()
        guard upload.byteCount == length else { throw S3Receiving.incomplete }
        let finished = try await directory.run { _ in try upload.finish() }
        return try checked(finished, checksums, sent, expectedMD5, trailers: payload.trailers, request)
    }

    private static let incomplete = HTTPFailure(
        .badRequest, "IncompleteBody",
        "You did not provide the number of bytes specified by the x-amz-decoded-content-length HTTP header.")

    /// Returns the algorithm of the checksum that a request announces, in a header or for the end of the body; `nil` if
    /// it announces none.
    ///
    /// - Throws: ``HTTPFailure`` if the request announces several checksums, or names an unknown algorithm.
    private static func sentAlgorithm(of request: S3Request) throws(HTTPFailure) -> Checksum.Algorithm? {
        for header in ["x-amz-sdk-checksum-algorithm", UploadChecksum.algorithmHeader] {
            if let name = request.head.header(header) { _ = try Checksum.Algorithm(named: name) }
        }
        var sent = try Checksum.algorithms(inHeadersOf: request.head)
        for name in (request.head.header("x-amz-trailer") ?? "").commaSeparatedItems {
            if let algorithm = try Checksum.algorithm(ofHeader: name.lowercasedASCII) { sent.append(algorithm) }
        }
        guard sent.count <= 1 else {
            throw HTTPFailure(.badRequest, "InvalidRequest", "Expecting a single x-amz-checksum- header.")
        }
        return sent.first
    }

    /// Compares the digests that the client sent with the digests of the received bytes.
    private func checked(
        _ upload: FinishedUpload, _ checksums: [Checksum], _ sent: Checksum.Algorithm?, _ expectedMD5: [UInt8]?,
        trailers: [(name: String, value: String)], _ request: S3Request
    ) throws -> Received {
        if let expectedMD5, !expectedMD5.hexadecimal.isIdenticalText(to: upload.md5) {
            throw ObjectError(.badDigest, "The Content-MD5 you specified did not match what we received.")
        }
        let values = Dictionary(checksums.map { ($0.algorithm.header, $0.text) }, uniquingKeysWith: { $1 })
        if let sent {
            let given =
                request.head.header(sent.header) ?? trailers.last { $0.name.isIdenticalText(to: sent.header) }?.value
            guard let given, let value = values[sent.header], given.isIdenticalText(to: value) else {
                throw ObjectError(.badDigest, "The \(sent.rawValue) you specified did not match what we received.")
            }
        }
        return Received(upload: upload, checksums: values)
    }
}
