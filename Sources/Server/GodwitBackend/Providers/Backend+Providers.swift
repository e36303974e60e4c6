//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore
import Logging

extension Backend {
    /// Logs in a user whose identity a provider confirms. The login needs no second factor.
    ///
    /// The first login with an identity links the identity to an existing account, or creates an account. The identity
    /// is linked to an account under three conditions: the account has the same verified e-mail address,
    /// ``ApplicationProvider/linkedDomains`` permits links by this address, and the account has no other identity of
    /// this provider. In all other cases, an account is created.
    ///
    /// - Parameters:
    ///   - provider: The name of the provider in the application.
    ///   - proof: The proof of the identity that the app got from the provider.
    ///   - application: The application's id.
    ///   - device: The device, on which a session begins.
    ///   - version: The app's version; `nil` when it is unknown.
    ///   - address: The client's address, for which attempts are counted.
    /// - Throws: ``AccountError`` in these cases:
    ///   - The provider does not confirm the identity, or cannot be reached.
    ///   - The application or the provider does not exist.
    ///   - An account must be created, but only administrators may create accounts.
    ///   - Too many accounts or logins come from one network.
    ///   - The account to which the identity would be linked has a second factor.
    ///   - The account or the device is blocked.
    ///   - The version is not served.
    ///   - The proof is an ID token without a nonce, which was used before or was issued before the server started.
    public func logIn(
        with provider: String, proof: LoginProof, in application: String, device: DeviceDetails = DeviceDetails(),
        version: String? = nil, from address: String
    ) async throws -> Login {
        let application = try self.application(application)
        guard application.versions.matches(version) else {
            throw AccountError.versionRefused(by: application)
        }
        let identity = try await confirm(proof, by: provider, in: application, from: address)
        return try await logIn(
            identity, of: provider, in: application, device: device, version: version, from: address)
    }

    /// Logs in a user with a confirmed identity.
    func logIn(
        _ identity: Identity, of provider: String, in application: Application, device: DeviceDetails,
        version: String?, from address: String
    ) async throws -> Login {
        guard application.versions.matches(version) else { throw AccountError.versionRefused(by: application) }
        let account = try await account(of: identity, at: provider, in: application, from: address)
        let login = try await logIn(account, in: application, device: device, version: version)
        try server.authenticator.noteLogin(application.principalName(of: account.name), by: provider, from: address)
        return login
    }

    /// Asks a provider to confirm an identity. An ID token without a nonce is accepted once.
    ///
    /// - Parameter acceptsAgain: Whether an ID token without a nonce is accepted any number of times until it expires,
    ///   as a bearer token.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/providerNotFound``, ``AccountError/Code/loginRefused``,
    ///   ``AccountError/Code/providerUnavailable``, ``AccountError/Code/providerMisconfigured`` or
    ///   ``AccountError/Code/tooManyRequests``.
    func confirm(
        _ proof: LoginProof, by provider: String, in application: Application, from address: String,
        acceptsAgain: Bool = false
    ) async throws -> Identity {
        let client = try providers.client(provider, of: application)
        try countProviderLogin(in: application, from: address)
        do {
            let identity = try await waitingLogins.run(from: address, for: "\(application.id)/\(provider)") {
                try await client.identity(of: proof)
            }
            if !acceptsAgain, case .idToken(let token, nonce: nil) = proof { try usedTokens.use(token) }
            return application.providers[provider]?.limited(identity) ?? identity
        } catch let error as IdentityError {
            if error.code != .refused {
                try? server.logger.warning(
                    "a login with a provider failed",
                    metadata: [
                        "application": "\(application.id)", "provider": "\(provider)", "cause": "\(error.message)",
                    ])
            }
            throw AccountError(error)
        }
    }

    /// Returns the account of an ID token that one of the application's providers issued. Creates the account at the
    /// first login.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/loginRefused`` when no provider of the application
    ///   issued the token; other errors of a login.
    func account(
        ofToken token: String, in application: Application, from address: String
    ) async throws -> UserAccount {
        guard let issuer = (try? IDToken(token))?.issuer,
            let provider = application.providers.sorted(by: { $0.key < $1.key })
                .first(where: { $0.value.settings.mayIssue(issuer) })?.key
        else {
            throw AccountError(.loginRefused, "The token is neither of this application nor of one of its providers.")
        }
        let identity = try await confirm(
            .idToken(token, nonce: nil), by: provider, in: application, from: address, acceptsAgain: true)
        return try await account(of: identity, at: provider, in: application, from: address)
    }

