//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitTransport

/// The session of a user at the Bluelist adapter of a server. It exchanges an access token of the user for a session
/// cookie and the name of the user's database. It also renews the cookie.
///
/// ```swift
/// let bluelist = try BluelistSession(adapter: "https://sync.example.org/bluelist", tokens: access)
/// let enrolment = try await bluelist.enroll()
/// let remote = try RemoteEndpoint.couchDB(enrolment.url, interceptor: bluelist.interceptor)
/// ```
public actor BluelistSession {
    /// A user's database.
    public struct Enrolment: Equatable, Sendable {
        /// The name of the database.
        public let database: String
        /// The URL of the database.
        public let url: String
    }

    private struct Cookie {
        let header: String
        let obtained: ContinuousClock.Instant
    }

    private let adapter: String
    /// The scheme, the host and the port of the adapter.
    private let origin: String
    private let tokens: any AccessTokenSource
    private let transport: any Transport
    private let clock = ContinuousClock()
    private let lock = KeyedAsyncLock<String>()
    private var cookie: Cookie?

    /// Creates a session. Sends nothing.
    ///
    /// - Parameters:
    ///   - adapter: The URL of the adapter, `https://host/bluelist` or
    ///     `https://host/adapters/BlueListProxyAdapter/bluelist`.
    ///   - tokens: Provides the user's access tokens.
    ///   - transport: Sends the requests.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/invalidURL``.
    public init(
        adapter: String, tokens: any AccessTokenSource, transport: any Transport
    ) throws(ReplicationError) {
        let adapter = try RemoteURL(server: adapter).description
        // The URL is split at its first three slashes. The parts are `https:`, an empty part, the host with its port,
        // and the path. The origin consists of the first three.
        origin = adapter.pieces(at: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
            .joined(separator: "/")
        self.adapter = adapter
        (self.tokens, self.transport) = (tokens, transport)
    }

    /// Creates the user's database if it does not exist, and begins a session.
    ///
    /// - Throws: ``ReplicationError``.
    public func enroll() async throws(ReplicationError) -> Enrolment {
        let answer = try await send("PUT", "enroll")
        try keepCookie(of: answer)
        guard let database = answer["database"]?.stringValue else {
            throw ReplicationError(.badResponse, "\(adapter) did not answer like the Bluelist adapter")
        }
        // The answer also contains an address, but the URL is created from the address of the adapter. Otherwise, the
        // answer could make this client send the cookie to another host, or without TLS.
        return Enrolment(database: database, url: "\(origin)/\(database.percentEncoded)")
    }

    /// Deletes the user's database on the server, and ends the session.
    ///
    /// - Throws: ``ReplicationError``.
    public func unenroll() async throws(ReplicationError) {
        _ = try await send("DELETE", "enroll")
        cookie = nil
    }

    /// An interceptor that replaces the header `Cookie` of requests by the session cookie. When a server refuses the
    /// cookie with the status 401 or 403, the interceptor renews the cookie. The request is then repeated once. This
    /// also works in the middle of a replication.
    public nonisolated var interceptor: RequestInterceptor {
        RequestInterceptor(
            onRequest: { request in
                request.headers.removeAll { $0.name.lowercased() == "cookie" }
                if let header = try? await self.header(after: nil, status: 0) {
                    request.headers.append(("Cookie", header))
                }
            },
            onResponse: { request, response in
                guard [401, 403].contains(response.status) else { return false }
                let refused = request["Cookie"]
                let header = try? await self.header(after: refused, status: response.status)
                return header != nil && !ExactText.areEqual(header, refused)
            })
    }

    /// Returns the session cookie as a header. If the current cookie was refused, requests a new cookie first.
    private func header(after refused: String?, status: Int) async throws -> String {
        if let header = usableHeader(after: refused, status: status) { return header }
        return try await lock.withLock("") {
            if let header = usableHeader(after: refused, status: status) { return header }
            return try keepCookie(of: try await send("POST", "sessioncookie"))
        }
    }

    private func usableHeader(after refused: String?, status: Int) -> String? {
        guard let cookie else { return nil }
        guard ExactText.areEqual(cookie.header, refused) else { return cookie.header }
        // The status 403 may also mean that the user lacks a right, and a new cookie does not change this. Therefore a
        // cookie that is still new is not renewed.
        let isYoung = clock.now < cookie.obtained + .seconds(AccessLimits.forbiddenSeconds)
        return status == 403 && isYoung ? cookie.header : nil
    }

    @discardableResult
    private func keepCookie(of answer: JSONValue) throws(ReplicationError) -> String {
        guard let text = answer["sessionCookie"]?.stringValue else {
            throw ReplicationError(.badResponse, "\(adapter) sent no session cookie")
        }
        let header = String(decoding: text.utf8.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        cookie = Cookie(header: header, obtained: clock.now)
        return header
    }

    /// Sends a request with an access token. If the server refuses the token, sends the request once more with a new
    /// token.
    private func send(_ method: String, _ path: String) async throws(ReplicationError) -> JSONValue {
        var refusal: TokenRefusal?
        while true {
            let token: String
            do {
                token = try await tokens.token(after: refusal)
            } catch {
                throw error as? ReplicationError ?? ReplicationError(.unauthorized, "no access token: \(error)")
            }
            let url = "\(adapter)/\(path)"
            var request = TransportRequest(method: method, url: url, secondsMax: AccessLimits.requestSecondsMax)
            request.headers = [
                ("User-Agent", "Godwit"), ("Accept", "application/json"), ("Authorization", "Bearer \(token)"),
            ]
            let response = try await transport.send(request)
            let body = try await response.collect(bytesMax: AccessLimits.answerBytesMax)
            if response.status == 200, let answer = try? JSONValue(parsing: body) { return answer }
            if response.status == 401, refusal == nil {
                refusal = TokenRefusal(of: token, status: 401)
                continue
            }
            throw ReplicationError(
                [401, 403].contains(response.status) ? .unauthorized : .peerFailed,
                "\(url) answered with the status \(response.status)", status: response.status)
        }
    }
}
