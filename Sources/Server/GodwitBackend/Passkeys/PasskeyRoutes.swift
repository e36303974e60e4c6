//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore
import HTTPTypes

/// The routes of administrators' passkeys: `/_godwit/passkeys`. Credentials have the JSON form of Web Authentication
/// Level 3.
struct PasskeyRoutes {
    let backend: Backend

    var routes: [Route] {
        let path = "/_godwit/passkeys"
        return [
            Route(.get, path, access: .administrator, work: .light, handler: list),
            Route(
                .post, path + "/registration", access: .administrator, condition: "the administrator's password",
                work: .light, handler: beginRegistration),
            Route(
                .put, path + "/registration", access: .administrator, condition: "the challenge of a registration",
                work: .light, audit: "passkey registered", handler: finishRegistration),
            Route(
                .delete, path + "/{passkey}", access: .administrator, work: .light, audit: "passkey deleted",
                handler: delete),
            Route(.post, path + "/login", access: .login, work: .light, handler: beginLogin),
            Route(
                .put, path + "/login", access: .login, condition: "an administrator's passkey", work: .light,
                handler: finishLogin),
            Route(.get, path + "/passkeys.js", access: .login, work: .light, handler: showModule),
        ]
    }

    @Sendable private func showModule(_ context: RequestContext) async throws {
        try await context.response.send(
            contentType: "text/javascript; charset=utf-8", headers: [.cacheControl: "no-cache"],
            body: Array(PasskeyModule.script.utf8))
    }

    @Sendable private func list(_ context: RequestContext) async throws {
        let passkeys = try await backend.passkeys.map { JSONValue.object($0.json) }
        try await context.response.sendJSON(body: (["passkeys": .array(passkeys)] as JSONValue).line)
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        guard let passkey = try await backend.passkey(context.request.parameter("passkey")) else {
            throw HTTPFailure(.notFound, "not_found", "No passkey has this id.")
        }
        try await backend.remove(passkey)
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    // MARK: Registration

    /// Returns the options of `navigator.credentials.create`. The user must prove the password, so that a stolen
    /// session alone cannot add a passkey.
    @Sendable private func beginRegistration(_ context: RequestContext) async throws {
        let site = try relyingParty(context.request)
        let user = try administrator(context)
        let password = try await context.request.accountBody().text("password")
        _ = try await backend.server.authenticator.logIn(
            name: user, password: password, from: context.request.peerAddress)
        let challenge = PasskeyChallenge(user: user)
        let known = try await backend.passkeys.filter {
            $0.user.isIdenticalText(to: user) && $0.domain.isIdenticalText(to: site.id)
        }
        guard known.count < BackendLimits.passkeysOfUserMax else {
            throw AccountError(
                .notAllowed,
                "An administrator can have \(BackendLimits.passkeysOfUserMax) passkeys. Delete one first.")
        }
        let options: JSONValue = [
            "rp": ["id": .string(site.id), "name": "Godwit"],
            "user": [
                "id": .string(Base64URL.encode(PasskeyRoutes.handle(of: user))),
                "name": .string(user), "displayName": .string(user),
            ],
            "challenge": .string(Base64URL.encode(challenge.bytes)),
            "pubKeyCredParams": [["type": "public-key", "alg": -7]],
            "timeout": .integer(Int64(BackendLimits.passkeySeconds * 1_000)),
            "excludeCredentials": .array(known.map { ["type": "public-key", "id": .string($0.id)] }),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ],
            "attestation": "none",
        ]
        try await send(options, challenge, context)
    }

    @Sendable private func finishRegistration(_ context: RequestContext) async throws {
        let site = try relyingParty(context.request)
        let user = try administrator(context)
        let body = try await context.request.accountBody()
        let challenge = try PasskeyChallenge(using: try body.text("state"), backend.passkeyStates, user: user)
        let response = try body.object("credential").object("response")
        let passkey: Passkey
        do throws(IdentityError) {
            passkey = try site.registeredPasskey(
                clientData: try response.base64("clientDataJSON"),
                attestation: try response.base64("attestationObject"), challenge: challenge.bytes)
        } catch {
            throw AccountError(error)
        }
        let label = try body.optionalText("name") ?? ""
        guard label.utf8.count <= BackendLimits.deviceTextBytesMax else {
            throw HTTPFailure(
                .badRequest, "bad_request", "A name may have at most \(BackendLimits.deviceTextBytesMax) bytes.")
        }
        let stored = StoredPasskey(passkey, of: user, label: label, domain: site.id, now: WallClock.seconds)
        try await backend.accountLock.withLock(stored.key) {
            guard try await backend.passkey(stored.id) == nil else {
                throw AccountError(.changedMeanwhile, "This passkey is registered already.")
            }
            try await backend.manager.setSetting(stored.key, to: stored.bytes)
        }
        try await context.response.sendJSON(.created, body: JSONValue.object(stored.json).line)
    }

    /// Returns the name of the administrator who sends a request.
    private func administrator(_ context: RequestContext) throws(AccountError) -> String {
        guard let name = context.principal.name else { throw .notLoggedIn("Log in first.") }
        return name
    }

    // MARK: Login

    /// Returns the options of `navigator.credentials.get`. The options list no passkeys, so that they do not reveal
    /// which administrators exist. The authenticator shows the passkeys that it has.
    @Sendable private func beginLogin(_ context: RequestContext) async throws {
        let site = try relyingParty(context.request)
        let challenge = PasskeyChallenge(user: nil)
        let options: JSONValue = [
            "challenge": .string(Base64URL.encode(challenge.bytes)), "rpId": .string(site.id),
            "timeout": .integer(Int64(BackendLimits.passkeySeconds * 1_000)), "userVerification": "required",
        ]
        try await send(options, challenge, context)
    }

