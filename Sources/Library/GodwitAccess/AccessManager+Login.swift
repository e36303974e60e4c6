//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitTransport

extension AccessManager {
    /// A proof of an identity that an app got from a provider's library or page.
    public enum ProviderProof: Sendable {
        /// An ID token of OpenID Connect.
        ///
        /// - Parameter nonce: The nonce in the request for the token. If that nonce is the SHA-256 digest of a text,
        ///   this may also be the text; `nil` if the token was requested without a nonce.
        case idToken(String, nonce: String? = nil)
        /// An access token of the provider, for example of Facebook or GitHub.
        case accessToken(String)
        /// The code with which the browser returned to the app, and the verifier of the login.
        case code(String, verifier: String)
    }

    /// Registers an account with a name and a password, and logs in to it. If the registration succeeds and the login
    /// fails, the account exists.
    ///
    /// - Throws: ``AccessError``, with code ``AccessError/Code/nameTaken`` if another account has the name.
    @discardableResult
    public func register(name: String, password: String) async throws(AccessError) -> AccessLogin {
        let (status, answer, retryAfterSeconds) = try await server.send(
            "users/\(name.percentEncoded)", ["password": .string(password)], method: "PUT")
        guard status == 201 else {
            throw AccessError(status: status, answer, retryAfterSeconds: retryAfterSeconds)
        }
        return try await logIn(name: name, password: password)
    }

    /// Logs in with a name and a password.
    ///
    /// - Parameter secondFactor: A code from the user's authenticator app, or a recovery code; `nil` if the login needs
    ///   no second factor.
    /// - Throws: ``AccessError``.
    @discardableResult
    public func logIn(
        name: String, password: String, secondFactor: String? = nil
    ) async throws(AccessError) -> AccessLogin {
        try await logIn(["name": .string(name), "password": .string(password)], secondFactor)
    }

    /// Logs in with a verified e-mail address and a password.
    ///
    /// - Parameter secondFactor: A code from the user's authenticator app, or a recovery code; `nil` if the login needs
    ///   no second factor.
    /// - Throws: ``AccessError``.
    @discardableResult
    public func logIn(
        email: String, password: String, secondFactor: String? = nil
    ) async throws(AccessError) -> AccessLogin {
        try await logIn(["email": .string(email), "password": .string(password)], secondFactor)
    }

    /// Logs in with a code that the server sent by mail.
    ///
    /// - Parameter secondFactor: A code from the user's authenticator app, or a recovery code; `nil` if the login needs
    ///   no second factor.
    /// - Throws: ``AccessError``.
    @discardableResult
    public func logIn(
        email: String, code: String, secondFactor: String? = nil
    ) async throws(AccessError) -> AccessLogin {
        try await logIn(["email": .string(email), "login_code": .string(code)], secondFactor)
    }

    /// Logs in with a provider such as Google or Apple.
    ///
    /// - Throws: ``AccessError``.
    @discardableResult
    public func logIn(with provider: String, _ proof: ProviderProof) async throws(AccessError) -> AccessLogin {
        var body: JSONObject = ["provider": .string(provider)]
        switch proof {
        case .idToken(let token, let nonce):
            body["id_token"] = .string(token)
            if let nonce { body["nonce"] = .string(nonce) }
        case .accessToken(let token): body["access_token"] = .string(token)
        case .code(let code, let verifier):
            body["code"] = .string(code)
            body["code_verifier"] = .string(verifier)
        }
        return try await logIn(body, nil)
    }

    private func logIn(_ body: JSONObject, _ secondFactor: String?) async throws(AccessError) -> AccessLogin {
        var body = body
        if let secondFactor { body["second_factor"] = .string(secondFactor) }
        let answer: JSONValue
        do {
            answer = try await server.post("login", try await loginBody(body))
        } catch {
            try await handleLogin(error)
            throw error
        }
        return try await accept(answer, realm: nil)
    }

