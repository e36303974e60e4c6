//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore

/// Why a request to a server, or a replication, failed.
public struct ReplicationError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. More kinds may come: match the ones that you handle and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The peer cannot be reached, or the connection was cut.
        public static let network = Code(description: "network")
        /// The peer's certificate cannot be verified.
        public static let untrusted = Code(description: "untrusted")
        /// The peer refused the credentials, or there were none.
        public static let unauthorized = Code(description: "unauthorized")
        /// This side may not connect to the peer.
        public static let hostRefused = Code(description: "hostRefused")
        /// There is no such database.
        public static let databaseNotFound = Code(description: "databaseNotFound")
        /// The peer answered with something that is no CouchDB's answer.
        public static let badResponse = Code(description: "badResponse")
        /// The peer answered with an error.
        public static let peerFailed = Code(description: "peerFailed")
        /// An answer or a request is above a limit of this side.
        public static let tooLarge = Code(description: "tooLarge")
        /// The local datastore failed.
        public static let store = Code(description: "store")
        /// The URL cannot be used.
        public static let invalidURL = Code(description: "invalidURL")
        /// The choice of documents cannot be used.
        public static let invalidSelection = Code(description: "invalidSelection")
        /// The source has or gives an attachment no more: a failure of its document alone.
        public static let attachmentRefused = Code(description: "attachmentRefused")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
    }

    /// The kind of failure.
    public let code: Code

    /// What failed, at which side, and what to do about it. Never holds credentials.
    public let message: String

    /// The status that the peer answered with; `nil` when it did not answer.
    public var status: Int?

    /// How long the peer asks to wait before the next request, in seconds (`Retry-After`).
    public var retryAfterSeconds: Double?

    /// Whether the step got further before it failed than it had been before: it is tried again as if for the first time.
    package var hasMovedOn = false

    /// Creates an error.
    public init(_ code: Code, _ message: String, status: Int? = nil, retryAfterSeconds: Double? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The same error with what to do about a database that is not there.
    package func advising(_ advice: String) -> ReplicationError {
        guard code == .databaseNotFound else { return self }
        return ReplicationError(code, "\(message) \(advice)", status: status)
    }

    /// The message.
    public var description: String { message }

    /// Whether the same step may succeed later.
    public var isTransient: Bool {
        switch code {
        case .network, .untrusted, .badResponse: true
        case .peerFailed: status.map(ReplicationError.transientStatuses.contains) ?? true
        default: false
        }
    }

    /// Statuses after which the same request may succeed later.
    package static let transientStatuses: Set<Int> = [408, 409, 425, 429, 500, 502, 503, 504]
}

extension ReplicationError {
    /// The error of a datastore that failed.
    package init(_ error: StoreError) {
        self.init(error.cause is CancellationError ? .cancelled : .store, error.message)
    }

    /// The error of a body that was being read.
    package init(reading error: any Error, _ subject: String) {
        switch error {
        case let error as ReplicationError: self = error
        case let error as StoreError: self.init(error)
        case is CancellationError: self.init(.cancelled, "the replication was cancelled")
        default:
            self.init(
                .network,
                "\(subject): \(error). Check the network; what was replicated is kept.")
        }
    }
}
