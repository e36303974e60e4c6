//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Checks presigned URLs with signature version 2, which some clients make by default if the endpoint is not Amazon's.
///
/// The signed text is the method, `Content-MD5`, `Content-Type`, the time of expiry, all headers of S3, the path, and the
/// parameters of the query that select another resource. It does not contain other parameters. Therefore only requests
/// for objects are accepted, and only parameters that are signed: otherwise, the URL of an object could be changed to
/// another request. Source: "Signing and Authenticating REST Requests" in the developer guide of S3.
struct SignatureV2Check {
    let authenticator: S3Authenticator

    private static let methods: [HTTPRequest.Method] = [.get, .head, .put]
    /// The parameters of the signature itself.
    private static let ownParameters = ["AWSAccessKeyId", "Signature", "Expires"].map { ExactText($0) }
    /// The parameters that are part of the signed text.
    private static let signedParameters = Set(
        [
            "acl", "cors", "delete", "lifecycle", "location", "logging", "notification", "partNumber", "policy",
            "requestPayment", "response-cache-control", "response-content-disposition", "response-content-encoding",
            "response-content-language", "response-content-type", "response-expires", "restore", "tagging", "torrent",
            "uploadId", "uploads", "versionId", "versioning", "versions", "website",
        ].map { ExactText($0) })

    /// Whether a parameter of the query belongs to the signature itself.
    static func isOwn(_ parameter: String) -> Bool { ownParameters.contains(ExactText(parameter)) }

    /// Identifies the client of a request.
    ///
    /// - Throws: ``HTTPFailure`` with S3's code.
    func identify(_ request: ServerRequest, _ target: S3Target) async throws -> S3Identity {
        guard authenticator.acceptsVersion2 else {
            throw HTTPFailure(
                .badRequest, "InvalidRequest",
                "The URL has a signature of version 2, which this server does not accept. Please use AWS4-HMAC-SHA256 "
                    + "(signature version s3v4).")
        }
        try checkExpiry(request)
        try checkScope(of: request, target)
        let account = try await authenticator.account(accessKey: request.query("AWSAccessKeyId") ?? "")
        let text = Self.textToSign(request, target)
        let signature = Base64.decode((request.query("Signature") ?? "").utf8) ?? []
        // The comparison takes the same time for all signatures.
        let isGenuine = HMAC<Insecure.SHA1>.isValidAuthenticationCode(
            signature, authenticating: Array(text.utf8), using: SymmetricKey(data: Array(account.secretKey.utf8)))
        guard isGenuine else { throw S3Failure.signatureMismatch }
        return S3Identity(
            account: account, signing: nil,
            payloadHash: request.header("x-amz-content-sha256") ?? SignatureV4.unsignedPayload)
    }

    private func checkExpiry(_ request: ServerRequest) throws(HTTPFailure) {
        guard let text = request.query("Expires"), let time = Int(text) else {
            throw HTTPFailure(.forbidden, "AccessDenied", "Invalid date (should be seconds since epoch)")
        }
        guard ObjectTime.now < time else { throw HTTPFailure(.forbidden, "AccessDenied", "Request has expired") }
        guard time <= ObjectTime.now + S3Authenticator.presignedSecondsMax else {
            throw HTTPFailure(
                .forbidden, "AccessDenied",
                "A presigned URL is valid for at most \(S3Authenticator.presignedSecondsMax) seconds.")
        }
    }

    /// Throws an error for requests whose text to sign does not contain everything that the request means.
    private func checkScope(of request: ServerRequest, _ target: S3Target) throws(HTTPFailure) {
        guard target.key != nil, Self.methods.contains(request.head.method) else {
            throw HTTPFailure(
                .forbidden, "AccessDenied",
                "With signature version 2, objects can be read and written. Use version 4 (s3v4) for other requests.")
        }
        var names: Set<String> = []
        for (name, _) in request.target.query {
            // Clients repeat signed headers as parameters. They have no effect.
            let isHeader = Self.isOfHeader(name)
            let isSigned = isHeader ? request.header(name) != nil : Self.signedParameters.contains(ExactText(name))
            guard names.insert(name).inserted, isSigned || Self.isOwn(name) else {
                throw HTTPFailure(
                    .forbidden, "AccessDenied",
                    isHeader
                        ? "The request needs the header \(name)."
                        : "The parameter \(name) cannot be signed with version 2. Use version 4 (s3v4).")
            }
        }
        // The chunks of a body could not be checked.
        guard request.header("x-amz-content-sha256")?.begins(with: "STREAMING-") != true else {
            throw S3Failure.invalid("x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a valid sha256 value.")
        }
    }

    /// Whether a parameter repeats a signed header.
    static func isOfHeader(_ name: String) -> Bool {
        name.begins(with: "x-amz-") || ["content-type", "content-md5"].contains(name)
    }

    private static func textToSign(_ request: ServerRequest, _ target: S3Target) -> String {
        var headers: [String: [String]] = [:]
        for field in request.head.headerFields where field.name.canonicalName.begins(with: "x-amz-") {
            headers[field.name.canonicalName, default: []].append(field.value)
        }
        let headerLines = headers.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.joined(separator: ","))\n" }
        let parameters = request.target.query.filter { signedParameters.contains(ExactText($0.name)) }
            .sorted { $0.name < $1.name }.map { $0.value.isEmpty ? $0.name : "\($0.name)=\($0.value)" }
        let query = parameters.isEmpty ? "" : "?\(parameters.joined(separator: "&"))"
        return [
            request.head.method.rawValue, request.header("Content-MD5") ?? "", request.header(.contentType) ?? "",
            request.query("Expires") ?? "", "\(headerLines.joined())\(target.version2Path)\(query)",
        ].joined(separator: "\n")
    }
}
