//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The credentials for a server. They are never logged, stored or put into a URL.
public enum Credentials: Sendable {
    /// No credentials.
    case none
    /// A name and a password, sent with each request. A Cloudant API key also consists of a name and a password.
    case basic(user: String, password: String)
    /// A name and a password, exchanged for a session cookie, which is renewed when it expires.
    case session(user: String, password: String)
    /// A token. The closure is called when a token is needed, and again when the server refuses the token.
    case bearer(@Sendable () async throws -> String)
    /// The access tokens of a user's session, which the source renews.
    case tokens(any AccessTokenSource)
}

/// Provides the access tokens of a user's session.
public protocol AccessTokenSource: Sendable {
    /// Returns an access token. If a valid token is in memory, this token is returned.
    ///
    /// - Parameter refusal: The refusal of the last token, if this token must be replaced by a new one; `nil` if no
    ///   token was refused. If a new token would also be refused, the refused token is returned again.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/network`` if the same call may succeed later,
    ///   or another error if the user has to log in.
    func token(after refusal: TokenRefusal?) async throws -> String
}

/// An access token that a server refused.
public struct TokenRefusal: Sendable {
    /// The token.
    public let token: String
    /// The status of the response, 401 or 403. A server may respond with 403 if the token is valid but its session has
    /// ended.
    public let status: Int

    /// Creates a refusal.
    public init(of token: String, status: Int) { (self.token, self.status) = (token, status) }
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

        /// The value of the first header with a name; `nil` if there is none. Letters may be in upper or lower case.
        public subscript(name: String) -> String? {
            headers.first { $0.name.lowercased().isIdenticalText(to: name.lowercased()) }?.value
        }
    }

    /// The beginning of a response.
    public struct Response: Sendable {
        /// The status.
        public let status: Int
        /// The headers.
        public let headers: [(name: String, value: String)]

        /// The value of the first header with a name; `nil` if there is none. Letters may be in upper or lower case.
        public subscript(name: String) -> String? {
            headers.first { $0.name.lowercased().isIdenticalText(to: name.lowercased()) }?.value
        }
    }

    /// Changes a request before it is sent.
    public var onRequest: @Sendable (inout Request) async -> Void
    /// Reads the status and the headers of a response, with the request as it was sent.
    ///
    /// - Returns: Whether to send the request again, after another call of `onRequest`. For each request, the closure
    ///   can return `true` only once, because it is not called for the response to the second attempt.
    public var onResponse: @Sendable (Request, Response) async -> Bool

    /// Creates an interceptor.
    public init(
        onRequest: @escaping @Sendable (inout Request) async -> Void = { _ in },
        onResponse: @escaping @Sendable (Request, Response) async -> Bool = { _, _ in false }
    ) {
        self.onRequest = onRequest
        self.onResponse = onResponse
    }
}
