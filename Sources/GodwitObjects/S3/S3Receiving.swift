//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitObjectFiles
import GodwitObjectStore
import GodwitServer
import HTTPTypes
import NIOCore

/// Receives the body of a request, in any of S3's encodings, and checks its digests.
struct S3Receiving {
    let directory: ObjectDirectory

    /// The received bytes, and the checksum that the client sent with them.
    struct Received {
        let upload: FinishedUpload
        /// The checksum that the client sent, keyed by the name of its header; empty if the client sent no checksum.
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

    private static func isChunked(_ request: S3Request) -> Bool { request.identity.payloadHash.hasPrefix("STREAMING-") }

    func receive(_ request: S3Request) async throws -> Received {
        let expectedMD5 = try request.expectedMD5
        let hash = request.identity.payloadHash
        var checksum = try algorithm(of: request).map { Checksum($0) }
        guard S3Receiving.isChunked(request) else {
            let isDigest = hash.utf8.count == 64
            guard isDigest || hash == SignatureV4.unsignedPayload else {
                throw S3Failure.invalid(
                    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a valid sha256 value, or a STREAMING value.")
            }
            let upload = try await request.head.receiveObject(of: request.account.id, in: directory) {
                checksum?.update($0)
            }
            try request.checkDigest(upload.sha256)
            return try checked(upload, checksum, expectedMD5, trailers: [], request)
        }
        return try await receiveChunks(request, expectedMD5, checksum)
    }

    private func receiveChunks(
        _ request: S3Request, _ expectedMD5: [UInt8]?, _ checksum: Checksum?
    ) async throws -> Received {
        let hash = request.identity.payloadHash
        let kinds = [
            SignatureV4.streamingPayload, SignatureV4.streamingPayloadWithTrailer,
            SignatureV4.unsignedPayloadWithTrailer,
        ]
        guard kinds.contains(hash) else { throw S3Failure.notImplemented("The payload \(hash)") }
        var checksum = checksum
        var payload = ChunkedPayload(
            signing: hash == SignatureV4.unsignedPayloadWithTrailer ? nil : request.identity.signing,
            hasTrailers: hash != SignatureV4.streamingPayload)
        let length = try S3Receiving.length(of: request) ?? 0
        let upload = try await directory.beginUpload(of: request.account.id)
        try await request.head.readBody(bytesMax: ObjectLimits.uploadBytesMax * 2) { buffer in
            let bytes = try payload.read([UInt8](buffer.readableBytesView))
            checksum?.update(bytes)
            guard bytes.count <= length.subtractingSaturated(upload.byteCount) else { throw S3Receiving.incomplete }
            try await upload.append(bytes)
        }
        try payload.finish()
        guard upload.byteCount == length else { throw S3Receiving.incomplete }
        let finished = try await directory.run { _ in try upload.finish() }
        return try checked(finished, checksum, expectedMD5, trailers: payload.trailers, request)
    }

    private static let incomplete = HTTPFailure(
        .badRequest, "IncompleteBody",
        "You did not provide the number of bytes specified by the x-amz-decoded-content-length HTTP header.")

    /// Returns the algorithm of the checksum that a request announces; `nil` if the request announces no checksum.
    private func algorithm(of request: S3Request) throws -> Checksum.Algorithm? {
        let announced =
            Checksum.Algorithm.allCases.filter { request.head.header($0.header) != nil }.map(\.header)
            + (request.head.header("x-amz-trailer") ?? "").split(separator: ",").map {
                $0.filter { $0 != " " }.lowercased()
            }.filter { $0.hasPrefix("x-amz-checksum-") }
        guard announced.count <= 1 else { throw S3Failure.invalid("Expecting a single x-amz-checksum- header.") }
        guard let header = announced.first else { return nil }
        guard let algorithm = Checksum.Algorithm.allCases.first(where: { $0.header == header }) else {
            throw S3Failure.invalid("The checksum \(header) is not known.")
        }
        return algorithm
    }

    /// Compares the digests that the client sent with the digests of the received bytes.
    private func checked(
        _ upload: FinishedUpload, _ checksum: Checksum?, _ expectedMD5: [UInt8]?,
        trailers: [(name: String, value: String)], _ request: S3Request
    ) throws -> Received {
        if let expectedMD5, expectedMD5.hexadecimal != upload.md5 {
            throw ObjectError(.badDigest, "The Content-MD5 you specified did not match what we received.")
        }
        guard let checksum else { return Received(upload: upload, checksums: [:]) }
        let header = checksum.algorithm.header
        let given = request.head.header(header) ?? trailers.last { $0.name == header }?.value
        let expected = checksum.text
        guard given?.isIdenticalText(to: expected) ?? false else {
            throw ObjectError(
                .badDigest, "The \(checksum.algorithm.rawValue) you specified did not match what we received.")
        }
        return Received(upload: upload, checksums: [header: expected])
    }
}
