//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
package import GodwitTransport

/// An error of an object storage: what failed, and what to do about it.
///
/// The message never contains a secret or an object's bytes.
public struct ObjectError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds. Therefore a `switch` over kinds needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `objectNotFound`.
        public let description: String

        /// The account has no such container.
        public static let containerNotFound = Code(description: "containerNotFound")
        /// The container exists, and belongs to another account.
        public static let containerExists = Code(description: "containerExists")
        /// The container has objects, so that it cannot be deleted.
        public static let containerNotEmpty = Code(description: "containerNotEmpty")
        /// The container has no such object.
        public static let objectNotFound = Code(description: "objectNotFound")
        /// No account has this name.
        public static let accountNotFound = Code(description: "accountNotFound")
        /// An account with this name exists.
        public static let accountExists = Code(description: "accountExists")
        /// The account has containers, so that it cannot be deleted.
        public static let accountNotEmpty = Code(description: "accountNotEmpty")
        /// The upload in parts does not exist: it was completed or aborted.
        public static let uploadNotFound = Code(description: "uploadNotFound")
        /// A part of an upload is missing, has another entity tag, or is not in order.
        public static let invalidPart = Code(description: "invalidPart")
        /// A part of an upload is smaller than the minimum, and is not the last part.
        public static let tooSmall = Code(description: "tooSmall")
        /// The name is empty, too long, or contains a forbidden character.
        public static let invalidName = Code(description: "invalidName")
        /// A property of a request is invalid.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// With the object, the account would exceed its quota.
        public static let quotaExceeded = Code(description: "quotaExceeded")
        /// The object is larger than a limit.
        public static let tooLarge = Code(description: "tooLarge")
        /// The bytes do not match the digest that the client sent with them.
        public static let badDigest = Code(description: "badDigest")
        /// A condition of the request is not met: the object exists although it must not, or its entity tag is not the
        /// required one.
        public static let preconditionFailed = Code(description: "preconditionFailed")
        /// The range begins at or after the end of the object.
        public static let rangeNotSatisfiable = Code(description: "rangeNotSatisfiable")
        /// The credentials are wrong, or do not permit the operation.
        public static let accessDenied = Code(description: "accessDenied")
        /// The server's disk is full. Nothing was stored.
        public static let diskFull = Code(description: "diskFull")
        /// The stored bytes are damaged.
        public static let corrupt = Code(description: "corrupt")
        /// The files of the storage cannot be read or written, or the service reports an internal failure.
        public static let storage = Code(description: "storage")
        /// The service cannot be reached, the connection was lost, or the stream of an object's bytes failed.
        public static let network = Code(description: "network")
        /// The service sent a response that violates its protocol.
        public static let badResponse = Code(description: "badResponse")
        /// The service is overloaded. Try again later.
        public static let overloaded = Code(description: "overloaded")
        /// The store does not support the operation.
        public static let unsupported = Code(description: "unsupported")
        /// The store was closed.
        public static let closed = Code(description: "closed")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that describes the failure and says what to do about it.
    public let message: String
    /// The underlying error; `nil` if there is none.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

extension ObjectError {
    /// Creates the error for a request that failed without a response.
    package init(_ error: ReplicationError) {
        switch error.code {
        case .cancelled: self.init(.cancelled, "The task was cancelled.")
        case .tooLarge: self.init(.badResponse, error.message, cause: error)
        default: self.init(.network, error.message, cause: error)
        }
    }

    /// Creates the error for an object whose bytes could not be read.
    ///
    /// - Parameter subject: The object or file, for the message.
    package init(reading error: any Error, _ subject: String) {
        switch error {
        case let error as ObjectError: self = error
        case let error as ReplicationError: self.init(error)
        case is CancellationError: self.init(.cancelled, "The task was cancelled.")
        default: self.init(.network, "\(subject) could not be read to its end: \(error)", cause: error)
        }
    }

    /// Creates the error for a failed operation of the storage's files.
    package init(storing error: any Error, _ subject: String) {
        switch error {
        case let error as ObjectError: self = error
        case is CancellationError: self.init(.cancelled, "The task was cancelled.")
        default:
            let error = StoreError(wrapping: error, subject: subject)
            let code: Code =
                switch error.code {
                case .diskFull: .diskFull
                case .closed: .closed
                case .corrupt: .corrupt
                case .cancelled: .cancelled
                default: .storage
                }
            self.init(code, code == .diskFull ? "The disk is full. Nothing was stored." : error.message, cause: error)
        }
    }

    /// Returns the error for an object that the container does not have.
    package static func missing(_ object: String, in container: String) -> ObjectError {
        ObjectError(.objectNotFound, "\(container) has no object \(object).")
    }

    /// Returns the error for a container that the account does not have.
    package static func missing(container: String) -> ObjectError {
        ObjectError(.containerNotFound, "There is no container \(container).")
    }
}
