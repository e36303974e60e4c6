//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What stopped a replication.
public struct ReplicationError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. More kinds may come: match the ones that you handle and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The peer cannot be reached, or the connection was cut.
        public static let network = Code(description: "network")
        /// The peer refused the credentials, or there were none.
        public static let unauthorized = Code(description: "unauthorized")
        /// There is no such database.
        public static let databaseNotFound = Code(description: "databaseNotFound")
        /// The peer answered with something that is no CouchDB's answer.
        public static let badResponse = Code(description: "badResponse")
        /// The peer answered with an error.
        public static let peerFailed = Code(description: "peerFailed")
        /// An answer is above `responseBytesMax`.
        public static let tooLarge = Code(description: "tooLarge")
        /// The local datastore failed.
        public static let store = Code(description: "store")
        /// The URL cannot be used.
        public static let invalidURL = Code(description: "invalidURL")
    }

    /// The kind of failure.
    public let code: Code

    /// What failed, at which side, and what to do about it. Never holds credentials.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
