//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The client of a request. A signature proves the identity of the client. The signature is in the header
/// `Authorization` or in the query.
struct S3Identity: Sendable {
    let account: ObjectAccount
    /// The signature of the request, and its key. They are needed to check the signatures of chunks. `nil` for a
    /// signature of version 2, with which chunks cannot be signed.
    let signing: ChunkedPayload.Signing?
    /// The payload hash in the signed text.
    let payloadHash: String
}

/// Checks the signatures of requests.
struct S3Authenticator {
    let directory: ObjectDirectory
    /// Whether presigned URLs with signature version 2 are accepted.
    var acceptsVersion2 = false

    /// The largest difference between the clocks of client and server, in seconds.
    private static let skewSecondsMax = 900
    /// The longest validity of a presigned URL, in seconds.
    static let presignedSecondsMax = 604_800

    /// Whether a parameter of the query belongs to the signature of a presigned URL, and selects no resource. With
    /// version 2, signed headers are repeated as parameters.
    static func isOfSignature(_ name: String, in request: ServerRequest) -> Bool {
        name.begins(with: "X-Amz-") || SignatureV2Check.isOwn(name)
            || SignatureV2Check.isOfHeader(name) && request.header(name) != nil
    }

    /// The parts of a signature in a request.
    private struct Claim {
        let accessKey: String
        let day: String
        let region: String
        let timestamp: String
        let signedHeaders: [String]
        let signature: String
        let payloadHash: String
        /// Whether the signature is in the query.
        let isPresigned: Bool
    }

    /// Identifies the client of a request.
    ///
    /// - Throws: ``HTTPFailure`` with S3's code.
    func identify(_ request: ServerRequest, _ target: S3Target) async throws -> S3Identity {
        if request.hasQuery("AWSAccessKeyId"), !request.hasQuery("X-Amz-Signature") {
            return try await SignatureV2Check(authenticator: self).identify(request, target)
        }
        let claim = try claim(of: request)
        try checkHeaders(of: request, claim)
        let account = try await account(accessKey: claim.accessKey)
        let signature = SignatureV4(
            secret: account.secretKey, timestamp: claim.timestamp, region: claim.region)
        let headers = claim.signedHeaders.map { ($0, S3Authenticator.value(of: $0, request)) }
        let query = request.target.query.filter { $0.name != "X-Amz-Signature" }
        let isGenuine = [target.rawPath, S3Authenticator.normalized(target.rawPath)].contains { path in
            let signed = SignatureV4.Request(
                method: request.head.method.rawValue, path: path, query: query, headers: headers,
                payloadHash: claim.payloadHash)
            return constantTimeEqual(signature.signature(of: signed), claim.signature)
        }
        guard isGenuine else { throw S3Failure.signatureMismatch }
        return S3Identity(
            account: account, signing: ChunkedPayload.Signing(signature: signature, seed: claim.signature),
            payloadHash: claim.payloadHash)
    }

    /// Returns the account of an access key.
    func account(accessKey: String) async throws -> ObjectAccount {
        guard let account = try await directory.run({ try $0.account(accessKey: accessKey) }) else {
            throw HTTPFailure(
                .forbidden, "InvalidAccessKeyId", "The access key ID you provided does not exist in our records.")
        }
        return account
    }

    // MARK: Reading the signature

