//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import GodwitStore
import GodwitTransport

extension CouchDatabase {
    /// The subject of a request, for error messages.
    enum Subject {
        case document(String)
        case other(String)

        var text: String {
            switch self {
            case .document(let id): "the document \(id)"
            case .other(let text): text
            }
        }
    }

    /// Sends a request and returns the response, whatever its status.
    func send(
        _ method: String, _ path: String, body: [UInt8]? = nil, secondsMax: Int? = nil
    ) async throws(StoreError) -> Peer.Answer {
        do throws(ReplicationError) {
            return try await peer.send(method, path, body: body, secondsMax: secondsMax)
        } catch {
            throw StoreError(error, at: url)
        }
    }

    /// Sends a request and returns the JSON of a successful response.
    func json(
        _ subject: Subject, _ method: String, _ path: String, body: [UInt8]? = nil, secondsMax: Int? = nil
    ) async throws(StoreError) -> JSONTape {
        try tape(await send(method, path, body: body, secondsMax: secondsMax), subject)
    }

    /// The JSON of a successful response.
    func tape(_ answer: Peer.Answer, _ subject: Subject) throws(StoreError) -> JSONTape {
        guard (200..<300).contains(answer.status) else { throw failure(answer, subject) }
        do throws(ReplicationError) {
            return try peer.tape(answer)
        } catch {
            throw StoreError(error, at: url)
        }
    }

    /// The error for a response that a CouchDB server cannot send.
    package func nonsense(_ detail: String) -> StoreError {
        StoreError(.badAnswer, "\(url) does not respond like CouchDB: \(detail). Check the address.")
    }

    /// The error for a response that reports a failure.
    func failure(_ answer: Peer.Answer, _ subject: Subject) -> StoreError {
        let (error, reason) = peer.words(answer)
        guard !Peer.isDatabaseMissing(answer) else {
            return StoreError(.databaseNotFound, "\(url): the database does not exist. Create it first.")
        }
        return failure(status: answer.status, error, reason, subject)
    }

    /// The error for a response with a status and with CouchDB's `error` and `reason`.
    func failure(status: Int, _ error: String, _ reason: String, _ subject: Subject) -> StoreError {
        let description = "\(url), \(subject.text): \(status) \(error): \(reason)"
        switch (status, subject) {
        case (401, _), (403, _):
            return StoreError(.accessRefused, "\(description). Check name, password and rights.")
        case (404, .document(let id)): return reason == "deleted" ? .deleted(id: id) : .missing(id: id)
        case (404, _): return StoreError(.notFound, description)
        case (405, _), (501, _): return StoreError(.notSupported, "\(description) The server cannot do this.")
        case (409, .document(let id)): return .conflict(id: id)
        case (409, _): return StoreError(.conflict, "\(description) Read it again and repeat the change.")
        case (412, _) where error == "file_exists": return StoreError(.databaseExists, description)
        case (412, _) where error == Peer.missingStub: return StoreError(.missingStub, description)
        case (413, _):
            return StoreError(.documentTooLarge, "\(description). Make it smaller, or raise the server's limit.")
        case (429, _), (503, _): return StoreError(.overloaded, "\(description). Try again later.")
        case (507, _): return StoreError(.diskFull, "\(description). Nothing was written.")
        case (400..<500, _): return StoreError(CouchDatabase.code(of: error, reason), description)
        default: return StoreError(.serverFailed, "\(description). See the server's log.")
        }
    }

    /// The code for a request that the server rejects as invalid.
    private static func code(of error: String, _ reason: String) -> StoreError.Code {
        switch error {
        case "doc_validation": .invalidDocument
        case "illegal_docid": .invalidDocumentID
        case "illegal_database_name": .invalidDatabaseName
        case "bad_request" where reason == "Invalid rev format": .invalidRevision
        case "bad_request" where reason.utf8.starts(with: "invalid UTF-8 JSON".utf8): .invalidJSON
        default: .invalidRequest
        }
    }
}

extension StoreError {
    /// Creates the store's error for a request without a valid response.
    init(_ error: ReplicationError, at url: String) {
        switch error.code {
        case .network:
            self.init(
                .unreachable,
                "\(url) cannot be reached, or the connection was lost. Check the address and network, then try again.",
                cause: error)
        case .untrusted: self.init(.unreachable, error.message, cause: error)
        case .unauthorized: self.init(.accessRefused, error.message, cause: error)
        case .tooLarge:
            self.init(.answerTooLarge, "\(url): \(error.message). Request less data at a time.", cause: error)
        case .cancelled: self.init(.cancelled, "the task was cancelled", cause: error)
        case .peerFailed: self.init(.serverFailed, error.message, cause: error)
        case .invalidURL: self.init(.invalidURL, error.message, cause: error)
        default: self.init(.badAnswer, error.message, cause: error)
        }
    }
}

extension JSONTape {
    /// The value of a number member, or 0 if it is absent or not an integer.
    func count(_ name: StaticString, of index: Int) -> Int { member(name, of: index).flatMap { int($0) } ?? 0 }

    func isTrue(_ name: StaticString, of index: Int) -> Bool { member(name, of: index).flatMap { bool($0) } == true }
}
