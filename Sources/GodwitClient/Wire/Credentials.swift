//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The credentials for a server. They are never logged, stored or put into a URL.
public enum Credentials: Sendable {
    /// No credentials.
    case none
    /// A name and a password, sent with each request. A Cloudant API key is such a pair.
    case basic(user: String, password: String)
    /// A name and a password, exchanged for a session cookie, which is renewed when it expires.
    case session(user: String, password: String)
    /// A token. The closure is called when a token is needed, and again when the server refuses it.
    case bearer(@Sendable () async throws -> String)
}

/// Reads and changes the requests to a server, and reads its responses.
public struct RequestInterceptor: Sendable {
    /// A request that is about to be sent.
    public struct Request: Sendable {
        /// The method.
        public let method: String
        /// The complete URL, without credentials.
        public let url: String
        /// The headers, which the interceptor may change.
        public var headers: [(name: String, value: String)]
    }

    /// Changes a request before it is sent.
    public var onRequest: @Sendable (inout Request) async -> Void
    /// Reads the status and the headers of a response.
    ///
    /// - Returns: Whether to send the request again, after another call of `onRequest`. After `true`, it is not called
    ///   for this request again.
    public var onResponse: @Sendable (_ status: Int, _ headers: [(name: String, value: String)]) async -> Bool

    /// Creates an interceptor.
    public init(
        onRequest: @escaping @Sendable (inout Request) async -> Void = { _ in },
        onResponse: @escaping @Sendable (Int, [(name: String, value: String)]) async -> Bool = { _, _ in false }
    ) {
        self.onRequest = onRequest
        self.onResponse = onResponse
    }
}
