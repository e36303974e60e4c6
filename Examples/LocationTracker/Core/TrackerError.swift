//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of the Location Tracker, with advice. It never contains a password or a key.
public struct TrackerError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds. Therefore a `switch` over kinds needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// A user with this name already exists.
        public static let userExists = Code(description: "userExists")
        /// The user does not exist, or the password is wrong. A server does not reveal which of the two is the case.
        public static let wrongCredentials = Code(description: "wrongCredentials")
        /// No user is logged in on this device.
        public static let notLoggedIn = Code(description: "notLoggedIn")
        /// Another user is logged in on this device.
        public static let otherUser = Code(description: "otherUser")
        /// The server cannot be reached, or the connection was lost.
        public static let unreachable = Code(description: "unreachable")
        /// The server refuses the request.
        public static let refused = Code(description: "refused")
        /// The server failed.
        public static let serverFailed = Code(description: "serverFailed")
        /// The response cannot come from a Location Tracker server.
        public static let badAnswer = Code(description: "badAnswer")
        /// The URL of the server is invalid.
        public static let invalidURL = Code(description: "invalidURL")
        /// The stored data cannot be unlocked, or its key is not available.
        public static let locked = Code(description: "locked")
        /// The stored data is damaged.
        public static let damaged = Code(description: "damaged")
        /// Another process uses the stored data.
        public static let inUse = Code(description: "inUse")
        /// The disk or the datastore failed.
        public static let storage = Code(description: "storage")
        /// A source of fixes (readings of the position) cannot be read.
        public static let input = Code(description: "input")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the error, with advice.
    public let message: String
    /// The underlying error, if another layer reported one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
