//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
package import GodwitServer
import GodwitStore

extension Backend: AccountSource {
    /// Whether a name has the form `APPLICATION/USER`. `APPLICATION` must be the id of an application that exists, or
    /// of a removed application whose databases still exist. Only users of applications can have such names. However,
    /// the users of a removed application have no account.
    package func owns(_ name: String) -> Bool {
        name.utf8.firstIndex(of: UInt8(ascii: "/")).map { directory.reserves(String(name[..<$0])) } ?? false
    }

    private func owner(of name: String) -> (application: Application, user: String)? {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")),
            let application = directory.application(String(name[..<slash]))
        else { return nil }
        return (application, String(name[name.utf8.index(after: slash)...]))
    }

    /// Returns the account with a name. The name may be that of a principal, or that of a user's key. The result is
    /// `nil` when the user does not exist, when no user has the key, and when the key was revoked.
    package func account(named name: String) async throws -> Account? {
        if let (application, user) = owner(of: name) {
            return try await accounts(application).account(named: user).map { session(of: $0, in: application) }
        }
        if let login = DeviceLogin(name) { return try await account(of: login) }
        guard name.begins(with: "apikey-") else { return nil }
        for application in directory.all {
            guard let account = try await accounts(application).account(ofKey: name), let hash = account.keyHash else {
                continue
            }
            return self.account(account, in: application, login: name, hash: hash)
        }
        return nil
    }

    /// Returns the account for a device's key or cookie; `nil` when the user or the device does not exist. Also `nil`
    /// for a key if the device has no separate key, and for a cookie if the device is logged out.
    private func account(of login: DeviceLogin) async throws -> Account? {
        guard let (application, user) = owner(of: login.principalName),
            let account = try await accounts(application).account(named: user),
            let device = try await accounts(application).devices(of: user).device(login.device)
        else { return nil }
        switch login.kind {
        case .key: return device.keyHash.map { self.account(account, in: application, on: device, login, hash: $0) }
        case .cookie: return session(of: account, in: application, on: device)
        }
    }

    private func account(
        _ account: UserAccount, in application: Application, on device: Device, _ login: DeviceLogin, hash: PasswordHash
    ) -> Account {
        var known = self.account(account, in: application, login: login.name, hash: hash)
        known.membership = Membership(
            application: application.id, user: account.name, session: device.id, version: device.version)
        if let error = AccountError(device.state) { known.refusal = error.httpFailure }
        return known
    }

    /// Removes an administrator's passkeys.
    package func removeCredentials(ofAdministrator name: String) async throws {
        for stored in try await passkeys where stored.user.isIdenticalText(to: name) { try await remove(stored) }
    }

    /// Returns the account for session cookies that belong to no device. No password matches this account.
    func session(of account: UserAccount, in application: Application) -> Account {
        self.account(
            account, in: application, login: application.principalName(of: account.name),
            hash: Backend.sessionHash(account, salt: account.sessionSalt))
    }

    /// Returns the account for the session cookie of a device; `nil` when the device is logged out. The cookie becomes
    /// invalid when the device's session ends.
    func session(of account: UserAccount, in application: Application, on device: Device) -> Account? {
        guard !device.loginID.isEmpty else { return nil }
        let login = DeviceLogin(
            .cookie, principalName: application.principalName(of: account.name), device: device.id)
        return self.account(
            account, in: application, on: device, login,
            hash: Backend.sessionHash(account, salt: account.sessionSalt + device.loginID))
    }

    /// Returns the `Set-Cookie` header that begins a session.
    ///
    /// - Parameter device: The id of the device to which the cookie belongs. The cookie becomes invalid when the
    ///   device's session ends. `nil` for a cookie that belongs to no device.
    func cookieHeader(
        for account: UserAccount, in application: Application, on device: String?
    ) async throws -> String {
        guard let device else {
            return try server.authenticator.cookieHeader(for: session(of: account, in: application))
        }
        guard let known = try await accounts(application).devices(of: account.name).device(device),
            let session = session(of: account, in: application, on: known)
        else { throw AccountError.notLoggedIn("This device is logged out. Log in again.") }
        return try server.authenticator.cookieHeader(for: session)
    }

    private static func sessionHash(_ account: UserAccount, salt: String) -> PasswordHash {
        PasswordHash(ofUnknownUser: account.lock?.iterations ?? PasswordHash.iterationsDefault, salt: salt)
    }

    private func account(
        _ account: UserAccount, in application: Application, login: String, hash: PasswordHash
    ) -> Account {
        Account(
            name: login, principalName: application.principalName(of: account.name),
            roles: [application.userRole] + account.allRoles(in: application).map { "\(application.id)/\($0)" },
            hash: hash,
            membership: Membership(application: application.id, user: account.name),
            refusal: account.isBlocked ? AccountError.accountBlocked.httpFailure : nil)
    }

    /// Returns the principal of an access token; `nil` when the token was not issued by a backend.
    ///
    /// - Throws: ``AccountError`` when the token is invalid or expired, when the device is logged out, blocked or lost,
    ///   and when the account does not exist or is blocked.
    package func principal(of token: String) async throws -> Principal? {
        guard let claims = try await tokens.claims(of: token) else { return nil }
        guard let application = directory.application(claims.aud),
            let account = try await accounts(application).account(named: claims.user),
            let device = try await accounts(application).devices(of: claims.user).device(claims.session),
            // A device may have been logged out and logged in again with the same id. Tokens of the earlier login are
            // then refused.
            device.state != .wiped, ExactText.areEqual(device.loginID, claims.login)
        else { throw AccountError.notLoggedIn("This device is logged out. Log in again.") }
        if account.isBlocked { throw AccountError.accountBlocked }
        if let error = AccountError(device.state) { throw error }
        let known = session(of: account, in: application)
        return try known.principal(
            .jwt,
            membership: Membership(
                application: application.id, user: account.name, session: claims.session, version: claims.version))
    }

    /// Checks that the server serves the app's version. The version comes from the session. If the session has no
    /// version, it comes from the header `X-App-Version`.
    ///
    /// - Returns: The principal with the version.
    /// - Throws: ``AccountError`` when the server does not serve the version, and when the application no longer
    ///   exists.
    package func authorize(_ principal: Principal, _ request: ServerRequest) throws -> Principal {
        guard var membership = principal.membership, let application = directory.application(membership.application)
        else { throw AccountError.notLoggedIn("This application does not exist any more.") }
        membership.version = membership.version ?? request.header(.appVersion)
        guard application.versions.matches(membership.version) else {
            throw AccountError.versionRefused(by: application)
        }
        return Principal(
            name: principal.name, roles: principal.roles, authentication: principal.authentication,
            membership: membership)
    }
}
