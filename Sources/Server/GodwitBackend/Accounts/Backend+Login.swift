//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore
import GodwitTransport

/// The result of a login.
public struct Login: Sendable {
    /// The user's name.
    public let user: String
    /// The name of the user's database.
    public let database: String
    /// The name of a key, for Basic authentication. After a login with a password, it is the user's key. After any
    /// other login, it is a separate key of the device.
    public let key: String
    /// The password of ``key``. The server stores a hash of this password. If ``key`` is the user's key, the server
    /// also stores this password, encrypted with the user's password.
    public let keyPassword: String
    /// The value of a `Set-Cookie` header with a session cookie.
    public let cookieHeader: String
    /// The session on this device; `nil` when none was requested.
    public let session: MemberSession?
}

/// The session of a device that is logged in.
public struct MemberSession: Sendable {
    /// The device's id.
    public let device: String
    /// The token with which the device authenticates for `secondsMax` seconds, as `Authorization: Bearer …`.
    public let accessToken: String
    /// The lifetime of the access token, in seconds.
    public let secondsMax: Int
    /// The token with which the device gets a new session and the next refresh token. This token can be used once.
    /// However, the response may be lost. Therefore the token is accepted again for
    /// ``BackendLimits/refreshGraceSeconds`` after its first use.
    public let refreshToken: String
    /// A notice that warns the user about this version of the app, for example because the server will soon stop
    /// serving the version; `nil` if there is no such notice.
    public let warning: AppVersions.Notice?
}

extension Backend {
    /// Logs a user in.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The user's password.
    ///   - application: The application's id.
    ///   - device: The device on which a session begins; `nil` if no session is to begin.
    ///   - version: The app's version; `nil` when it is unknown.
    ///   - secondFactor: A one-time password or a recovery code, if the user has a second factor; `nil` for none.
    ///   - address: The client's address, for which failed attempts are counted and slowed down.
    /// - Throws: ``HTTPFailure``. Its status is 401, with the same reason, when the user is unknown and when the
    ///   password is wrong. The status is 403 after too many failed attempts, and 503 when too many logins wait.
    ///   ``AccountError`` in these cases: the application does not exist; the account is blocked or was changed at the
    ///   same time; the server does not serve the version; the login needs a second factor; the device is blocked or
    ///   lost, or its details are invalid.
    public func logIn(
        _ user: String, password: String, in application: String, device: DeviceDetails? = nil, version: String? = nil,
        secondFactor: String? = nil, from address: String
    ) async throws -> Login {
        try await logIn(
            user, password: password, in: application, device: device, version: version, secondFactor: secondFactor,
            countedAs: nil, from: address)
    }

    /// Logs a user in.
    ///
    /// - Parameter name: The name for which failures are counted; `nil` for the user's name. For a login with an e-mail
    ///   address, failures are counted for the address, so that the response does not reveal whether an account has the
    ///   address.
    func logIn(
        _ user: String, password: String, in application: String, device: DeviceDetails?, version: String?,
        secondFactor: String?, countedAs name: String?, from address: String
    ) async throws -> Login {
        let application = try self.application(application)
        var (account, secret) = try await prove(
            user, password: password, in: application, countedAs: name, from: address)
        try await checkSecondFactor(secondFactor, of: user, in: application, from: address)
        if account.isBlocked { throw AccountError.accountBlocked }
        guard application.versions.matches(version) else { throw AccountError.versionRefused(by: application) }
        let iterations = try server.iterations
        if account.keyHash == nil || account.lock.map({ $0.iterations < iterations }) ?? false {
            (account, secret) = try await renew(account, secret, password: password, in: application)
        }
        var session: MemberSession?
        if let device {
            session = try await beginSession(of: account, in: application, on: device, version: version)
        }
        return Login(
            user: user, database: account.database, key: account.key, keyPassword: secret,
            cookieHeader: try await cookieHeader(for: account, in: application, on: session?.device),
            session: session)
    }

    /// Checks a password.
    ///
    /// - Parameter name: The name for which failures are counted; `nil` for the user's name.
    /// - Returns: The account, and the password of its key.
    /// - Throws: The errors of ``Authenticator/proving(_:by:isLogin:from:_:)``.
    func prove(
        _ user: String, password: String, in application: Application, countedAs name: String? = nil,
        from address: String
    ) async throws -> (UserAccount, keyPassword: String) {
        let principal = application.principalName(of: name ?? user)
        let (accounts, binding) = (accounts(application), UserAccount.binding(user, in: application))
        let iterations = try server.iterations
        return try await server.authenticator.proving(principal, from: address) {
            let account = try await accounts.account(named: user)
            // A hash is also computed if the name is unknown. Therefore the response takes as long as for a known name.
            let lock = account?.lock ?? PasswordLock(ofUnknownUser: iterations)
            let opened = try await PasswordWork.run(for: HostAddress.network(of: address)) {
                lock.open(password, binding: binding, orCosts: iterations)
            }
            guard let secret = opened, let account else {
                return nil
            }
            return (account, secret)
        }
    }

