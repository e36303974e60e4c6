//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitJSON
import GodwitPlaces
import GodwitQuery
import GodwitSelector
import GodwitStore
import GodwitText
import GodwitTransport
import GodwitViews
public import HTTPTypes

/// An error response in CouchDB's form: a status and `{"error": …, "reason": …}`.
public struct HTTPFailure: Error, Sendable {
    /// The status of the response.
    public let status: HTTPResponse.Status
    /// A word for the kind of failure, by which programs recognize the failure.
    public let error: String
    /// The description of the failure, a sentence.
    public let reason: String
    /// The reason as JSON, if it is no text: a validation function may throw any value.
    var reasonJSON: [UInt8]?
    /// Further headers of the response.
    public var headers: HTTPFields = [:]
    /// Further members of the response's body.
    public var details: JSONObject = [:]

    /// Creates a failure.
    public init(_ status: HTTPResponse.Status, _ error: String, _ reason: String) {
        self.status = status
        self.error = error
        self.reason = reason
    }

    /// The body of the response.
    package var body: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        text.append(UInt8(ascii: "\n"))
        return text
    }

    /// Whether the same request may succeed later.
    var mayRetry: Bool { status.code >= 500 }

    private func append(to text: inout [UInt8]) {
        text.append(raw: "{\"error\":")
        JSONWriter.appendQuoted(error, to: &text)
        text.append(raw: ",\"reason\":")
        appendReason(to: &text)
        for (name, value) in details {
            text.append(UInt8(ascii: ","))
            JSONWriter.appendQuoted(name, to: &text)
            text.append(UInt8(ascii: ":"))
            text += value.jsonBytes()
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Appends the reason as a value of JSON.
    func appendReason(to text: inout [UInt8]) {
        if let reasonJSON { text += reasonJSON } else { JSONWriter.appendQuoted(reason, to: &text) }
    }

    /// The `error` in the response to a login step when the client must answer another challenge.
    package static let challenge = "challenge"

    static func badRequest(_ reason: String) -> HTTPFailure { HTTPFailure(.badRequest, "bad_request", reason) }

    static let missing = HTTPFailure(.notFound, "not_found", "missing")
    static let deleted = HTTPFailure(.notFound, "not_found", "deleted")
    static let databaseMissing = HTTPFailure(.notFound, "not_found", "Database does not exist.")
    static let conflict = HTTPFailure(.conflict, "conflict", "Document update conflict.")

    /// Creates a failure with status 501.
    ///
    /// - Parameter feature: The missing features. The text is the end of a sentence that begins with "This version of
    ///   Godwit does not support".
    static func notImplemented(_ feature: String) -> HTTPFailure {
        HTTPFailure(.notImplemented, "not_implemented", "This version of Godwit does not support \(feature).")
    }
}

/// An error of a server module. The error defines the response to the request that failed.
///
/// A handler may throw it instead of an ``HTTPFailure``.
public protocol HTTPFailureConvertible: Error {
    /// The response to the request that failed.
    var httpFailure: HTTPFailure { get }
}

extension HTTPFailure {
    /// Creates the response for any error that a handler throws. For an error of an unknown type, the status is 500,
    /// and the response does not describe the error.
    package init(_ error: any Error) {
        switch error {
        case let failure as HTTPFailure: self = failure
        case let error as any HTTPFailureConvertible: self = error.httpFailure
        case let error as StoreError: self.init(store: error)
        case let error as MemoryExhausted: self.init(error)
        case is IncompleteBody: self = .bodyBrokenOff
        case let error as MultipartError: self = .badRequest(error.message)
        case let error as GzipUnpacker.Failure: self = .badRequest(error.description)
        case let error as SelectorError: self.init(.badRequest, error.error, error.reason)
        case let error as QueryError: self.init(.badRequest, error.error, error.reason)
        case let error as TextError: self.init(.badRequest, error.error, error.reason)
        case let error as GeometryError: self.init(geometry: error)
        case let error as ViewError: self.init(view: error)
        case let error as ScriptError: self.init(script: error)
        case let error as JSONError: self.init(store: StoreError(json: error))
        default: self.init(.internalServerError, "unknown_error", "the request failed; see the server's log")
        }
    }

    private init(geometry error: GeometryError) {
        if error.code == .libraryMissing {
            self.init(.notImplemented, "not_implemented", error.message)
        } else {
            self.init(.badRequest, "query_parse_error", error.message)
        }
    }

    private init(view error: ViewError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .notFound: .notFound
            case .invalidQuery: .badRequest
            default: .internalServerError
            }
        self.init(status, error.error, error.reason)
    }

    /// Creates the response for an error of a function in a design document. Either the function threw the error, or
    /// the error prevented the function from running.
    private init(script error: ScriptError) {
        let status: HTTPResponse.Status =
            switch (error.code, error.error) {
            case (.unavailable, _): .notImplemented
            case (.busy, _): .serviceUnavailable
            case (.thrown, "forbidden"): .forbidden
            case (.thrown, "unauthorized"): .unauthorized
            case (.thrown, "not_found"): .notFound
            case (.thrown, "bad_request"), (.thrown, "query_parse_error"): .badRequest
            case (.thrown, "method_not_allowed"): .methodNotAllowed
            case (.thrown, "not_acceptable"): .notAcceptable
            default: .internalServerError
            }
        self.init(status, error.error, error.reason)
        reasonJSON = error.reasonJSON
    }

    /// Whether an error says what is wrong with the request.
    private static func isOfRequest(_ error: any Error) -> Bool {
        error is SelectorError || error is QueryError || error is TextError || error is GeometryError
            || error is ViewError
    }

    /// Maps an error of the store to CouchDB's status and reason.
    private init(store error: StoreError) {
        switch error.code {
        case .accessRefused, .validationFailed:
            // A module wrote a document through the API for apps, and a validation function refused this write.
            self = (error.cause as? ScriptError).map { HTTPFailure(script: $0) } ?? .forbidden(error.message)
        case .conflict: self = .conflict
        case .notFound: self = .missing
        case .deleted: self = .deleted
        case .indexNotFound: self.init(.notFound, "not_found", error.message)
        case .databaseNotFound: self = .databaseMissing
        case .databaseExists: self.init(.preconditionFailed, "file_exists", error.message)
        case .invalidDatabaseName: self.init(.badRequest, "illegal_database_name", error.message)
        case .invalidDocument: self.init(.badRequest, "doc_validation", error.message)
        case .invalidDocumentID: self.init(.badRequest, "illegal_docid", error.message)
        case .invalidJSON: self = .badRequest("invalid UTF-8 JSON: \(error.message)")
        case .invalidRevision: self = .badRequest(error.message)
        case .documentTooLarge: self.init(.contentTooLarge, "document_too_large", error.message)
        case .missingStub: self.init(.preconditionFailed, "missing_stub", error.message)
        case .invalidRequest: self = .badRequest(error.message)
        case .closed:
            self.init(.serviceUnavailable, "service_unavailable", "The database was closed meanwhile. Try again.")
        case .tooCostly: self.init(.badRequest, "too_costly", error.message)
        case .workHeld: self.init(.serviceUnavailable, "service_unavailable", error.message)
        case .overloaded: self.init(.serviceUnavailable, "service_unavailable", error.message)
        case .snapshotExpired:
            self.init(
                .serviceUnavailable, "service_unavailable",
                "Other requests wrote so much meanwhile that this one could not be answered from one state. Try again.")
        case .corrupt where error.cause is Damage:
            self.init(.internalServerError, "internal_server_error", error.message)
        // The message is not sent, because it may contain file names. Only the log contains the message.
        case .diskFull:
            self.init(.insufficientStorage, "insufficient_storage", "The server's disk is full. Nothing was written.")
        // The work of a read has no StoreError of its own for a request that is wrong.
        case .storage where error.cause.map(HTTPFailure.isOfRequest) ?? false:
            self = error.cause.map(HTTPFailure.init) ?? .missing
        default:
            self.init(
                .internalServerError, "internal_server_error",
                "The request failed (\(error.code)); see the server's log.")
        }
    }
}

extension HTTPResponse.Status {
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension StoreError {
    /// The error of reading a document or a revision that does not exist.
    static let missing = StoreError(.notFound, "missing")

    /// The error of reading a deleted document.
    static let deleted = StoreError(.deleted, "deleted")
}
