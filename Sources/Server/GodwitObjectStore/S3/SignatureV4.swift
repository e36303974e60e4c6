//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

// A signature is computed in three steps. First, the request is written in a canonical form. Therefore the signature
// remains valid if a proxy changes the order of the query or of the headers. Second, the text to sign is composed of
// the time, the scope and the digest of this form. Third, this text is signed with a key that is derived from the
// secret, the day, the region and the service. Because the key depends on the day, a leaked key cannot be used on the
// next day. Sources: "Signature Calculations for the Authorization Header" (also "… Transferring Payload in Multiple
// Chunks" and "… Including Trailing Headers") and "Authenticating Requests: Using Query Parameters" in the API
// reference of S3.

/// Signs requests with AWS Signature Version 4. Both the client and the server use it.
///
/// ```swift
/// let signer = SignatureV4(secret: secret, timestamp: "20130524T000000Z", region: "us-east-1")
/// let signature = signer.signature(
///     of: SignatureV4.Request(
///         method: "GET", path: "/photos/fog.jpg",
///         headers: [("host", "s3.example"), ("x-amz-content-sha256", hash), ("x-amz-date", signer.timestamp)],
///         payloadHash: hash))
/// ```
package struct SignatureV4: Sendable {
    /// The name of the algorithm.
    package static let algorithm = "AWS4-HMAC-SHA256"
    /// The payload hash of a request whose body is not signed.
    package static let unsignedPayload = "UNSIGNED-PAYLOAD"
    /// The payload hash of a request whose body consists of signed chunks.
    package static let streamingPayload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
    /// The payload hash of a request whose body consists of signed chunks and signed trailing headers.
    package static let streamingPayloadWithTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
    /// The payload hash of a request whose body consists of unsigned chunks and trailing headers.
    package static let unsignedPayloadWithTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"

    /// The time of the request, `yyyyMMddTHHmmssZ`.
    package let timestamp: String
    /// The day, the region and the service for which the key is valid, such as `20130524/us-east-1/s3/aws4_request`.
    package let scope: String

    private let key: [UInt8]

    /// Derives the key of the signatures.
    ///
    /// - Parameters:
    ///   - secret: The secret key of the account.
    ///   - timestamp: The time of the request, `yyyyMMddTHHmmssZ`. Its first eight characters are the day of the scope.
    ///   - region: The region.
    ///   - service: The service.
    package init(secret: String, timestamp: String, region: String, service: String = "s3") {
        let day = String(timestamp.prefix(8))
        self.timestamp = timestamp
        scope = "\(day)/\(region)/\(service)/aws4_request"
        key = [day, region, service, "aws4_request"].reduce(Array("AWS4\(secret)".utf8)) { key, part in
            MessageAuthentication.sha256(part.utf8, key: key)
        }
    }

    // MARK: Requests

    /// Returns the text that is signed for a request.
    package func textToSign(for request: Request) -> String {
        let digest = SignatureV4.digest(of: request.canonicalText.utf8)
        return [SignatureV4.algorithm, timestamp, scope, digest].joined(separator: "\n")
    }

    /// Returns the signature of a request, in 64 hexadecimal digits.
    package func signature(of request: Request) -> String { signature(ofText: textToSign(for: request)) }

    /// Returns the signature of a text, such as the policy of a form, in 64 hexadecimal digits.
    package func signature(ofText text: String) -> String {
        MessageAuthentication.sha256(text.utf8, key: key).hexadecimal
    }

    // MARK: Chunks

    /// Returns the signature of a chunk of a body.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of the chunk's bytes in hexadecimal digits. The last chunk has no bytes.
    ///   - previous: The signature of the previous chunk; for the first chunk, the signature of the request.
    package func chunkSignature(digest: String, previous: String) -> String {
        signature(
            ofText: [
                "\(SignatureV4.algorithm)-PAYLOAD", timestamp, scope, previous, SignatureV4.digest(of: [UInt8]()),
                digest,
            ].joined(separator: "\n"))
    }

    /// Returns the signature of the trailing headers of a body.
    ///
    /// - Parameters:
    ///   - headers: The headers, in their order on the wire, without the signature itself.
    ///   - previous: The signature of the last chunk, which has no bytes.
    package func trailerSignature(_ headers: [(name: String, value: String)], previous: String) -> String {
        let text = headers.map { "\($0.name.lowercasedASCII):\(SignatureV4.trimmed($0.value))\n" }.joined()
        return signature(
            ofText: [
                "\(SignatureV4.algorithm)-TRAILER", timestamp, scope, previous, SignatureV4.digest(of: text.utf8),
            ].joined(separator: "\n"))
    }

    /// Returns the SHA-256 of bytes in hexadecimal digits.
    package static func digest(of bytes: some Collection<UInt8>) -> String {
        MessageDigest.Algorithm.sha256.digest(of: bytes).hexadecimal
    }

    /// Returns the value of a header without spaces at its ends. Several spaces in a row become one space.
    static func trimmed(_ value: String) -> String {
        value.utf8.split { " \t".utf8.contains($0) }.map { Substring($0) }.joined(separator: " ")
    }
}

extension SignatureV4 {
    /// The parts of a request that are signed.
    package struct Request: Sendable {
        private let method: String
        private let path: String
        private let query: [(name: String, value: String)]
        private let headers: [(name: String, value: String)]
        private let payloadHash: String

        /// Creates a request.
        ///
        /// - Parameters:
        ///   - method: The method, in upper case.
        ///   - path: The path as on the wire, with its percent escapes.
        ///   - query: The decoded names and values of the query, in any order, without `X-Amz-Signature`.
        ///   - headers: The headers to sign, in any order. The values of headers with equal names are joined by commas.
        ///   - payloadHash: The SHA-256 of the body in hexadecimal digits, or one of the constants of ``SignatureV4``.
        package init(
            method: String, path: String, query: [(name: String, value: String)] = [],
            headers: [(name: String, value: String)], payloadHash: String
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.payloadHash = payloadHash
        }

        /// The names of the signed headers in lower case, in ascending order, separated by semicolons.
        package var signedHeaders: String { canonicalHeaders.map(\.name).joined(separator: ";") }

        /// The canonical form of the request.
        package var canonicalText: String {
            let headers = canonicalHeaders
            let lines = headers.map { "\($0.name):\($0.value)\n" }.joined()
            let names = headers.map(\.name).joined(separator: ";")
            return [method, path.isEmpty ? "/" : path, canonicalQuery, lines, names, payloadHash]
                .joined(separator: "\n")
        }

        private var canonicalQuery: String {
            let items = query.map { ($0.name.percentEncoded(keeping: nil), $0.value.percentEncoded(keeping: nil)) }
            return items.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        }

        private var canonicalHeaders: [(name: String, value: String)] {
            var values: [String: [String]] = [:]
            for (name, value) in headers {
                values[name.lowercasedASCII, default: []].append(SignatureV4.trimmed(value))
            }
            return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
        }
    }
}
