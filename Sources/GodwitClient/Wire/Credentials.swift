//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Who a peer is told that we are. Nothing of it is ever logged, stored or put into a URL.
public enum Credentials: Sendable {
    /// Nobody.
    case none
    /// A name and a password with each request; an API key of Cloudant is one too.
    case basic(user: String, password: String)
    /// A name and a password, exchanged for a session cookie, which is renewed when it ends.
    case session(user: String, password: String)
    /// A token, asked for when it is needed and again when the peer refuses it.
    case bearer(@Sendable () async throws -> String)
}

/// Looks at the requests to a peer and at its answers.
public struct RequestInterceptor: Sendable {
    /// A request that is about to be sent.
    public struct Request: Sendable {
        /// The method.
        public let method: String
        /// The whole URL, without credentials.
        public let url: String
        /// The headers; they may be changed and added to.
        public var headers: [(name: String, value: String)]
    }

    /// Changes a request before it is sent.
    public var onRequest: @Sendable (inout Request) async -> Void
    /// Looks at an answer's status and headers.
    ///
    /// - Returns: Whether to send the request once more, through `onRequest` again. Asked once for a request.
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