    /// Creates a new key if the user's key was revoked. Otherwise, encrypts the password of the key again with the
    /// current number of rounds.
    private func renew(
        _ account: UserAccount, _ secret: String, password: String, in application: Application
    ) async throws -> (UserAccount, keyPassword: String) {
        let isNew = account.keyHash == nil
        let secret = isNew ? Administrators.randomPassword() : secret
        let lock = try await seal(secret, password: password, of: account.name, in: application)
        let (key, hash) = (isNew ? UserAccount.newKey() : account.key, UserAccount.hash(ofKey: secret))
        let changed = try await accountLock.withLock(application.principalName(of: account.name)) {
            try await accounts(application).change(account.name) { known in
                // In the meantime, another login may have renewed the key, or the password may have been changed.
                guard known.lock == account.lock, known.keyHash == account.keyHash else { return }
                (known.key, known.keyHash, known.lock) = (key, hash, lock)
            }
        }
        guard let changed, changed.lock == lock else {
            throw AccountError.notLoggedIn("The account was changed at the same time. Log in again.")
        }
        return (changed, secret)
    }

    /// Changes a user's password. The password of the user's key does not change, so that the key and the sessions
    /// remain valid. It is encrypted with the new password of the user.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when `password` is wrong, and further errors as for a login;
    ///   ``AccountError`` with code ``AccountError/Code/invalidPassword`` when the new password violates a rule.
    ///   ``AccountError`` with code ``AccountError/Code/changedMeanwhile`` when the account was changed at the same
    ///   time.
    public func changePassword(
        of user: String, from password: String, to newPassword: String, in application: String, address: String
    ) async throws {
        let application = try self.application(application)
        try Backend.check(newPassword)
        try Backend.check(newPassword, by: application.passwords)
        let (account, secret) = try await prove(user, password: password, in: application, from: address)
        let lock = try await seal(secret, password: newPassword, of: user, in: application)
        let changed = try await accounts(application).change(user) { known in
            if known.lock == account.lock { known.lock = lock }
        }
        guard changed?.lock == lock else {
            throw AccountError(.changedMeanwhile, "The account was changed at the same time. Try again.")
        }
        try await accounts(application).changeMailTokens(of: user) { $0.removeAll() }
    }

    /// Sets the password of a user who has forgotten it. Without the old password, the key's password cannot be
    /// decrypted. Therefore the user is logged out everywhere and gets a new key. The application's rules for passwords
    /// do not apply.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound`` or
    ///   ``AccountError/Code/applicationNotFound``, or ``AccountError/Code/invalidPassword`` for an empty or too long
    ///   password; ``HTTPFailure`` with status 503 when too many passwords wait to be hashed.
    public func resetPassword(of user: String, to password: String, in application: String) async throws {
        let application = try self.application(application)
        try Backend.check(password)
        let secret = Administrators.randomPassword()
        let lock = try await seal(secret, password: password, of: user, in: application)
        let hash = UserAccount.hash(ofKey: secret)
        try await change(user, in: application) { account in
            (account.lock, account.key, account.keyHash) = (lock, UserAccount.newKey(), hash)
            account.sessionSalt = UserAccount.newSalt()
        }
        try await accounts(application).changeMailTokens(of: user) { $0.removeAll() }
        try await endSessions(of: user, in: application)
    }

    /// Ends all sessions of a user and revokes the user's key. The next login creates a new key.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound`` or
    ///   ``AccountError/Code/applicationNotFound``.
    public func logOutEverywhere(_ user: String, in application: String) async throws {
        let application = try self.application(application)
        try await change(user, in: application) { account in
            account.keyHash = nil
            account.sessionSalt = UserAccount.newSalt()
        }
        try await accounts(application).changeMailTokens(of: user) { $0.removeAll() }
        try await endSessions(of: user, in: application)
    }

    /// Blocks or unblocks a user. Blocking also ends the user's open requests and feeds.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound`` or
    ///   ``AccountError/Code/applicationNotFound``.
    public func setBlocked(_ user: String, to isBlocked: Bool, in application: String) async throws {
        let application = try self.application(application)
        try await change(user, in: application) { $0.isBlocked = isBlocked }
        guard isBlocked else { return }
        try await revoke(user, in: application)
    }

    /// Changes an account. Changes of the same account run one after the other.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/userNotFound``.
    func change(
        _ user: String, in application: Application,
        _ change: @escaping @Sendable (inout UserAccount) throws(AccountError) -> Void
    ) async throws {
        try await accountLock.withLock(application.principalName(of: user)) {
            guard try await accounts(application).change(user, change) != nil else { throw AccountError.userNotFound }
        }
    }

    private func endSessions(of user: String, in application: Application) async throws {
        try await accounts(application).changeDevices(of: user) { $0.logOutAll() }
        try await revoke(user, in: application)
    }

    /// Ends the requests, feeds and replications of a user.
    private func revoke(_ user: String, in application: Application) async throws {
        try await server.revoke { $0.membership?.belongs(to: user, of: application.id) ?? false }
    }
}
