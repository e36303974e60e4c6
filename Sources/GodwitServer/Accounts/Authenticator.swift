//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBytes
import GodwitClient
import GodwitStore
import GodwitThreads
import HTTPTypes

/// Tells who makes a request: by session cookie, name and password, a token, or a proxy's word.
package final class Authenticator: Sendable {
    /// Credentials that were right once are remembered, under a key of this process, for so many callers.
    private static let rememberedMax = 10_000
    /// A session whose cookie is older than this part of its time gets a new one.
    private static let renewalPart = 0.1

    let accounts: AccountDirectory
    private let settings: ServerSettings
    /// Whether cookies are for TLS alone.
    private let isSecure: Bool
    private let audit: AuditLog
    private let loginGuard = LoginGuard()
    private let memoryKey = SymmetricKey(size: .bits256)
    private let remembered = Mutex<[Proof: Known]>([:])
    private let sessions = SessionMemory()

    init(accounts: AccountDirectory, settings: ServerSettings, isSecure: Bool, audit: AuditLog) {
        self.audit = audit
        self.isSecure = isSecure
        self.accounts = accounts
        self.settings = settings
    }

    /// Who makes a request, and the headers that its answer gets for it.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when the credentials are wrong; the same for an unknown name and a
    ///   wrong password.
    func identify(_ request: ServerRequest) async throws -> (Principal, HTTPFields) {
        let (principal, headers) = try await known(request)
        return (try accounts.authorize(principal, request), headers)
    }

    private func known(_ request: ServerRequest) async throws -> (Principal, HTTPFields) {
        let options = settings.options
        if let (principal, headers) = try await session(request, options) { return (principal, headers) }
        if options.acceptsProxy, let principal = proxied(request, options) { return (principal, [:]) }
        guard let header = request.header(.authorization), Authenticator.isOurs(header) else {
            return (.anonymous, [:])
        }
        if header.lowercased().hasPrefix("bearer ") {
            let token = header.dropFirst(7).filter { $0 != " " }
            if let principal = try await accounts.principal(of: token) { return (principal, [:]) }
            guard options.acceptsTokens else { return (.anonymous, [:]) }
            return (try await BearerToken(token).principal(options), [:])
        }
        let proof = proof(of: header)
        if let (account, proved) = try await recognised(proof),
            loginGuard.allows(account.name, from: request.peerAddress, proved: proved)
        {
            return (try account.principal(.basic), [:])
        }
        guard let (name, password) = Authenticator.basic(header) else {
            throw HTTPFailure.badRequest("Authorization header is invalid")
        }
        // What CouchDB's own console sent to ask as nobody.
        if (name, password) == ("_", "_") { return (.anonymous, [:]) }
        let account = try await logIn(name: name, password: password, from: request.peerAddress)
        remember(proof, of: account, from: request.peerAddress)
        return (try account.principal(.basic), [:])
    }

    // MARK: Name and password

    /// Checks a name and password.
    ///
    /// - Throws: ``HTTPFailure`` with status 401, or 403 after too many failures from this address.
    func logIn(name: String, password: String, from address: String) async throws -> Account {
        let proof = proof(of: "\(name)\u{0}\(password)")
        if let (account, proved) = try await recognised(proof), account.name == name,
            loginGuard.allows(name, from: address, proved: proved)
        {
            return account
        }
        return try await inTurn(name, from: address) {
            // Another request of the same caller may have proved it meanwhile.
            if let (account, _) = try await recognised(proof), account.name == name { return account }
            let account = try await verify(name: name, password: password, from: address)
            audit.loggedIn(name, from: address)
            remember(proof, of: account, from: address)
            return account
        }
    }

    private func verify(name: String, password: String, from address: String) async throws -> Account {
        let account = try await accounts.account(named: name)
        let iterations = settings.options.iterations
        let hash = account?.hash ?? PasswordHash(ofNobody: iterations)
        let matches = try await PasswordWork.run(for: HostAddress.network(of: address)) {
            hash.matches(password, orCosts: iterations)
        }
        guard matches, let account else { throw try await refusal(of: name, from: address) }
        loginGuard.succeeded(name, from: address)
        guard account.kind == .user, account.hash.isWeaker(than: iterations) else { return account }
        // The login stands whether or not the stronger hash can be kept now.
        try? await accounts.strengthen(account, password: password, iterations: iterations)
        return try await accounts.account(named: name) ?? account
    }

    /// Checks a secret of an account, one attempt at a time and no more after too many failures.
    ///
    /// - Parameters:
    ///   - name: What failures are counted for, with the address.
    ///   - attempt: Gives what the secret opens; `nil` when it is wrong, or there is no such account.
    /// - Throws: ``HTTPFailure`` with status 401, or 403 after too many failures from this address.
    package func proving<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result?
    ) async throws -> Result {
        try await inTurn(name, from: address) {
            guard let result = try await attempt() else { throw try await refusal(of: name, from: address) }
            loginGuard.succeeded(name, from: address)
            audit.loggedIn(name, from: address)
            return result
        }
    }

    private func inTurn<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result
    ) async throws -> Result {
        try await loginGuard.inTurn(name, from: address) {
            guard loginGuard.allows(name, from: address) else {
                loginGuard.refused(name, from: address)
                throw HTTPFailure.forbidden("Account is temporarily locked due to multiple authentication failures")
            }
            return try await attempt()
        }
    }

    /// Takes note of a failure and lets the caller wait for the answer.
    private func refusal(of name: String, from address: String) async throws -> HTTPFailure {
        let wasAllowed = loginGuard.allows(name, from: address)
        let delay = loginGuard.failed(name, from: address)
        audit.loginFailed(name, from: address)
        if wasAllowed, !loginGuard.allows(name, from: address) { audit.lockedOut(name, from: address) }
        try await Task.sleep(for: delay)
        return .unauthorized("Name or password is incorrect.")
    }

    // PBKDF2 is slow by intent: once a caller has proved a password, a fast keyed hash of what was sent recognises it.
    // Nobody sees that hash, so that the key before the text is enough and an HMAC would be twice the work.

    private func proof(of text: String) -> Proof {
        var text = text
        return text.withUTF8 { bytes in
            var hash = SHA256()
            memoryKey.withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return Array(hash.finalize())
        }
    }

    /// The account that a proof stands for, and the address that it came from first; `nil` when it is unknown, or the
    /// password was changed since.
    private func recognised(_ proof: Proof) async throws -> (account: Account, address: String)? {
        guard let known = remembered.withLock({ $0[proof] }),
            let account = try await accounts.account(named: known.name),
            account.hash.key == known.key
        else { return nil }
        return (account, known.address)
    }

    private func remember(_ proof: Proof, of account: Account, from address: String) {
        remembered.withLock { remembered in
            if remembered.count >= Authenticator.rememberedMax { remembered.removeAll() }
            remembered[proof] = Known(name: account.name, key: account.hash.key, address: address)
        }
    }

    /// A keyed hash of credentials.
    private typealias Proof = [UInt8]

    /// Whose credentials were right, the hash that they were checked against, and where they came from.
    private struct Known {
        let name: String
        let key: [UInt8]
        let address: String
    }

    /// Whether an `Authorization` header is in a scheme that is understood here. As in CouchDB, a request with another one
    /// is anonymous: clients try them out, and proxies leave theirs in requests.
    private static func isOurs(_ header: String) -> Bool {
        guard let space = header.utf8.firstIndex(of: UInt8(ascii: " ")) else { return false }
        return ["basic", "bearer"].contains(header[..<space].lowercased())
    }

    /// The name and password of an `Authorization` header; `nil` when it says something else.
    static func basic(_ header: String) -> (name: String, password: String)? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.decode(parts[1].utf8),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    // MARK: Sessions

    /// The principal of a request's session; `nil` without one that is valid.
    private func session(_ request: ServerRequest, _ options: ServerSettings.Options) async throws -> (
        Principal, HTTPFields
    )? {
        // One that was taken away may come back empty, in quotes too.
        guard let text = request.cookie(SessionCookie.name), text != "\"\"" else { return nil }
        guard let cookie = sessions.cookie(text) ?? SessionCookie(text) else {
            throw HTTPFailure.badRequest("Malformed AuthSession cookie. Please clear your cookies.")
        }
        guard let account = try await accounts.account(named: cookie.user), !options.secret.isEmpty,
            isGenuine(cookie, text, for: account, key: options.sessionKey)
        else { return nil }
        let age = WallClock.seconds - cookie.time
        guard age < options.cookieSeconds else { return nil }
        let principal = try account.principal(.cookie)
        guard Double(age) > Double(options.cookieSeconds) * Authenticator.renewalPart else { return (principal, [:]) }
        return (principal, [.setCookie: cookieHeader(for: account)])
    }

    private func isGenuine(
        _ cookie: SessionCookie, _ text: String, for account: Account, key: SymmetricKey
    ) -> Bool {
        if sessions.isGenuine(text, for: account, key: key) { return true }
        guard cookie.isGenuine(for: account, key: key) else { return false }
        sessions.remember(cookie, text, for: account, key: key)
        return true
    }

    /// The header that begins or renews a session.
    package func cookieHeader(for account: Account) -> String {
        let options = settings.options
        let cookie = SessionCookie(for: account, key: options.sessionKey, time: WallClock.seconds)
        let end = HTTPDate.text(WallClock.seconds + options.cookieSeconds)
        // Some clients know the older form alone.
        let life = options.cookiesPersist ? "; Expires=\(end); Max-Age=\(options.cookieSeconds)" : ""
        return "\(SessionCookie.name)=\(cookie.text); Version=1\(life)\(attributes(options))"
    }

    /// The header that ends a session.
    package var endingCookieHeader: String {
        // As CouchDB's, without a time: some clients take a cookie of no age for none and miss it.
        "\(SessionCookie.name)=; Version=1\(attributes(settings.options))"
    }

    private func attributes(_ options: ServerSettings.Options) -> String {
        "; Path=/; HttpOnly" + (isSecure ? "; Secure" : "")
            + (options.sameSite.isEmpty ? "" : "; SameSite=\(options.sameSite)")
    }

    // MARK: Proxies

    /// The principal that a proxy names (CouchDB's `proxy_authentication_handler`).
    private func proxied(_ request: ServerRequest, _ options: ServerSettings.Options) -> Principal? {
        guard let name = request.header(.proxyUserName) else { return nil }
        if options.proxyUsesSecret {
            let token = request.header(.proxyToken).flatMap { [UInt8](hexadecimal: $0.lowercased().utf8) } ?? []
            guard !options.secret.isEmpty, Authenticator.isToken(token, of: name, secret: options.secret) else {
                return nil
            }
        }
        let roles = (request.header(.proxyRoles) ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }
        return Principal(name: name, roles: roles, authentication: .proxy)
    }

    /// Whether a token is the name's HMAC, by SHA-256 or, from an older proxy, by SHA-1.
    private static func isToken(_ token: [UInt8], of name: String, secret: String) -> Bool {
        let (key, text) = (SymmetricKey(data: Array(secret.utf8)), Array(name.utf8))
        return constantTimeEqual(token, Array(HMAC<SHA256>.authenticationCode(for: text, using: key)))
            || constantTimeEqual(token, Array(HMAC<Insecure.SHA1>.authenticationCode(for: text, using: key)))
    }
}

extension HTTPField.Name {
    static let proxyUserName = HTTPField.Name("X-Auth-CouchDB-UserName")!
    static let proxyRoles = HTTPField.Name("X-Auth-CouchDB-Roles")!
    static let proxyToken = HTTPField.Name("X-Auth-CouchDB-Token")!
}

extension HTTPFailure {
    static func unauthorized(_ reason: String) -> HTTPFailure { HTTPFailure(.unauthorized, "unauthorized", reason) }
}
