//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitStore

/// Sends requests to one database on a server, and reads the responses.
package final class Peer: Sendable {
    /// The features that the server does not support, as its responses showed. The value of a feature describes the
    /// response which showed that the feature is missing. The value is `nil` if the feature is supported or was not
    /// tried yet.
    package struct MissingFeatures: Sendable {
        /// `_bulk_get`.
        package var bulkGet: String?
        /// `_bulk_get` that answers in parts.
        package var bulkGetParts: String?
        /// Documents as `multipart/related`.
        package var multipart: String?
        /// Requests whose bodies are compressed with gzip.
        package var gzip: String?
        /// Resumable uploads of attachments, which only Godwit supports (`_godwit/arrivals`).
        package var arrivals: String?
    }

    /// The URL of the database at the peer, without credentials.
    package let url: String
    /// The default time limit of a request, in seconds.
    private let secondsMax: Int
    /// The default maximum length of a response in memory, in bytes.
    private let bytesMax: Int
    private let transport: any Transport
    private let authenticator: PeerAuthenticator
    private let headers: [(name: String, value: String)]
    private let interceptor: RequestInterceptor?
    private let features = Mutex(MissingFeatures())
    /// Whether JSON is sent with gzip. By default, gzip is not used for a server on this machine, because compression
    /// would cost more than it saves.
    private let packs: Bool

    /// Creates a peer. Sends nothing.
    ///
    /// - Parameters:
    ///   - url: The address of the database, and the credentials of its URL.
    ///   - credentials: The credentials. By default, the credentials in the URL are used.
    ///   - headers: Headers of each request.
    ///   - interceptor: Reads and changes requests, and reads responses.
    ///   - secondsMax: The default time limit of a request, in seconds.
    ///   - bytesMax: The default maximum length of a response in memory, in bytes.
    ///   - packs: Whether JSON is sent with gzip. By default, gzip is used if the server is not on this machine.
    ///   - transport: Sends the requests.
    package init(
        _ url: RemoteURL, credentials: Credentials? = nil, headers: [(name: String, value: String)] = [],
        interceptor: RequestInterceptor? = nil, secondsMax: Int, bytesMax: Int, packs: Bool? = nil,
        transport: any Transport
    ) {
        self.url = url.description
        self.transport = transport
        self.secondsMax = secondsMax
        self.bytesMax = bytesMax
        self.headers = headers
        self.interceptor = interceptor
        self.packs = packs ?? !RemoteURL.isLoopback(url.description)
        authenticator = PeerAuthenticator(
            credentials: credentials ?? url.credentials, url: url.description, transport: transport,
            secondsMax: secondsMax)
    }

    /// The features that the server does not support.
    package var missingFeatures: MissingFeatures { features.withLock { $0 } }

    /// Records that the server does not support a feature.
    package func noteMissing(_ change: (inout MissingFeatures) -> Void) { features.withLock { change(&$0) } }

    /// A response with its body.
    package struct Answer {
        /// The HTTP status.
        package let status: Int
        /// The media type. The text is empty if the server sent no type.
        package let contentType: String
        /// The body, decompressed.
        package let body: [UInt8]
        /// The seconds to wait before the next request, from `Retry-After`.
        package let retryAfterSeconds: Double?
        /// The address to which the server redirects, without credentials and query; `nil` if it does not redirect.
        package let redirection: String?

        /// Creates an answer from a response and its body.
        package init(to response: TransportResponse, body: [UInt8]) {
            status = response.status
            contentType = response["Content-Type"] ?? ""
            self.body = body
            retryAfterSeconds = response.retryAfterSeconds
            let location = (300..<400).contains(response.status) ? response["Location"] : nil
            redirection =
                location.flatMap { text in
                    try? RemoteURL(String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self))
                }?.description
        }

        /// The boundary of a multipart body, or `nil` if the body has no parts.
        package var partsBoundary: String? { MediaType(contentType)?.boundary }
    }

    // MARK: Requests

    /// Sends a request for a path below the database, and returns the response when its head has arrived. Responses
    /// with any status are returned.
    ///
    /// The request is sent again if the server refused the session or the token, or if the interceptor asks for it. A
    /// streamed body must therefore be iterable more than once.
    package func begin(
        _ method: String, _ path: String, headers addedHeaders: [(name: String, value: String)] = [],
        body: TransportRequest.Body = .none, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> TransportResponse {
        var mayRefresh = true
        var mayIntercept = interceptor != nil
        while true {
            let authorization = try await authenticator.current()
            var request = request(method, path, authorization, headers: addedHeaders, secondsMax: secondsMax)
            request.body = body
            var interceptedRequest = RequestInterceptor.Request(
                method: method, url: request.url, headers: request.headers)
            await interceptor?.onRequest(&interceptedRequest)
            request.headers = interceptedRequest.headers
            let response = try await transport.send(request)
            if mayIntercept, let interceptor,
                await interceptor.onResponse(
                    interceptedRequest, .init(status: response.status, headers: response.headers))
            {
                mayIntercept = false
                continue
            }
            if [401, 403].contains(response.status), mayRefresh,
                try await authenticator.refused(authorization, status: response.status)
            {
                mayRefresh = false
                continue
            }
            await authenticator.renewed(by: response)
            return response
        }
    }

    /// Returns a request for a path below the database, with the present credentials, for a program that sends it later.
    /// The interceptor does not see it.
    package func request(_ method: String, _ path: String) async throws(ReplicationError) -> TransportRequest {
        let request = request(method, path, try await authenticator.current(), headers: [], secondsMax: nil)
        try request.check()
        return request
    }

    private func request(
        _ method: String, _ path: String, _ authorization: (name: String, value: String)?,
        headers addedHeaders: [(name: String, value: String)], secondsMax: Int?
    ) -> TransportRequest {
        var request = TransportRequest(
            method: method, url: path.isEmpty ? url : "\(url)/\(path)", secondsMax: secondsMax ?? self.secondsMax)
        request.headers = [("User-Agent", "Godwit")] + headers + addedHeaders
        if let authorization { request.headers.append(authorization) }
        return request
    }

    /// The minimum length of a body that is sent with gzip, in bytes.
    private static let packedBytesMin = 1_024

    /// Sends a request and returns the response with its body. A request that was sent with gzip is sent again without
    /// gzip if the server refused it.
    package func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, accepting contentType: String = "application/json",
        bytesMax: Int? = nil, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> Answer {
        var headers: [(name: String, value: String)] = [("Accept", contentType)]
        if packs { headers.append(("Accept-Encoding", "gzip")) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        if packs, missingFeatures.gzip == nil, let body, body.count >= Peer.packedBytesMin {
            let answer = try await answer(
                to: begin(
                    method, path, headers: headers + [("Content-Encoding", "gzip")],
                    body: .bytes(Peer.packed(body)), secondsMax: secondsMax), bytesMax: bytesMax)
            guard [400, 415, 501].contains(answer.status) else { return answer }
            // The server may have refused gzip rather than the request, so the request is sent again without gzip to
            // find out.
            let plainAnswer = try await self.answer(
                to: begin(method, path, headers: headers, body: .bytes(body), secondsMax: secondsMax),
                bytesMax: bytesMax)
            if plainAnswer.status != answer.status {
                noteMissing { $0.gzip = "a request compressed by gzip returned the status \(answer.status)" }
            }
            return plainAnswer
        }
        return try await answer(
            to: begin(method, path, headers: headers, body: body.map { .bytes($0) } ?? .none, secondsMax: secondsMax),
            bytesMax: bytesMax)
    }

    private func answer(to response: TransportResponse, bytesMax: Int?) async throws(ReplicationError) -> Answer {
        Answer(
            to: response,
            body: try await response.collect(
                bytesMax: bytesMax ?? self.bytesMax,
                isPacked: response["Content-Encoding"]?.lowercased() == "gzip"))
    }

    private static func packed(_ body: [UInt8]) -> [UInt8] {
        var packer = GzipPacker()
        return packer.pack(body) + packer.end()
    }

    /// Sends a request and returns the JSON of a successful response.
    package func json(
        _ method: String, _ path: String, body: [UInt8]? = nil, bytesMax: Int? = nil, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> JSONTape {
        let answer = try await send(method, path, body: body, bytesMax: bytesMax, secondsMax: secondsMax)
        try check(answer, accepting: [200, 201, 202])
        return try tape(answer)
    }

    // MARK: Responses

    /// Parses the body of an answer.
    package func tape(_ answer: Answer) throws(ReplicationError) -> JSONTape { try tape(answer.body) }

    /// Parses the body of a response.
    package func tape(_ body: [UInt8]) throws(ReplicationError) -> JSONTape {
        do throws(JSONError) {
            return try JSONTape(scanning: body, limits: .replicated)
        } catch {
            throw nonsense("a response cannot be read: \(error)")
        }
    }

    /// Throws the error that an answer reports. Does nothing if the answer has one of the given statuses.
    package func check(_ answer: Answer, accepting statuses: [Int]) throws(ReplicationError) {
        guard !statuses.contains(answer.status) else { return }
        let (error, reason) = words(answer)
        switch answer.status {
        case 401, 403:
            throw ReplicationError(
                .unauthorized,
                "\(url) denied access (\(answer.status) \(error): \(reason)). Check the name and the password.",
                status: answer.status)
        case 404:
            throw ReplicationError(.databaseNotFound, "\(url): \(reason)", status: 404)
        default:
            throw ReplicationError(
                .peerFailed, "\(url) answered \(answer.status) \(error): \(reason)", status: answer.status,
                retryAfterSeconds: answer.retryAfterSeconds)
        }
    }

    /// Does nothing if an answer has one of the given statuses and contains `"ok": true`. Throws an error for any other
    /// answer. Therefore, the page of a proxy with status 200 is not treated as a success.
    package func checkDone(_ answer: Answer, accepting statuses: [Int] = [200, 201, 202]) throws(ReplicationError) {
        try check(answer, accepting: statuses)
        let tape = try tape(answer)
        guard tape.kind(0) == .object, tape.member("ok", of: 0).flatMap({ tape.bool($0) }) == true else {
            throw nonsense("the response to a write has no `ok`")
        }
    }

    /// The error for a response that a CouchDB server cannot send.
    package func nonsense(_ detail: String) -> ReplicationError {
        ReplicationError(.badResponse, "\(url) does not respond like CouchDB: \(detail)")
    }

    /// CouchDB's `error` and `reason` of an answer.
    package func words(_ answer: Answer) -> (error: String, reason: String) {
        guard let tape = try? JSONTape(scanning: answer.body), tape.kind(0) == .object else {
            if let address = answer.redirection { return ("redirect", "use the address \(address) instead.") }
            let type = answer.contentType.isEmpty ? "without a type" : "of the type \(answer.contentType.prefix(100))"
            return ("unknown_error", "the response is not CouchDB's but \(type); a proxy may have sent it.")
        }
        if let address = answer.redirection { return ("redirect", "use the address \(address) instead.") }
        let error = tape.text("error", of: 0)
        return (error.hasTooManyMarks ? "unknown_error" : error, tape.reason(of: 0))
    }

    /// The status for CouchDB's `error`, for a row of `_bulk_docs` without a status.
    package static func status(of error: String) -> Int {
        guard !error.hasTooManyMarks else { return 500 }
        return switch error {
        case "unauthorized": 401
        case "forbidden": 403
        case "not_found": 404
        case "conflict": 409
        case Peer.missingStub: 412
        case "document_too_large", "too_large", "attachment_too_large": 413
        case "bad_request", "doc_validation", "illegal_docid": 400
        default: 500
        }
    }
    /// CouchDB's `error` for an attachment stub whose bytes the server does not have.
    package static let missingStub = "missing_stub"

    /// Whether an answer says that the database does not exist. The status alone does not show this, because it can
    /// also mean that a document does not exist.
    package static func isDatabaseMissing(_ answer: Answer) -> Bool {
        guard answer.status == 404, let tape = try? JSONTape(scanning: answer.body), tape.kind(0) == .object else {
            return false
        }
        return ["no_db_file", "Database does not exist."].contains(tape.reason(of: 0))
    }

    /// A document's path below its database. The slash after `_design` or `_local` is not escaped.
    package static func path(of id: String) -> String {
        for prefix in ["_design/", "_local/"] where id.utf8.starts(with: prefix.utf8) {
            return prefix + String(decoding: id.utf8.dropFirst(prefix.utf8.count), as: UTF8.self).percentEncoded
        }
        return id.percentEncoded
    }
}