    /// Logs in a user whose identity is proved, and gives the device a separate key.
    func logIn(
        _ account: UserAccount, in application: Application, device: DeviceDetails, version: String?
    ) async throws -> Login {
        if account.isBlocked { throw AccountError.accountBlocked }
        let secret = Administrators.randomPassword()
        let session = try await beginSession(
            of: account, in: application, on: device, version: version, keyHash: UserAccount.hash(ofKey: secret))
        let key = DeviceLogin(
            .key, principalName: application.principalName(of: account.name), device: session.device)
        return Login(
            user: account.name, database: account.database, key: key.name, keyPassword: secret,
            cookieHeader: try await cookieHeader(for: account, in: application, on: session.device),
            session: session)
    }

    // MARK: Accounts of identities

    /// Returns the account of an identity, and updates the profile of the account. At the first login with the
    /// identity, an account is created, or the identity is linked to an existing account.
    private func account(
        of identity: Identity, at provider: String, in application: Application, from address: String
    ) async throws -> UserAccount {
        // The lock prevents two concurrent first logins with the same identity from creating two accounts.
        let lock = "\(application.id)\u{0}\(provider)\u{0}\(identity.subject)"
        return try await accountLock.withLock(lock) {
            let accounts = accounts(application)
            if let known = try await accounts.account(ofIdentity: identity.subject, at: provider) {
                return try await refresh(known, with: identity, at: provider, in: application)
            }
            if let known = try await self.account(toLink: identity, of: provider, in: application) {
                return try await refresh(known, with: identity, at: provider, in: application)
            }
            guard application.registration == .open else {
                throw AccountError.notAllowed(
                    "Only administrators of the server may create accounts of this application.")
            }
            try countRegistration(in: application, from: address)
            return try await newAccount(for: identity, at: provider, in: application)
        }
    }

    /// Returns the account that has the same e-mail address as an identity, if the address is verified on both sides.
    /// The result is `nil` in these cases: no account has the address, ``ApplicationProvider/linkedDomains`` does not
    /// permit links by this address, or the account has another identity of this provider.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/identityTaken`` when the account has a second factor,
    ///   because a login with the provider would bypass the second factor.
    private func account(
        toLink identity: Identity, of provider: String, in application: Application
    ) async throws -> UserAccount? {
        guard identity.isEmailVerified, let email = identity.email,
            application.providers[provider]?.isTrusted(for: email) ?? false,
            let known = try await owner(of: email, in: application), known.identities[provider] == nil
        else { return nil }
        guard try await !accounts(application).secondFactor(of: known.name).isActive else {
            throw AccountError(
                .identityTaken,
                "An account with a second factor has this e-mail address. Log in to it, and link the provider.")
        }
        return known
    }

    /// Links an identity to an account. If the identity is linked already, updates the profile and the roles of the
    /// account from the identity.
    private func refresh(
        _ account: UserAccount, with identity: Identity, at provider: String, in application: Application
    ) async throws -> UserAccount {
        let roles = application.providers[provider]?.roles(of: identity) ?? []
        return try await withFreeAddress(of: identity, except: account.name, in: application) { isFree in
            var changed = account
            changed.link(identity, of: provider, roles: roles, addressIsFree: isFree)
            guard changed != account else { return account }
            let linked = try await self.accounts(application).change(account.name) { known in
                known.link(identity, of: provider, roles: roles, addressIsFree: isFree)
            }
            guard let linked else { throw AccountError.userNotFound }
            return linked
        }
    }

    /// Runs a closure while it holds the lock for an identity's e-mail address. Meanwhile, no other account can verify
    /// this address. An account that holds the address by a provider without trust loses it.
    private func withFreeAddress<Result>(
        of identity: Identity, except user: String?, in application: Application,
        _ body: (_ isFree: Bool) async throws -> Result
    ) async throws -> Result {
        guard identity.isEmailVerified, let email = identity.email else { return try await body(true) }
        return try await accountLock.withLock(Backend.addressLock(email, in: application)) {
            try await withdraw(email, fromOthersThan: user, in: application)
            let owner = try await owner(of: email, in: application)
            return try await body(
                owner.map { holder in user.map { holder.name.isIdenticalText(to: $0) } ?? false } ?? true)
        }
    }

    /// Returns the account that owns an e-mail address: this server has verified the address by a mail, or a provider
    /// has verified it that is trusted for the address now. Returns `nil` if there is no such account.
    func owner(of email: String, in application: Application) async throws -> UserAccount? {
        guard let account = try await accounts(application).account(withVerifiedEmail: email),
            application.trustsVerification(in: account.profile)
        else { return nil }
        return account
    }

