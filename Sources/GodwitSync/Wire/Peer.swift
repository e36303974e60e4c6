//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitGzip
import GodwitJSON
import GodwitMultipart
import GodwitStore
import GodwitThreads

/// Requests to one database elsewhere, and the reading of what it answers.
final class Peer: Sendable {
    /// What the peer turned out not to be able to do, with what it answered.
    struct Lacks: Sendable {
        /// `_bulk_get`.
        var bulkGet: String?
        /// `_bulk_get` that answers in parts.
        var bulkGetParts: String?
        /// Documents as `multipart/related`.
        var multipart: String?
        /// Requests packed by gzip.
        var gzip: String?
        /// What of attachments arrived: only a Godwit tells, and goes on with it.
        var arrivals: String?
    }

    let url: String
    let limits: ReplicationLimits
    private let transport: any Transport
    private let authenticator: PeerAuthenticator
    private let headers: [(name: String, value: String)]
    private let interceptor: RequestInterceptor?
    private let held = Mutex(Lacks())
    /// Whether JSON is packed on its way: not within one machine, where it costs more than it saves.
    private let packs: Bool

    init(
        url: String, credentials: Credentials, headers: [(name: String, value: String)],
        interceptor: RequestInterceptor?, limits: ReplicationLimits, packs: Bool, transport: any Transport
    ) {
        self.url = url
        self.limits = limits
        self.transport = transport
        self.headers = headers
        self.interceptor = interceptor
        self.packs = packs
        authenticator = PeerAuthenticator(credentials: credentials, url: url, transport: transport, limits: limits)
    }

    /// What it lacks, learnt once.
    var lacks: Lacks { held.withLock { $0 } }

    func learn(_ change: (inout Lacks) -> Void) { held.withLock { change(&$0) } }

    /// A whole answer.
    struct Answer {
        let status: Int
        var contentType = ""
        let body: [UInt8]
        let retryAfterSeconds: Double?

        /// The boundary between the parts of its body; `nil` when it has none.
        var partsBoundary: String? { MediaType(contentType)?.boundary }
    }

    // MARK: Requests

    /// Sends a request for a path below the database, and gives the answer once its head is there.
    func begin(
        _ method: String, _ path: String, headers more: [(name: String, value: String)] = [],
        body: TransportRequest.Body = .none, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> TransportResponse {
        var mayRefresh = true
        var mayIntercept = interceptor != nil
        while true {
            let authorization = try await authenticator.current()
            var request = TransportRequest(
                method: method, url: path.isEmpty ? url : "\(url)/\(path)",
                secondsMax: secondsMax ?? limits.requestSecondsMax)
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
    func send(
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
            status: response.status, contentType: response["Content-Type"] ?? "",
            body: try await response.collect(
                bytesMax: bytesMax ?? limits.responseBytesMax,
                isPacked: response["Content-Encoding"]?.lowercased() == "gzip"),
            retryAfterSeconds: response.retryAfterSeconds)
    }

    private static func packed(_ body: [UInt8]) -> [UInt8] {
        var packer = GzipPacker()
        return packer.pack(body) + packer.end()
    }

    /// Sends a request that is answered with JSON.
    func json(
        _ method: String, _ path: String, body: [UInt8]? = nil, bytesMax: Int? = nil, secondsMax: Int? = nil
    ) async throws(ReplicationError) -> JSONTape {
        let answer = try await send(method, path, body: body, bytesMax: bytesMax, secondsMax: secondsMax)
        try check(answer, accepting: [200, 201, 202])
        return try tape(answer)
    }

    // MARK: Answers

    func tape(_ answer: Answer) throws(ReplicationError) -> JSONTape { try tape(answer.body) }

    func tape(_ body: [UInt8]) throws(ReplicationError) -> JSONTape {
        do throws(JSONError) {
            return try JSONTape(scanning: body, limits: .replicated)
        } catch {
            throw nonsense("an answer cannot be read: \(error)")
        }
    }

    /// Lets an answer pass that has one of the statuses; explains any other.
    func check(_ answer: Answer, accepting statuses: [Int]) throws(ReplicationError) {
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
    func checkDone(_ answer: Answer, accepting statuses: [Int] = [200, 201, 202]) throws(ReplicationError) {
        try check(answer, accepting: statuses)
        let tape = try tape(answer)
        guard tape.kind(0) == .object, tape.member("ok", of: 0).flatMap({ tape.bool($0) }) == true else {
            throw nonsense("a write was answered without `ok`")
        }
    }

    func nonsense(_ what: String) -> ReplicationError {
        ReplicationError(.badResponse, "\(url) does not answer like a CouchDB: \(what)")
    }

    /// The failure of the one document that a refused request held.
    func failure(of document: ReplicatedDocument, _ answer: Answer) -> ReplicationFailure {
        let (error, reason) = words(answer)
        return ReplicationFailure(
            id: document.id, revision: document.revision, status: answer.status, error: error, reason: reason)
    }

    func words(_ answer: Answer) -> (error: String, reason: String) {
        guard let tape = try? JSONTape(scanning: answer.body), tape.kind(0) == .object else {
            return ("unknown_error", "no reason was given.")
        }
        return (tape.text("error", of: 0), tape.text("reason", of: 0))
    }

    /// The status that goes with CouchDB's word for a failure, where a row of `_bulk_docs` does not say it.
    static func status(of error: String) -> Int {
        switch error {
        case "unauthorized": 401
        case "forbidden": 403
        case "not_found": 404
        case "conflict": 409
        case ReplicationFailure.missingStub: 412
        case "document_too_large", "too_large", "attachment_too_large": 413
        case "bad_request", "doc_validation", "illegal_docid": 400
        default: 500
        }
    }
}
