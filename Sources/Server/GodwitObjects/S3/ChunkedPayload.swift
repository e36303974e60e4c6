//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Reads a body in S3's encoding `aws-chunked`: chunks with or without signatures, and trailing headers.
///
/// Each chunk consists of the line `LENGTH[;chunk-signature=SIGNATURE]`, the bytes and a line break. The last chunk has
/// the length 0, and trailing headers may follow it.
struct ChunkedPayload {
    /// The signing of the chunks.
    struct Signing: Sendable {
        let signature: SignatureV4
        /// The signature of the request. It is an input of the signature of the first chunk.
        let seed: String
    }

    private enum State {
        case length, bytes(remaining: Int), lineBreak, trailers, ended
    }

    private static let lineBytesMax = 4_096
    private static let trailersMax = 20

    private let signing: Signing?
    private let hasTrailers: Bool
    private var state = State.length
    private var line: [UInt8] = []
    private var digest = MessageDigest(.sha256)
    private var chunkSignature = ""
    private var previous: String
    /// The trailing headers without their signature, with lower-case names.
    private(set) var trailers: [(name: String, value: String)] = []

    init(signing: Signing?, hasTrailers: Bool) {
        self.signing = signing
        self.hasTrailers = hasTrailers
        previous = signing?.seed ?? ""
    }

    /// Decodes received bytes.
    ///
    /// - Returns: The bytes of the object in `received`.
    mutating func read(_ received: [UInt8]) throws -> [UInt8] {
        var found: [UInt8] = []
        var rest = received[...]
        while !rest.isEmpty {
            switch state {
            case .bytes(let remaining):
                let part = rest.prefix(remaining)
                found += part
                if signing != nil { digest.update(part) }
                rest = rest.dropFirst(part.count)
                state = part.count == remaining ? .lineBreak : .bytes(remaining: remaining - part.count)
            case .length, .lineBreak, .trailers:
                guard let text = try takeLine(&rest) else { return found }
                try handle(text)
            case .ended: throw ChunkedPayload.malformed
            }
        }
        return found
    }

    /// Throws if the body ended too early.
    func finish() throws {
        // The last line break may be missing, because some clients omit it.
        if case .ended = state { return }
        if case .trailers = state, line.isEmpty, !hasTrailers { return }
        throw HTTPFailure(.badRequest, "IncompleteBody", "The request body terminated unexpectedly.")
    }

    /// Removes a line from the received bytes and returns it; `nil` if the line is not complete yet.
    private mutating func takeLine(_ rest: inout ArraySlice<UInt8>) throws -> String? {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        line += rest[..<(end ?? rest.endIndex)]
        guard line.count <= ChunkedPayload.lineBytesMax else { throw ChunkedPayload.malformed }
        rest = end.map { rest[($0 + 1)...] } ?? []
        guard end != nil else { return nil }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line = [] }
        return String(decoding: line, as: UTF8.self)
    }

    private mutating func handle(_ text: String) throws {
        switch state {
        case .length: try beginChunk(text)
        case .lineBreak:
            guard text.isEmpty else { throw ChunkedPayload.malformed }
            try endChunk()
            state = .length
        case .trailers:
            if text.isEmpty { try endTrailers() } else { try addTrailer(text) }
        case .bytes, .ended: throw ChunkedPayload.malformed
        }
    }

    private mutating func beginChunk(_ text: String) throws {
        let parts = text.utf8.split(separator: UInt8(ascii: ";")).map(Substring.init)
        guard let first = parts.first, first.utf8.count <= 15, first.allSatisfy(\.isHexDigit),
            let length = Int(first, radix: 16)
        else {
            throw ChunkedPayload.malformed
        }
        digest = MessageDigest(.sha256)
        chunkSignature =
            parts.dropFirst().first { $0.begins(with: "chunk-signature=") }.map {
                String(Substring($0.utf8.dropFirst(16)))
            } ?? ""
        guard length == 0 else {
            state = .bytes(remaining: length)
            return
        }
        try endChunk()
        state = .trailers
    }

    private mutating func endChunk() throws {
        guard let signing else { return }
        let expected = signing.signature.chunkSignature(digest: digest.finish().hexadecimal, previous: previous)
        guard constantTimeEqual(expected, chunkSignature) else { throw S3Failure.signatureMismatch }
        previous = expected
    }

    private mutating func addTrailer(_ text: String) throws {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), trailers.count < ChunkedPayload.trailersMax
        else {
            throw ChunkedPayload.malformed
        }
        let value = text.utf8[text.utf8.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
        trailers.append((text[..<colon].lowercasedASCII, String(decoding: value, as: UTF8.self)))
    }

    private mutating func endTrailers() throws {
        state = .ended
        guard hasTrailers, let signing else { return }
        let given = trailers.last { $0.name == ChunkedPayload.trailerSignature }?.value ?? ""
        trailers.removeAll { $0.name == ChunkedPayload.trailerSignature }
        guard constantTimeEqual(signing.signature.trailerSignature(trailers, previous: previous), given) else {
            throw S3Failure.signatureMismatch
        }
    }

    private static let trailerSignature = "x-amz-trailer-signature"

    private static var malformed: HTTPFailure {
        HTTPFailure(.badRequest, "InvalidRequest", "The body is not valid in the encoding aws-chunked.")
    }
}

/// Compares two texts in a time that depends only on their lengths.
func constantTimeEqual(_ one: String, _ other: String) -> Bool {
    constantTimeEqual(Array(one.utf8), Array(other.utf8))
}
