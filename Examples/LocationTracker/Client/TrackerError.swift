//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the Location Tracker could not do, why, and what to do about it. Never holds a password or a key.
public struct TrackerError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. More kinds may come: match the ones that you handle and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The name to register is taken.
        public static let userExists = Code(description: "userExists")
        /// No user has this name, or the password is another; servers do not tell which.
        public static let wrongCredentials = Code(description: "wrongCredentials")
        /// Nobody is logged in on this device.
        public static let notLoggedIn = Code(description: "notLoggedIn")
        /// Somebody else is logged in on this device.
        public static let otherUser = Code(description: "otherUser")
        /// The server cannot be reached, or the connection was cut.
        public static let unreachable = Code(description: "unreachable")
        /// The server refuses what was asked.
        public static let refused = Code(description: "refused")
        /// The server failed.
        public static let serverFailed = Code(description: "serverFailed")
        /// The server does not answer as a Location Tracker's.
        public static let badAnswer = Code(description: "badAnswer")
        /// The address of the server cannot be used.
        public static let invalidURL = Code(description: "invalidURL")
        /// What is stored cannot be unlocked, or the key is not to be had.
        public static let locked = Code(description: "locked")
        /// What is stored is damaged.
        public static let damaged = Code(description: "damaged")
        /// Another process uses what is stored.
        public static let inUse = Code(description: "inUse")
        /// The disk or the datastore failed.
        public static let storage = Code(description: "storage")
        /// A source of readings cannot be read.
        public static let input = Code(description: "input")
    }

    /// The kind of failure.
    public let code: Code
    /// What failed, and what to do about it.
    public let message: String
    /// The failure underneath, if another layer reported one.
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
