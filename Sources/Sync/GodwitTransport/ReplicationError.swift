//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

/// An error of a request to a server, or of a replication.
public struct ReplicationError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. New kinds may be added. Therefore, match the kinds that you handle, and have a default
    /// case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// The server cannot be reached, or the connection was lost.
        public static let network = Code(description: "network")
        /// The server's certificate cannot be verified.
        public static let untrusted = Code(description: "untrusted")
        /// The server refused the credentials, or requires credentials that were not given.
        public static let unauthorized = Code(description: "unauthorized")
        /// The settings of this side do not allow connections to the host.
        public static let hostRefused = Code(description: "hostRefused")
        /// The database does not exist.
        public static let databaseNotFound = Code(description: "databaseNotFound")
        /// A database was deleted and made again, or restored from a backup, while the replication ran, again and again.
        public static let replaced = Code(description: "replaced")
        /// The response is not one that a CouchDB server can send, or the bytes of an attachment differ from its
        /// announced length or digest.
        public static let badResponse = Code(description: "badResponse")
        /// The server answered with an error.
        public static let peerFailed = Code(description: "peerFailed")
        /// A request or a response exceeds a limit of this side.
        public static let tooLarge = Code(description: "tooLarge")
        /// The local datastore failed.
        public static let store = Code(description: "store")
        /// The URL cannot be used.
        public static let invalidURL = Code(description: "invalidURL")
        /// A header cannot be sent.
        public static let invalidHeader = Code(description: "invalidHeader")
        /// The selection of documents is invalid.
        public static let invalidSelection = Code(description: "invalidSelection")
        /// The source no longer has an attachment, or refuses to send it. The replication continues without the
        /// document of the attachment.
        public static let attachmentRefused = Code(description: "attachmentRefused")
        /// A rule of the library is broken, which is a fault of the library. The message names the rule.
        public static let brokenInvariant = Code(description: "brokenInvariant")
        /// The task was cancelled, or the replication was stopped before it began.
        public static let cancelled = Code(description: "cancelled")
    }

    /// The kind of failure.
    public let code: Code

    /// The failure, the side at which it occurred, and what to do about it. The message never contains credentials.
    public let message: String

    /// The status of the response, or `nil` if no response arrived or its status is not the cause.
    public var status: Int?

    /// The seconds to wait before the next request (`Retry-After`), or `nil` if the response has no such header, or if
    /// the header contains a date.
    public var retryAfterSeconds: Double?

    /// Whether the step made progress before it failed. If the step made progress, its attempts are counted from the
    /// start again.
    package var hasMovedOn = false

    /// Creates an error.
    public init(_ code: Code, _ message: String, status: Int? = nil, retryAfterSeconds: Double? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Adds advice to an error of the code ``Code/databaseNotFound``. Other errors are returned unchanged.
    package func advising(_ advice: String) -> ReplicationError {
        guard code == .databaseNotFound else { return self }
        return ReplicationError(code, "\(message) \(advice)", status: status)
    }

    /// The message.
    public var description: String { message }

    /// Whether the same step may succeed later.
    public var isTransient: Bool {
        switch code {
        case .network, .untrusted, .badResponse, .replaced: true
        case .peerFailed: status.map(ReplicationError.transientStatuses.contains) ?? true
        default: false
        }
    }

    /// Statuses after which the same request may succeed later.
    package static let transientStatuses: Set<Int> = [408, 409, 425, 429, 500, 502, 503, 504]
}

extension ReplicationError {
    /// Creates the error for a failure of a datastore.
    package init(_ error: StoreError) {
        self.init(error.cause is CancellationError ? .cancelled : .store, error.message)
    }

    /// Creates the error for a body that could not be read to its end.
    package init(reading error: any Error, _ subject: String) {
        switch error {
        case let error as ReplicationError: self = error
        case let error as StoreError: self.init(error)
        case is CancellationError: self.init(.cancelled, "the replication was cancelled")
        default:
            self.init(
                .network,
                "\(subject): \(error). Check the network; replicated documents are kept.")
        }
    }
}
