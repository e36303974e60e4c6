//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport
import HTTPTypes

/// Identifies the principal of a request by session cookie, name and password, token, or a proxy's headers.
package final class Authenticator: Sendable {
    /// The maximum number of verified credentials in memory. The credentials are stored as hashes that are keyed with a
    /// random key of this process.
    private static let provedMax = 10_000
    /// The fraction of a session's lifetime after which a response renews the session's cookie.
    static let renewalPart = 0.1

    let accounts: AccountDirectory
    let settings: ServerSettings
    /// Whether browsers may send the cookies over TLS only.
    let isSecure: Bool
    private let audit: AuditLog
    private let loginGuard = LoginGuard()
    private let memoryKey = SymmetricKey(size: .bits256)
    private let provedAccounts = Mutex<[Proof: ProvedAccount]>([:])
    private let sessions = SessionCache()

    init(accounts: AccountDirectory, settings: ServerSettings, isSecure: Bool, audit: AuditLog) {
        self.audit = audit
        self.isSecure = isSecure
        self.accounts = accounts
        self.settings = settings
    }

    /// Returns a request's principal, and the headers to add to the response, such as a renewed session cookie.
    ///
    /// - Parameter isLogin: Whether the request is for a route with which clients log in. A route for logins requires
    ///   no credentials. Therefore a request for such a route is accepted even if it contains the console's cookie but
    ///   not the console's token.
    /// - Throws: ``HTTPFailure`` with one of the statuses below. Also throws the account's ``Account/refusal``, and the
    ///   error of a module that refuses the token or the request.
    ///   - 400: A header or cookie is malformed.
    ///   - 401: The token is invalid, or the credentials are wrong. The reason is the same for an unknown name and for
    ///     a wrong password.
    ///   - 401: The session of the console to which the request belongs has ended.
    ///   - 403: The account is locked, or a request of the console does not contain the right token.
    ///   - 503: Too many logins wait.
    func identify(_ request: ServerRequest, isLogin: Bool = false) async throws -> (Principal, HTTPFields) {
        let (principal, headers) = try await identifiedPrincipal(of: request, isLogin: isLogin)
        return (try accounts.authorize(principal, request), headers)
    }

    private func identifiedPrincipal(
        of request: ServerRequest, isLogin: Bool
    ) async throws -> (Principal, HTTPFields) {
        let options = settings.options
        // An app names its token for each request. A browser adds the cookie of another login by itself.
        let token = Authenticator.token(request)
        if let token, let principal = try await accounts.principal(of: token) { return (principal, [:]) }
        if let found = try await consoleSession(request, options, isLogin: isLogin) { return found }
        for method in options.authenticationMethods {
            let found: (Principal, HTTPFields)?
            switch method {
            case .cookie: found = try await session(request, options, isLogin: isLogin)
            case .proxy: found = proxied(request, options).map { ($0, [:]) }
            case .token:
                if let token { found = (try await BearerToken(token).principal(options), [:]) } else { found = nil }
            case .password: found = try await basicPrincipal(of: request).map { ($0, [:]) }
            }
            if let found { return found }
        }
        return (.anonymous, [:])
    }

    /// Returns the token of a header `Authorization: Bearer`; `nil` if there is none.
    private static func token(_ request: ServerRequest) -> String? {
        guard let header = request.header(.authorization), header.lowercased().begins(with: "bearer ") else {
            return nil
        }
        return header.dropFirst(7).filter { $0 != " " }
    }

    /// Checks the name and password of a header `Authorization: Basic`.
    ///
    /// - Returns: `nil` if there is no such header, or it is the header that CouchDB's console sends for an anonymous
    ///   request.
    private func basicPrincipal(of request: ServerRequest) async throws -> Principal? {
        guard let header = request.header(.authorization), Authenticator.isBasic(header) else { return nil }
        let proof = proof(of: header)
        if let (account, provingAddress) = try await provedAccount(proof),
            loginGuard.allows(account.name, from: request.peerAddress, proved: provingAddress)
        {
            return try account.principal(.basic)
        }
        guard let (name, password) = Authenticator.basic(header) else {
            throw HTTPFailure.badRequest("Authorization header is invalid")
        }
        if (name, password) == ("_", "_") { return nil }
        let account = try await logIn(name: name, password: password, from: request.peerAddress)
        remember(proof, of: account, from: request.peerAddress)
        return try account.principal(.basic)
    }

    // MARK: Name and password

    /// Checks a name and password.
    ///
    /// - Parameter beginsSession: Whether the login begins a session. Each new session is logged as a login. If no
    ///   session begins, a password that was checked recently is not logged again.
    /// - Returns: The account, even if it has a ``Account/refusal``. The caller gets the refusal from
    ///   ``Account/principal(_:membership:)``, which throws it.
    /// - Throws: ``HTTPFailure`` with status 401 when the name or the password is wrong, 403 after too many failures
    ///   from the network of this address, or 503 when too many logins wait.
    package func logIn(
        name: String, password: String, from address: String, beginsSession: Bool = false
    ) async throws -> Account {
        let proof = proof(of: "\(name)\u{0}\(password)")
        if let (account, provingAddress) = try await provedAccount(proof), account.name.isIdenticalText(to: name),
            loginGuard.allows(name, from: address, proved: provingAddress)
        {
            if beginsSession { audit.loggedIn(name, by: Authenticator.passwordMethod, from: address) }
            return account
        }
        return try await serialized(name, from: address) {
            // While this request waited, another request may have proved the same name and password.
            if let (account, _) = try await provedAccount(proof), account.name.isIdenticalText(to: name) {
                if beginsSession { audit.loggedIn(name, by: Authenticator.passwordMethod, from: address) }
                return account
            }
            let account = try await verify(name: name, password: password, from: address)
            audit.loggedIn(name, by: Authenticator.passwordMethod, from: address)
            remember(proof, of: account, from: address)
            return account
        }
    }

    private func verify(name: String, password: String, from address: String) async throws -> Account {
        let account = try await accounts.account(named: name)
        let iterations = settings.options.iterations
        let hash = account?.hash ?? PasswordHash(ofUnknownUser: iterations)
        let isRight = try await PasswordWork.run(for: HostAddress.network(of: address)) {
            hash.matches(password, orCosts: iterations)
        }
        guard isRight, let account else { throw try await refusal(of: name, from: address) }
        loginGuard.succeeded(name, from: address)
        guard account.kind == .user, account.hash.isWeaker(than: iterations) else { return account }
        // If the stronger hash cannot be stored now, the login succeeds nevertheless.
        try? await accounts.strengthen(account, password: password, iterations: iterations)
        return try await accounts.account(named: name) ?? account
    }

    /// Checks an account's secret, one attempt at a time per account and network. Refuses attempts after too many
    /// failures.
    ///
    /// - Parameters:
    ///   - name: The name of the account. Failures are counted for each pair of a name and a network.
    ///   - method: The kind of secret, for the log.
    ///   - isLogin: Whether an attempt with the right secret is logged as a login with this name.
    ///   - attempt: A closure that checks the secret. If the secret is right, the closure returns the value that this
    ///     method returns. It returns `nil` if the secret is wrong or the account does not exist.
    /// - Throws: ``HTTPFailure`` with status 401 when `attempt` returns `nil`, 403 after too many failures from the
    ///   network of this address, or 503 when too many attempts of this network wait; errors of `attempt`.
    package func proving<Result>(
        _ name: String, by method: String = passwordMethod, isLogin: Bool = true, from address: String,
        _ attempt: () async throws -> Result?
    ) async throws -> Result {
        try await serialized(name, from: address) {
            guard let result = try await attempt() else {
                throw try await refusal(of: name, by: method, from: address)
            }
            loginGuard.succeeded(name, from: address)
            if isLogin { audit.loggedIn(name, by: method, from: address) }
            return result
        }
    }

    /// Checks that a name is not locked for the network of an address. If the name is locked, the call is counted as a
    /// further failure.
    ///
    /// - Throws: ``HTTPFailure`` with status 403.
    package func checkLock(_ name: String, from address: String) throws(HTTPFailure) {
        guard !loginGuard.allows(name, from: address) else { return }
        loginGuard.refused(name, from: address)
        throw .locked
    }

    /// The name that the log uses for logins with a password.
    package static let passwordMethod = "password"

    private func serialized<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result
    ) async throws -> Result {
        try await loginGuard.serialized(name, from: address) {
            try checkLock(name, from: address)
            return try await attempt()
        }
    }

    /// Counts and logs a failure, waits, and returns the error to throw.
    private func refusal(
        of name: String, by method: String = passwordMethod, from address: String
    ) async throws -> HTTPFailure {
        let wasAllowed = loginGuard.allows(name, from: address)
        let delay = loginGuard.failed(name, from: address)
        audit.loginFailed(name, by: method, from: address)
        if wasAllowed, !loginGuard.allows(name, from: address) { audit.lockedOut(name, from: address) }
        try await Task.sleep(for: delay)
        return .unauthorized("Name or password is incorrect.")
    }

    // PBKDF2 is slow by design. After a client proved a password, a fast keyed hash identifies the same credentials.
    // The hash covers the key followed by the text. An attacker who sees such a hash can extend the text, but no hash
    // leaves this process, so this construction is safe here. An HMAC would take twice as much time.

    private func proof(of text: String) -> Proof {
        var text = text
        return text.withUTF8 { bytes in
            var hash = SHA256()
            memoryKey.withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return Array(hash.finalize())
        }
    }

    /// Returns the account of verified credentials, and the address of the client that proved them last. Returns `nil`
    /// when the credentials are not in memory, when the account was removed, and when the password changed after the
    /// credentials were verified.
    private func provedAccount(_ proof: Proof) async throws -> (account: Account, address: String)? {
        guard let entry = provedAccounts.withLock({ $0[proof] }),
            let account = try await accounts.account(named: entry.name),
            account.hash.key == entry.key
        else { return nil }
        return (account, entry.address)
    }

    private func remember(_ proof: Proof, of account: Account, from address: String) {
        provedAccounts.withLock { provedAccounts in
            if provedAccounts.count >= Authenticator.provedMax { provedAccounts.removeAll() }
            provedAccounts[proof] = ProvedAccount(name: account.name, key: account.hash.key, address: address)
        }
    }

    /// A keyed hash of credentials.
    private typealias Proof = [UInt8]

    /// An account with verified credentials: its name, the key of its password hash, and the address of the client that
    /// proved the credentials last.
    private struct ProvedAccount {
        let name: String
        let key: [UInt8]
        let address: String
    }

    /// Whether an `Authorization` header has the scheme Basic. As in CouchDB, a request with an unknown scheme is treated
    /// as anonymous: the reason is that some clients try other schemes first, and that some proxies add credentials
    /// which are not for this server.
    private static func isBasic(_ header: String) -> Bool { header.lowercased().begins(with: "basic ") }

    /// The name and password of an `Authorization` header; `nil` when the header is malformed or its scheme is not
    /// Basic.
    static func basic(_ header: String) -> (name: String, password: String)? {
        let parts = header.pieces(at: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.decode(parts[1].utf8),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }

    /// Logs a login that was not proved by ``proving(_:by:isLogin:from:_:)``.
    package func noteLogin(_ name: String, by method: String, from address: String) {
        audit.loggedIn(name, by: method, from: address)
    }

    /// Returns the account of an administrator of the server; `nil` if none has this name.
    package func administrator(named name: String) async throws -> Account? {
        guard let account = try await accounts.account(named: name), account.kind == .administrator else { return nil }
        return account
    }

    // MARK: Sessions

    /// The principal of a request's session, and the headers to add to the response; `nil` when the request has no
    /// valid session cookie.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 for a malformed cookie; the account's ``Account/refusal``.
    private func session(
        _ request: ServerRequest, _ options: ServerSettings.Options, isLogin: Bool
    ) async throws -> (Principal, HTTPFields)? {
        // A logout empties the cookie. The empty cookie may arrive as an empty value or as a pair of quotes.
        guard let text = request.cookie(SessionCookie.name), text != "\"\"" else { return nil }
        guard let cookie = sessions.cookie(text) ?? SessionCookie(text) else {
            throw HTTPFailure.badRequest("Malformed AuthSession cookie. Please clear your cookies.")
        }
        guard let account = try await accounts.account(named: cookie.user), !options.secret.isEmpty,
            isGenuine(cookie, text, for: account, key: options.sessionKey)
        else { return nil }
        let age = WallClock.seconds.subtractingSaturated(cookie.time)
        guard age < options.cookieSeconds else { return nil }
        // An account that may not log in can still log out, and its browser can log in as another.
        guard !isLogin || account.refusal == nil else { return nil }
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

    /// Returns the `Set-Cookie` header that begins or renews a session.
    package func cookieHeader(for account: Account) -> String {
        let options = settings.options
        let cookie = SessionCookie(for: account, key: options.sessionKey, time: WallClock.seconds)
        let end = HTTPDate.text(WallClock.seconds + options.cookieSeconds)
        // Both attributes are sent, because some clients understand only `Expires`, which is older than `Max-Age`.
        let expiry = options.cookiesPersist ? "; Expires=\(end); Max-Age=\(options.cookieSeconds)" : ""
        return "\(SessionCookie.name)=\(cookie.text); Version=1\(expiry)\(attributes(options))"
    }

    /// The `Set-Cookie` header that ends a session.
    package var endingCookieHeader: String {
        // As in CouchDB, the header does not contain `Max-Age=0`, because some clients ignore a cookie with this
        // attribute.
        "\(SessionCookie.name)=; Version=1\(attributes(settings.options))"
    }

    private func attributes(_ options: ServerSettings.Options) -> String {
        "; Path=/; HttpOnly" + (isSecure ? "; Secure" : "")
            + (options.sameSite.isEmpty ? "" : "; SameSite=\(options.sameSite)")
    }

    // MARK: Proxies

    /// Returns the principal that a proxy names in its headers (CouchDB's `proxy_authentication_handler`). Returns
    /// `nil` when the headers name no user. If the settings require a token, also returns `nil` when the token is
    /// missing or wrong, and when the server has no secret.
    private func proxied(_ request: ServerRequest, _ options: ServerSettings.Options) -> Principal? {
        guard let name = request.header(.proxyUserName) else { return nil }
        if options.proxyUsesSecret {
            let token = request.header(.proxyToken).flatMap { [UInt8](hexadecimal: $0.lowercasedASCII.utf8) } ?? []
            guard !options.secret.isEmpty, Authenticator.isToken(token, of: name, secret: options.secret) else {
                return nil
            }
        }
        let roles = request.header(.proxyRoles)?.commaSeparatedItems ?? []
        return Principal(name: name, roles: roles, authentication: .proxy)
    }

    /// Whether a token is the HMAC of the name. The HMAC may use SHA-256, or SHA-1 for older proxies.
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
    fileprivate static let locked = HTTPFailure.forbidden(
        "Account is temporarily locked due to multiple authentication failures")

    static func unauthorized(_ reason: String) -> HTTPFailure { HTTPFailure(.unauthorized, "unauthorized", reason) }
}
