//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// Provides the header that authenticates requests: a password, a session cookie or a token.
actor PeerAuthenticator {
    private let credentials: Credentials
    /// The URL of `_session` on the same server, including the path below which the server may be installed.
    private let sessionURL: String
    private let transport: any Transport
    private let secondsMax: Int
    private var header: (name: String, value: String)?
    /// The login or token request in progress.
    private var headerTask: Task<(name: String, value: String), any Error>?

    private static let answerBytesMax = 64 << 10

    init(credentials: Credentials, url: String, transport: any Transport, secondsMax: Int) {
        self.credentials = credentials
        sessionURL = url[..<(url.utf8.lastIndex(of: UInt8(ascii: "/")) ?? url.endIndex)] + "/_session"
        self.transport = transport
        self.secondsMax = secondsMax
        if case .basic(let user, let password) = credentials {
            var digits = Array("Basic ".utf8)
            Base64.append(Array("\(user):\(password)".utf8), to: &digits)
            header = ("Authorization", String(decoding: digits, as: UTF8.self))
        }
    }

    /// Returns the header for the next request.
    func current() async throws(ReplicationError) -> (name: String, value: String)? {
        switch credentials {
        case .none, .basic: return header
        case .session, .bearer:
            if let header { return header }
            return try await requestHeader()
        case .tokens(let source): return header(of: try await token(of: source, after: nil))
        }
    }

    /// Records that the server refused a header.
    ///
    /// - Parameter status: The status of the response, 401 or 403. A server responds with 403 if a right is missing.
    ///   Only a source of tokens can distinguish a missing right from the end of a session.
    /// - Returns: Whether the next header may differ from the refused header.
    func refused(
        _ refusedHeader: (name: String, value: String)?, status: Int
    ) async throws(ReplicationError) -> Bool {
        switch credentials {
        case .none, .basic: return false
        case .session, .bearer:
            guard status == 401 else { return false }
            // Another request may have replaced the header in the meantime.
            if ExactText.areEqual(header?.value, refusedHeader?.value) { header = nil }
            return true
        case .tokens(let source):
            guard let refusedHeader else { return false }
            let token = String(refusedHeader.value.dropFirst(PeerAuthenticator.bearer.count))
            let newToken = try await self.token(of: source, after: TokenRefusal(of: token, status: status))
            return !ExactText.areEqual(newToken, token)
        }
    }

    private static let bearer = "Bearer "

    private func header(of token: String) -> (name: String, value: String) {
        ("Authorization", PeerAuthenticator.bearer + token)
    }

    private func token(
        of source: any AccessTokenSource, after refusal: TokenRefusal?
    ) async throws(ReplicationError) -> String {
        do {
            return try await source.token(after: refusal)
        } catch {
            throw PeerAuthenticator.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> ReplicationError {
        if error is CancellationError { return ReplicationError(reading: error, "the token") }
        return error as? ReplicationError
            ?? ReplicationError(.unauthorized, "the token for the peer could not be obtained: \(error)")
    }

    /// Stores the cookie with which the server renews a session.
    func renewed(by response: TransportResponse) {
        guard case .session = credentials, let cookie = PeerAuthenticator.cookie(of: response) else { return }
        header = cookie
    }

    private func requestHeader() async throws(ReplicationError) -> (name: String, value: String)? {
        let task = headerTask ?? Task { try await self.fetch() }
        headerTask = task
        defer { headerTask = nil }
        do {
            header = try await task.value
            return header
        } catch {
            throw PeerAuthenticator.failure(error)
        }
    }

    private func fetch() async throws -> (name: String, value: String) {
        switch credentials {
        case .session(let user, let password): return try await logIn(user, password)
        case .bearer(let provide): return header(of: try await provide())
        case .none, .basic, .tokens: preconditionFailure("these credentials have no login")
        }
    }

    private func logIn(_ user: String, _ password: String) async throws -> (name: String, value: String) {
        var request = TransportRequest(method: "POST", url: sessionURL, secondsMax: secondsMax)
        let body: JSONValue = ["name": .string(user), "password": .string(password)]
        request.headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        request.body = .bytes(body.jsonBytes())
        let response = try await transport.send(request)
        _ = try await response.collect(bytesMax: PeerAuthenticator.answerBytesMax)
        switch response.status {
        case 200..<300:
            guard let cookie = PeerAuthenticator.cookie(of: response) else {
                throw ReplicationError(.badResponse, "\(sessionURL) sent no session cookie")
            }
            return cookie
        case 401, 403:
            throw ReplicationError(
                .unauthorized, "\(sessionURL) refused the login (\(response.status)). Check the name and the password.",
                status: response.status)
        default:
            throw ReplicationError(
                .peerFailed, "\(sessionURL) answered \(response.status)", status: response.status,
                retryAfterSeconds: response.retryAfterSeconds)
        }
    }

    /// The session cookie that a response sets, in the form of the header that sends it.
    private static func cookie(of response: TransportResponse) -> (name: String, value: String)? {
        for (name, value) in response.headers where name.lowercased() == "set-cookie" {
            let pair = value.utf8.prefix { $0 != UInt8(ascii: ";") }
            let start = "AuthSession=".utf8
            if pair.starts(with: start), pair.count > start.count {
                return ("Cookie", String(decoding: pair, as: UTF8.self))
            }
        }
        return nil
    }
}
