//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitStore

/// Keeps what a peer wants to see of us: the header, a session's cookie, a token.
actor PeerAuthenticator {
    private let credentials: Credentials
    /// Where sessions begin: `_session` beside the database, below whatever path the server has.
    private let sessionURL: String
    private let transport: any Transport
    private let secondsMax: Int
    private var header: (name: String, value: String)?
    /// The login or the question for a token that is under way.
    private var asking: Task<(name: String, value: String), any Error>?

    private static let answerBytesMax = 64 << 10

    init(credentials: Credentials, url: String, transport: any Transport, secondsMax: Int) {
        self.credentials = credentials
        sessionURL = url[..<(url.lastIndex(of: "/") ?? url.endIndex)] + "/_session"
        self.transport = transport
        self.secondsMax = secondsMax
        if case .basic(let user, let password) = credentials {
            var digits = Array("Basic ".utf8)
            Base64.append(Array("\(user):\(password)".utf8), to: &digits)
            header = ("Authorization", String(decoding: digits, as: UTF8.self))
        }
    }

    /// The header that the next request gets.
    func current() async throws(ReplicationError) -> (name: String, value: String)? {
        switch credentials {
        case .none, .basic: return header
        case .session, .bearer:
            if let header { return header }
            return try await ask()
        }
    }

    /// Takes note that the peer refused a header.
    ///
    /// - Returns: Whether there may be a better one.
    func refused(_ old: (name: String, value: String)?) -> Bool {
        switch credentials {
        case .none, .basic: return false
        case .session, .bearer:
            // Another request may have got a new one meanwhile.
            if header?.value == old?.value { header = nil }
            return true
        }
    }

    /// Takes the cookie by which a peer renews a session.
    func renewed(by response: TransportResponse) {
        guard case .session = credentials, let cookie = PeerAuthenticator.cookie(of: response) else { return }
        header = cookie
    }

    private func ask() async throws(ReplicationError) -> (name: String, value: String)? {
        let task = asking ?? Task { try await self.fetch() }
        asking = task
        defer { asking = nil }
        do {
            header = try await task.value
            return header
        } catch let error as ReplicationError {
            throw error
        } catch {
            throw ReplicationError(.unauthorized, "no token for the peer could be had: \(error)")
        }
    }

    private func fetch() async throws -> (name: String, value: String) {
        switch credentials {
        case .session(let user, let password): return try await logIn(user, password)
        case .bearer(let provide): return ("Authorization", "Bearer \(try await provide())")
        case .none, .basic: preconditionFailure("these credentials are a header from the start")
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
                throw ReplicationError(.badResponse, "\(sessionURL) gave no session cookie")
            }
            return cookie
        case 401, 403:
            throw ReplicationError(
                .unauthorized, "\(sessionURL) refused the login (\(response.status)). Check name and password.",
                status: response.status)
        default:
            throw ReplicationError(
                .peerFailed, "\(sessionURL) answered \(response.status)", status: response.status,
                retryAfterSeconds: response.retryAfterSeconds)
        }
    }

    /// The session's cookie that an answer sets, as a header of requests.
    private static func cookie(of response: TransportResponse) -> (name: String, value: String)? {
        for (name, value) in response.headers where name.lowercased() == "set-cookie" {
            let pair = value.prefix { $0 != ";" }
            if pair.hasPrefix("AuthSession="), pair.count > "AuthSession=".count { return ("Cookie", String(pair)) }
        }
        return nil
    }
}