    /// Makes an address unverified in the account that holds it by a provider without trust. Call this method with the
    /// lock of the address, before another account verifies the address.
    func withdraw(_ email: String, fromOthersThan user: String?, in application: Application) async throws {
        guard let holder = try await accounts(application).account(withVerifiedEmail: email),
            !(user.map { holder.name.isIdenticalText(to: $0) } ?? false),
            !application.trustsVerification(in: holder.profile)
        else { return }
        try await change(holder.name, in: application) { $0.profile.isEmailVerified = false }
    }

    /// Returns the key of the lock for accounts that verify an address.
    static func addressLock(_ email: String, in application: Application) -> String {
        "\(application.id)\u{0}email\u{0}\(UserProfile.key(of: email))"
    }

    private func newAccount(
        for identity: Identity, at provider: String, in application: Application
    ) async throws -> UserAccount {
        let roles = application.providers[provider]?.roles(of: identity) ?? []
        return try await withFreeAddress(of: identity, except: nil, in: application) { isFree in
            for name in UserName.candidates(for: identity.subject, at: provider, in: application) {
                var account = UserAccount(
                    name: name, database: UserName.database(of: name, in: application), keyHash: nil, lock: nil,
                    now: WallClock.milliseconds)
                account.link(identity, of: provider, roles: roles, addressIsFree: isFree)
                do {
                    _ = try await create(account, in: application)
                    return account
                } catch let error as AccountError {
                    guard error.code == .userExists || error.code == .databaseExists else { throw error }
                }
            }
            throw AccountError.userExists
        }
    }

    // MARK: Linking

    /// Links a confirmed identity to a user's account. The user can then also log in with this identity.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/identityTaken`` when the identity is linked to another
    ///   account, or the account has another identity of this provider; ``AccountError/Code/userNotFound``.
    func link(_ identity: Identity, of provider: String, to user: String, in application: Application) async throws {
        let lock = "\(application.id)\u{0}\(provider)\u{0}\(identity.subject)"
        try await accountLock.withLock(lock) {
            let owner = try await accounts(application).account(ofIdentity: identity.subject, at: provider)
            guard owner?.name.isIdenticalText(to: user) ?? true else {
                throw AccountError(.identityTaken, "This identity is linked to another account.")
            }
            guard let account = try await accounts(application).account(named: user) else {
                throw AccountError.userNotFound
            }
            guard account.identities[provider].map({ $0.subject.isIdenticalText(to: identity.subject) }) ?? true else {
                throw AccountError(
                    .identityTaken, "The account has another identity of this provider. Unlink it first.")
            }
            _ = try await refresh(account, with: identity, at: provider, in: application)
        }
    }

    /// Unlinks a provider from a user's account.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/providerNotFound`` when the provider is not linked,
    ///   ``AccountError/Code/notAllowed`` when the user could not log in without the provider, or
    ///   ``AccountError/Code/userNotFound``.
    func unlink(_ provider: String, from user: String, in application: Application) async throws {
        try await change(user, in: application) { account throws(AccountError) in
            guard account.identities[provider] != nil else {
                throw AccountError(.providerNotFound, "This provider is not linked to the account.")
            }
            guard account.lock != nil || account.hasAnotherProvider(than: provider, in: application) else {
                throw AccountError.notAllowed("This is the only way to log in to this account. Set a password first.")
            }
            account.identities[provider] = nil
            account.profile.removeEmail(of: provider)
        }
    }
}

extension UserAccount {
    /// Whether the user can log in with another provider of the application.
    fileprivate func hasAnotherProvider(than provider: String, in application: Application) -> Bool {
        identities.keys.contains { !$0.isIdenticalText(to: provider) && application.providers[$0] != nil }
    }

    /// Links an identity, or updates the roles and the profile from an identity that is already linked.
    fileprivate mutating func link(
        _ identity: Identity, of provider: String, roles: [String], addressIsFree isFree: Bool
    ) {
        var linked =
            identities[provider]
            ?? LinkedIdentity(subject: identity.subject, linkedMilliseconds: WallClock.milliseconds)
        linked.email = identity.email ?? linked.email
        linked.roles = roles
        identities[provider] = linked
        profile.update(from: identity, of: provider, addressIsFree: isFree)
    }
}

extension AccountError {
    /// Creates the error for a login that a provider did not confirm.
    init(_ error: IdentityError) {
        switch error.code {
        case .refused: self.init(.loginRefused, error.message)
        case .unavailable:
            self.init(.providerUnavailable, error.message, retrySeconds: BackendLimits.providerRetrySeconds)
        case .clockDiffers: self.init(.loginRefused, error.message)
        case .misconfigured: self.init(.providerMisconfigured, error.message)
        }
    }
}