    /// Checks the answer of an authenticator. If it is right, begins a session as `POST /_session` does, or a session
    /// of the console.
    @Sendable private func finishLogin(_ context: RequestContext) async throws {
        let site = try relyingParty(context.request)
        let body = try await context.request.accountBody()
        let credential = try body.object("credential")
        let id = try credential.text("id")
        let response = try credential.object("response")
        let authenticator = try backend.server.authenticator
        let address = context.request.peerAddress
        // Failures are counted for the passkey, under a name that begins with U+001F. No other name begins with this
        // character.
        let name = "\u{1F}\(id.prefix(BackendLimits.userNameBytesMax))"
        let account = try await authenticator.proving(
            name, by: "passkey", isLogin: false, from: address
        ) { () -> Account? in
            try await self.account(of: id, response, try body.text("state"), at: site)
        }
        authenticator.noteLogin(account.principalName, by: "passkey", from: address)
        let answer: JSONValue = ["ok": true, "name": .string(account.principalName), "roles": ["_admin"]]
        let cookieHeader =
            body.isForConsole
            ? authenticator.beginConsoleSession(of: account).cookieHeader : authenticator.cookieHeader(for: account)
        try await context.response.sendJSON(
            headers: [.setCookie: cookieHeader, .cacheControl: "no-store"], body: answer.line)
    }

    /// Returns the administrator whose passkey signed a challenge; `nil` when the passkey is unknown, or its signature
    /// is wrong.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/loginRefused`` when the challenge was used or is too
    ///   old.
    private func account(
        of id: String, _ response: AccountBody, _ state: String, at site: RelyingParty
    ) async throws -> Account? {
        try await backend.accountLock.withLock(StoredPasskey.prefix + id) {
            guard var stored = try await backend.passkey(id), stored.domain.isIdenticalText(to: site.id),
                let account = try await backend.server.authenticator.administrator(named: stored.user),
                (try? response.base64("userHandle")) == PasskeyRoutes.handle(of: stored.user)
            else { return nil }
            let challenge = try PasskeyChallenge(using: state, backend.passkeyStates, user: nil)
            guard
                let count = try? site.signatureCount(
                    of: stored.passkey, clientData: try response.base64("clientDataJSON"),
                    authenticatorData: try response.base64("authenticatorData"),
                    signature: try response.base64("signature"), challenge: challenge.bytes)
            else { return nil }
            (stored.passkey.signatureCount, stored.used) = (count, WallClock.seconds)
            try await backend.manager.setSetting(stored.key, to: stored.bytes)
            return account
        }
    }

    /// Returns the identifier of an administrator for authenticators. The identifier does not contain the
    /// administrator's name.
    private static func handle(of user: String) -> [UInt8] { MessageDigest.Algorithm.sha256.digest(of: user.utf8) }

    // MARK: Sites

    private func send(_ options: JSONValue, _ challenge: PasskeyChallenge, _ context: RequestContext) async throws {
        let answer: JSONValue = [
            "publicKey": options, "state": .string(try challenge.sealed(backend.passkeyStates)),
        ]
        try await context.response.sendJSON(headers: [.cacheControl: "no-store"], body: answer.line)
    }

    /// Returns the site of a request: the configured domain, or `localhost`.
    ///
    /// A client can send any header `Host`. A page on another port or on a subdomain belongs to another site. Therefore
    /// the host must be equal to the domain, and a port in the header must be the port on which this server listens.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/passkeysUnavailable`` for another host, such as an
    ///   address.
    private func relyingParty(_ request: ServerRequest) throws -> RelyingParty {
        let authority = try request.host.lowercased()
        let parts = authority.pieces(at: ":", omittingEmptySubsequences: false)
        let isOwnPort =
            parts.count == 1
            || parts.count == 2 && String(parts[1]).isIdenticalText(to: request.localPort.map { "\($0)" } ?? "")
        if isOwnPort, parts[0] == "localhost" {
            return RelyingParty(id: "localhost", origin: "\(request.isSecure ? "https" : "http")://\(authority)")
        }
        // The origin is always HTTPS, since browsers create passkeys only for secure origins. A proxy may handle TLS
        // for this server.
        if isOwnPort, let domain = backend.passkeyDomain, String(parts[0]).isIdenticalText(to: domain) {
            return RelyingParty(id: domain, origin: "https://\(authority)")
        }
        let advice =
            backend.passkeyDomain.map { "https://\($0)" }
            ?? "http://localhost:\(request.localPort.map { "\($0)" } ?? "5984")"
        throw AccountError(
            .passkeysUnavailable,
            "Passkeys belong to a name, and \(authority) is an address or another name. Open \(advice), or start the "
                + "server with --passkey-domain.", url: advice)
    }
}

extension AccountBody {
    /// Returns the bytes of a member in Base64URL.
    ///
    /// - Throws: `IdentityError` when the member is missing or has another form.
    fileprivate func base64(_ member: String) throws(IdentityError) -> [UInt8] {
        guard let text = try? text(member), let bytes = Base64URL.decode(text) else {
            throw IdentityError(.refused, "The credential has no \(member) in Base64URL.")
        }
        return bytes
    }
}