    /// Handles an error of a login, as ``handle(_:)`` does, with one exception. The error may be an order to delete the
    /// data of a lost device. If another user is still logged in on this device, this order is ignored, because it
    /// concerns only the user who tries to log in.
    private func handleLogin(_ error: AccessError) async throws(AccessError) {
        if error.code == .deviceLost, try await session().refreshToken != nil { return }
        try await handle(error)
    }

    // MARK: Realms

    /// Logs in at a realm that the server's program implements. The registered delegate answers the challenges of the
    /// realm.
    ///
    /// - Throws: ``AccessError``, with code ``AccessError/Code/cancelled`` if the delegate ends the login, or
    ///   ``AccessError/Code/failed`` if the realm has no delegate.
    @discardableResult
    public func logIn(realm: String) async throws(AccessError) -> AccessLogin {
        guard let delegate = delegate(for: realm) else {
            throw AccessError(.failed, "No delegate is registered for the realm \(realm).")
        }
        do {
            let login = try await accept(try await answer(of: realm, delegate), realm: realm)
            delegate.onAuthenticationSuccess(login)
            return login
        } catch {
            delegate.onAuthenticationFailure(error)
            try await handleLogin(error)
            throw error
        }
    }

    /// Answers all challenges of the realm. Returns the last answer of the server, with which the realm accepts the
    /// login.
    private func answer(
        of realm: String, _ delegate: any AuthenticationDelegate
    ) async throws(AccessError) -> JSONValue {
        var body: JSONObject = ["provider": .string(realm)]
        for _ in 0...AccessLimits.challengesMax {
            let (status, answer, retryAfterSeconds) = try await server.send("login", try await loginBody(body))
            if status == 200 { return answer }
            guard status == 401, answer["error"] == "challenge", let challenge = answer["challenge"]?.objectValue,
                let state = answer["state"]
            else { throw AccessError(status: status, answer, retryAfterSeconds: retryAfterSeconds) }
            let context = AuthenticationContext()
            delegate.onAuthenticationChallengeReceived(challenge, context)
            guard let own = await context.answer() else { throw AccessError(.cancelled, "The login was cancelled.") }
            body["answer"] = .object(own)
            body["state"] = state
        }
        throw AccessError(.failed, "The realm asks more than \(AccessLimits.challengesMax) questions.")
    }

    private func loginBody(_ members: JSONObject) async throws(AccessError) -> JSONObject {
        var body = body(members)
        body["device"] = details.json(try await session().device)
        return body
    }

    private func accept(_ answer: JSONValue, realm: String?) async throws(AccessError) -> AccessLogin {
        let login = try AccessLogin(answer)
        beginGeneration()
        try await accept(answer) { session in
            (session.user, session.database, session.realm) = (login.user, login.database, realm)
        }
        return login
    }

    // MARK: Requests

    /// An interceptor that authenticates requests with access tokens. The requests may be for this server, or for other
    /// servers that trust the tokens of the application.
    ///
    /// The interceptor replaces the header `Authorization` by a token that is in memory. If there is no token, it
    /// removes this header. When a server responds with the status 401 and a challenge for `Bearer`, the interceptor
    /// obtains a new token. If necessary, a login at a realm begins for this purpose. Then the request is repeated
    /// once. Use the interceptor only for servers that are permitted to see the user's token.
    public nonisolated var interceptor: RequestInterceptor {
        RequestInterceptor(
            onRequest: { request in
                request.headers.removeAll { $0.name.lowercased() == "authorization" }
                if let header = await self.cachedAuthorizationHeader {
                    request.headers.append(("Authorization", header))
                }
                request.headers.append(("X-CouchDB-WWW-Authenticate", "Bearer"))
            },
            onResponse: { request, response in
                guard response.status == 401, response.challenges(for: "bearer") else { return false }
                let refused = request["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
                let token = try? await self.token(after: refused.map { TokenRefusal(of: $0, status: 401) })
                return token != nil && !ExactText.areEqual(token, refused)
            })
    }
}

extension RequestInterceptor.Response {
    /// Whether a header asks for an authentication scheme.
    fileprivate func challenges(for scheme: String) -> Bool {
        headers.contains { name, value in
            name.lowercased() == "www-authenticate" && value.lowercased().begins(with: scheme)
        }
    }
}
