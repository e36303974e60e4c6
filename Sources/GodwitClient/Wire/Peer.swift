//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitGzip
package import GodwitJSON
import GodwitMultipart
import GodwitStore
import GodwitThreads

/// Requests to one database elsewhere, and the reading of what it answers.
package final class Peer: Sendable {
    /// What the peer turned out not to be able to do, with what it answered.
    package struct Lacks: Sendable {
        /// `_bulk_get`.
        package var bulkGet: String?
        /// `_bulk_get` that answers in parts.
        package var bulkGetParts: String?
        /// Documents as `multipart/related`.
        package var multipart: String?
        /// Requests packed by gzip.
        package var gzip: String?
        /// What of attachments arrived: only a Godwit tells, and goes on with it.
        package var arrivals: String?
    }

    package let url: String
    /// How long a request may take by default, in seconds.
    private let secondsMax: Int
    /// The longest answer that is held in memory by default, in bytes.
    private let bytesMax: Int
    private let transport: any Transport
    private let authenticator: PeerAuthenticator
    private let headers: [(name: String, value: String)]
    private let interceptor: RequestInterceptor?
    private let held = Mutex(Lacks())
    /// Whether JSON is packed on its way: not within one machine, where it costs more than it saves.
    private let packs: Bool

    /// Creates a peer. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: The database's address and what was in front of its host.
    ///   - credentials: Who we are; by default what the URL said.
    ///   - headers: Headers for each request.
    ///   - interceptor: Looks at requests and answers.
    ///   - secondsMax: How long a request may take, in seconds, unless it says otherwise.
    ///   - bytesMax: The longest answer that is held in memory, in bytes, unless a request says otherwise.
    ///   - packs: Whether JSON is packed by gzip; by default it is, except on the way to this machine.
    ///   - transport: Carries the requests.
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

    /// What it lacks, learnt once.
    package var lacks: Lacks { held.withLock { $0 } }

    /// Changes what it is known to lack.
    package func learn(_ change: (inout Lacks) -> Void) { held.withLock { change(&$0) } }

    /// A whole answer.
    package struct Answer {
        /// The HTTP status.
        package let status: Int
        /// The media type; empty when the peer did not name one.
        package let contentType: String
        /// The body, unpacked.
        package let body: [UInt8]
        /// How long the peer asks to wait, in seconds.
        package let retryAfterSeconds: Double?

        /// Creates an answer from a response whose body was read.
        package init(to response: TransportResponse, body: [UInt8]) {
            status = response.status
            contentType = response["Content-Type"] ?? ""
            self.body = body
            retryAfterSeconds = response.retryAfterSeconds
        }

        /// The boundary between the parts of its body; `nil` when it has none.
        package var partsBoundary: String? { MediaType(contentType)?.boundary }
    }

    // MARK: Requests

    /// Sends a request for a path below the database, and gives the answer once its head is there.
    package func begin(
        _ method: String, _ path: String, headers more: [(name: String, value: String)] = [],
        body: TransportRequest.Body = .none, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> TransportResponse {
        var mayRefresh = true
        var mayIntercept = interceptor != nil
        while true {
            let authorization = try await authenticator.current()
            var request = TransportRequest(
                method: method, url: path.isEmpty ? url : "\(url)/\(path)",
                secondsMax: secondsMax ?? self.secondsMax)
            request.headers = [("User-Agent", "Godwit")] + headers + more
            if let authorization { request.headers.append(authorization) }
            request.body = body
            if let interceptor {
                var shown = RequestInterceptor.Request(method: method, url: request.url, headers: request.headers)
                await interceptor.onRequest(&shown)
                request.headers = shown.headers
            }
            let response = try await transport.send(request)
            if mayIntercept, let interceptor, await interceptor.onResponse(response.status, response.headers) {
                mayIntercept = false
                continue
            }
            if response.status == 401, mayRefresh, await authenticator.refused(authorization) {
                mayRefresh = false
                continue
            }
            await authenticator.renewed(by: response)
            return response
        }
    }

    /// Bodies shorter than this, in bytes, are not worth packing.
    private static let packedBytesMin = 1_024

    /// Sends a request and gives the whole answer.
    package func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, accepting contentType: String = "application/json",
        bytesMax: Int? = nil, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> Answer {
        var headers: [(name: String, value: String)] = [("Accept", contentType)]
        if packs { headers.append(("Accept-Encoding", "gzip")) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        if packs, lacks.gzip == nil, let body, body.count >= Peer.packedBytesMin {
            let answer = try await answer(
                to: begin(
                    method, path, headers: headers + [("Content-Encoding", "gzip")],
                    body: .bytes(Peer.packed(body)), secondsMax: secondsMax), bytesMax: bytesMax)
            guard [400, 415, 501].contains(answer.status) else { return answer }
            // It may be an answer to the packing, not to the request: once more without, to tell.
            let plain = try await self.answer(
                to: begin(method, path, headers: headers, body: .bytes(body), secondsMax: secondsMax),
                bytesMax: bytesMax)
            if plain.status != answer.status { learn { $0.gzip = "a packed request was answered \(answer.status)" } }
            return plain
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

    /// Sends a request that is answered with JSON.
    package func json(
        _ method: String, _ path: String, body: [UInt8]? = nil, bytesMax: Int? = nil, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> JSONTape {
        let answer = try await send(method, path, body: body, bytesMax: bytesMax, secondsMax: secondsMax)
        try check(answer, accepting: [200, 201, 202])
        return try tape(answer)
    }

    // MARK: Answers

    /// The JSON of an answer.
    package func tape(_ answer: Answer) throws(ReplicationError) -> JSONTape { try tape(answer.body) }

    /// The JSON of an answer's body.
    package func tape(_ body: [UInt8]) throws(ReplicationError) -> JSONTape {
        do throws(JSONError) {
            return try JSONTape(scanning: body, limits: .replicated)
        } catch {
            throw nonsense("an answer cannot be read: \(error)")
        }
    }

    /// Lets an answer pass that has one of the statuses; explains any other.
    package func check(_ answer: Answer, accepting statuses: [Int]) throws(ReplicationError) {
        guard !statuses.contains(answer.status) else { return }
        let (error, reason) = words(answer)
        switch answer.status {
        case 401, 403:
            throw ReplicationError(
                .unauthorized,
                "\(url) refused access (\(answer.status) \(error): \(reason)). Check name and password.",
                status: answer.status)
        case 404:
            throw ReplicationError(.databaseNotFound, "\(url): \(reason)", status: 404)
        default:
            throw ReplicationError(
                .peerFailed, "\(url) answered \(answer.status) \(error): \(reason)", status: answer.status,
                retryAfterSeconds: answer.retryAfterSeconds)
        }
    }

    /// Lets a success pass that the peer states in its own words: a proxy's page with status 200 is none.
    package func checkDone(_ answer: Answer, accepting statuses: [Int] = [200, 201, 202]) throws(ReplicationError) {
        try check(answer, accepting: statuses)
        let tape = try tape(answer)
        guard tape.kind(0) == .object, tape.member("ok", of: 0).flatMap({ tape.bool($0) }) == true else {
            throw nonsense("a write was answered without `ok`")
        }
    }

    /// The error of an answer that no CouchDB gives.
    package func nonsense(_ what: String) -> ReplicationError {
        ReplicationError(.badResponse, "\(url) does not answer like a CouchDB: \(what)")
    }

    /// CouchDB's word for the error that an answer tells of, and the reason in a sentence.
    package func words(_ answer: Answer) -> (error: String, reason: String) {
        guard let tape = try? JSONTape(scanning: answer.body), tape.kind(0) == .object else {
            return ("unknown_error", "no reason was given.")
        }
        return (tape.text("error", of: 0), tape.text("reason", of: 0))
    }

    /// The status that goes with CouchDB's word for a failure, where a row of `_bulk_docs` does not say it.
    package static func status(of error: String) -> Int {
        switch error {
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
    /// CouchDB's word for an attachment that was left out although the other side does not have it.
    package static let missingStub = "missing_stub"

    /// Whether an answer says that the database is absent, and not a document of it.
    package static func isDatabaseMissing(_ answer: Answer) -> Bool {
        guard answer.status == 404, let tape = try? JSONTape(scanning: answer.body), tape.kind(0) == .object else {
            return false
        }
        return ["no_db_file", "Database does not exist."].contains(tape.text("reason", of: 0))
    }

    /// A document's path below its database: the slash after `_design` and `_local` is not escaped.
    package static func path(of id: String) -> String {
        for prefix in ["_design/", "_local/"] where id.utf8.starts(with: prefix.utf8) {
            return prefix + String(id.dropFirst(prefix.count)).percentEncoded
        }
        return id.percentEncoded
    }
}