    private func claim(of request: ServerRequest) throws -> Claim {
        if request.hasQuery("X-Amz-Signature") || request.hasQuery("X-Amz-Algorithm") {
            return try presignedClaim(of: request)
        }
        guard let header = request.header(.authorization) else { throw S3Failure.accessDenied }
        guard header.begins(with: "\(SignatureV4.algorithm) ") else {
            guard header.begins(with: "AWS") else { throw S3Failure.accessDenied }
            throw HTTPFailure(
                .badRequest, "InvalidRequest",
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.")
        }
        var fields: [String: String] = [:]
        for item in String(header.utf8.dropFirst(SignatureV4.algorithm.utf8.count))?.commaSeparatedItems ?? [] {
            let pair = item.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1).map(Substring.init)
            if pair.count == 2 { fields[String(pair[0])] = String(pair[1]) }
        }
        let timestamp = request.header("x-amz-date") ?? ""
        guard let time = SignatureV4.seconds(ofTimestamp: timestamp) else {
            throw HTTPFailure(
                .forbidden, "AccessDenied", "AWS authentication requires a valid Date or x-amz-date header.")
        }
        guard time.subtractingSaturated(ObjectTime.now).magnitude <= S3Authenticator.skewSecondsMax else {
            throw HTTPFailure(
                .forbidden, "RequestTimeTooSkewed",
                "The difference between the request time and the current time is too large.")
        }
        guard let hash = request.header("x-amz-content-sha256") else {
            throw HTTPFailure(
                .badRequest, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
        }
        return try claim(fields, timestamp: timestamp, payloadHash: hash, isPresigned: false)
    }

    private func presignedClaim(of request: ServerRequest) throws -> Claim {
        let names = [
            "X-Amz-Credential": "Credential", "X-Amz-SignedHeaders": "SignedHeaders", "X-Amz-Signature": "Signature",
        ]
        var fields: [String: String] = [:]
        for (name, field) in names { fields[field] = request.query(name) }
        let timestamp = request.query("X-Amz-Date") ?? ""
        guard request.query("X-Amz-Algorithm") == SignatureV4.algorithm,
            let time = SignatureV4.seconds(ofTimestamp: timestamp),
            let seconds = request.query("X-Amz-Expires").flatMap({ Int($0) })
        else {
            throw HTTPFailure(
                .badRequest, "AuthorizationQueryParametersError",
                "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
                    + "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.")
        }
        guard 1...S3Authenticator.presignedSecondsMax ~= seconds else {
            throw HTTPFailure(
                .badRequest, "AuthorizationQueryParametersError", "X-Amz-Expires must be between 1 and 604800 seconds.")
        }
        guard time <= ObjectTime.now + S3Authenticator.skewSecondsMax else {
            throw HTTPFailure(.forbidden, "AccessDenied", "Request is not valid yet")
        }
        guard ObjectTime.now < time.addingSaturated(seconds) else {
            throw HTTPFailure(.forbidden, "AccessDenied", "Request has expired")
        }
        return try claim(
            fields, timestamp: timestamp,
            payloadHash: request.query("X-Amz-Content-Sha256") ?? request.header("x-amz-content-sha256")
                ?? SignatureV4.unsignedPayload, isPresigned: true)
    }

    private func claim(
        _ fields: [String: String], timestamp: String, payloadHash: String, isPresigned: Bool
    ) throws -> Claim {
        let scope = (fields["Credential"] ?? "").utf8
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard scope.count == 5, scope[3] == "s3", scope[4] == "aws4_request", let signature = fields["Signature"],
            let signed = fields["SignedHeaders"]?.utf8.split(separator: UInt8(ascii: ";")),
            case let headers = signed.map({ String(decoding: $0, as: UTF8.self) }), headers.contains("host")
        else {
            throw HTTPFailure(
                .badRequest, "AuthorizationHeaderMalformed",
                "The authorization header needs Credential=KEY/DATE/REGION/s3/aws4_request, SignedHeaders with host, and "
                    + "Signature.")
        }
        guard timestamp.begins(with: scope[1]) else { throw S3Failure.signatureMismatch }
        return Claim(
            accessKey: scope[0], day: scope[1], region: scope[2], timestamp: timestamp, signedHeaders: headers,
            signature: signature, payloadHash: payloadHash, isPresigned: isPresigned)
    }

    /// Throws an error if the request contains an unsigned header of S3, because an attacker could have added this
    /// header to the signed request. There is one exception: if the URL is presigned, the header `x-amz-content-sha256`
    /// may be unsigned. This is safe, because the header is only used if it is equal to the signed payload hash.
    private func checkHeaders(of request: ServerRequest, _ claim: Claim) throws {
        let unsigned = request.head.headerFields.first { field in
            field.name.canonicalName.begins(with: "x-amz-")
                && !claim.signedHeaders.contains(where: field.name.canonicalName.isIdenticalText)
                && !(claim.isPresigned && field.name.canonicalName == "x-amz-content-sha256")
        }
        guard let unsigned else { return }
        throw HTTPFailure(
            .forbidden, "AccessDenied",
            "There were headers present in the request which were not signed: \(unsigned.name.canonicalName)")
    }

    private static func value(of header: String, _ request: ServerRequest) -> String {
        guard header != "host" else { return request.head.authority ?? "" }
        guard let name = HTTPField.Name(header) else { return "" }
        return request.head.headerFields[values: name].joined(separator: ",")
    }

    /// Returns a path with the percent escapes that clients use in the signed text. Some clients use fewer escapes in
    /// the request.
    private static func normalized(_ path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { part in
            [UInt8](percentEncoded: part).map { String(decoding: $0, as: UTF8.self).percentEncoded(keeping: nil) }
                ?? String(decoding: part, as: UTF8.self)
        }.joined(separator: "/")
    }
}
