//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Requests to one database elsewhere, and the reading of what it answers.
struct Peer: Sendable {
    private let url: String
    private let authorization: String?
    private let limits: ReplicationLimits
    private let transport: any Transport

    init(url: String, credentials: Credentials, limits: ReplicationLimits, transport: any Transport) {
        self.url = url
        self.limits = limits
        self.transport = transport
        switch credentials {
        case .none: authorization = nil
        case .basic(let user, let password):
            var digits = Array("Basic ".utf8)
            Base64.append(Array("\(user):\(password)".utf8), to: &digits)
            authorization = String(decoding: digits, as: UTF8.self)
        }
    }

    /// Sends a request for a path below the database.
    func send(_ method: String, _ path: String, body: [UInt8]? = nil) async throws(ReplicationError)
        -> TransportResponse
    {
        var request = TransportRequest(
            method: method, url: path.isEmpty ? url : "\(url)/\(path)", body: body,
            responseBytesMax: limits.responseBytesMax, secondsMax: limits.requestSecondsMax)
        request.headers = [("Accept", "application/json"), ("User-Agent", "Godwit")]
        if let authorization { request.headers.append(("Authorization", authorization)) }
        if body != nil { request.headers.append(("Content-Type", "application/json")) }
        return try await transport.send(request)
    }

    /// Sends a request that is answered with JSON.
    func json(_ method: String, _ path: String, body: [UInt8]? = nil) async throws(ReplicationError) -> JSONTape {
        let response = try await send(method, path, body: body)
        try check(response, accepting: [200, 201, 202])
        return try tape(response)
    }

    func tape(_ response: TransportResponse) throws(ReplicationError) -> JSONTape {
        do throws(JSONError) {
            return try JSONTape(scanning: response.body, limits: StoreLimits.default.peerJSON)
        } catch {
            throw nonsense("an answer is no JSON: \(error)")
        }
    }

    /// Lets an answer pass that has one of the statuses; explains any other.
    func check(_ response: TransportResponse, accepting statuses: [Int]) throws(ReplicationError) {
        guard !statuses.contains(response.status) else { return }
        let (error, reason) = words(response)
        switch response.status {
        case 401, 403:
            throw ReplicationError(
                .unauthorized,
                "\(url) refused access (\(response.status) \(error): \(reason)). Check name and password.")
        case 404:
            throw ReplicationError(
                .databaseNotFound, "\(url): \(reason) Make it first, or let the replication create the target.")
        default:
            throw ReplicationError(.peerFailed, "\(url) answered \(response.status) \(error): \(reason)")
        }
    }

    func nonsense(_ what: String) -> ReplicationError {
        ReplicationError(.badResponse, "\(url) does not answer like a CouchDB: \(what)")
    }

    /// The failure of the one document that a refused request held.
    func failure(of document: ReplicatedDocument, _ response: TransportResponse) -> ReplicationFailure {
        let (error, reason) = words(response)
        return ReplicationFailure(
            id: document.id, revision: document.revision, status: response.status, error: error, reason: reason)
    }

    private func words(_ response: TransportResponse) -> (error: String, reason: String) {
        guard let answer = try? JSONTape(scanning: response.body) else {
            return ("unknown_error", "no reason was given.")
        }
        return (answer.text("error", of: 0), answer.text("reason", of: 0))
    }

    /// The status that goes with CouchDB's word for a failure, where a row of `_bulk_docs` does not say it.
    static func status(of error: String) -> Int {
        switch error {
        case "unauthorized": 401
        case "forbidden": 403
        case "conflict": 409
        case ReplicationFailure.missingStub: 412
        case "document_too_large", "too_large", "attachment_too_large": 413
        case "bad_request", "doc_validation", "illegal_docid": 400
        default: 500
        }
    }
}

extension StoreLimits {
    /// An answer holds documents within a few levels of its own.
    fileprivate var peerJSON: JSONLimits { JSONLimits(depthMax: depthMax + 8) }
}

extension JSONTape {
    /// A member that is a text; empty when it is not there.
    func text(_ name: StaticString, of index: Int) -> String {
        member(name, of: index).flatMap { kind($0) == .string ? string($0) : nil } ?? ""
    }

    /// A place in a feed as text: a string as it is, anything else as its JSON.
    func sequence(_ index: Int) -> String {
        kind(index) == .string ? string(index) : String(decoding: slice(index), as: UTF8.self)
    }

    func revision(_ index: Int) -> RevisionID? { kind(index) == .string ? RevisionID(string(index)) : nil }

    func revisions(_ name: StaticString, of index: Int) -> [RevisionID] {
        guard let list = member(name, of: index) else { return [] }
        return elements(of: list).compactMap { revision($0) }
    }
}

extension String {
    /// The text as a value of a query: all but unreserved characters as percent escapes.
    var queryEncoded: String {
        var encoded = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return encoded
    }
}
