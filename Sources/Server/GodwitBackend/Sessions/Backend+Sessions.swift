//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitJSON
import GodwitServer
import GodwitStore
import JWTKit

extension Backend {
    /// Begins a session on a device.
    ///
    /// - Parameter keyHash: The hash of the password of the device's own key; `nil` if the device has no key of its
    ///   own.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidDevice``, ``AccountError/Code/deviceBlocked`` or
    ///   ``AccountError/Code/deviceLost``.
    func beginSession(
        of account: UserAccount, in application: Application, on device: DeviceDetails, version: String?,
        keyHash: PasswordHash? = nil
    ) async throws -> MemberSession {
        try device.check()
        let now = Int64(WallClock.seconds)
        let (added, secret) = try await accounts(application).changeDevices(of: account.name) { devices in
            try devices.logIn(device, version: version, keyHash: keyHash, now: now)
        }
        return try await session(of: account, in: application, on: added, secret: secret)
    }

    /// Continues the session of a device. The refresh token can be used once. However, the response may be lost.
    /// Therefore the token is accepted again for ``BackendLimits/refreshGraceSeconds`` after its first use. The new
    /// session contains the next token.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the token is unknown or was used
    ///   earlier. In the second case, the device is also logged out. Other codes are
    ///   ``AccountError/Code/accountBlocked``, ``AccountError/Code/deviceBlocked``, ``AccountError/Code/deviceLost``,
    ///   ``AccountError/Code/versionRefused`` and ``AccountError/Code/applicationNotFound``.
    public func refresh(
        _ token: String, in application: String, version: String? = nil
    ) async throws -> MemberSession {
        let application = try self.application(application)
        let accounts = accounts(application)
        let token = RefreshToken(token)
        var account: UserAccount?
        if let token { account = try await accounts.account(named: token.user) }
        // A lost device must delete its data. The device gets this order even if the version of the app is not served
        // or the account is blocked.
        if let token, account != nil,
            try await accounts.devices(of: token.user).device(token.device, ofLogin: token.secret)?.state == .lost
        {
            throw AccountError.deviceLost
        }
        // The version is checked before the token. In the opposite order, the error could reveal whether the user
        // exists.
        guard application.versions.matches(version) else { throw AccountError.versionRefused(by: application) }
        guard let token, let account else { throw AccountError.noSession }
        let known = try await accounts.devices(of: token.user).device(token.device, holding: token.secret)
        if account.isBlocked {
            // Only a client that has a valid token learns that the account is blocked.
            throw known == nil ? AccountError.noSession : AccountError.accountBlocked
        }
        // If the request contains no version, the version of the device's last login or refresh is checked.
        if version == nil, let known, !application.versions.matches(known.version) {
            throw AccountError.versionRefused(by: application)
        }
        let now = Int64(WallClock.seconds)
        let outcome = try await accounts.changeDevices(of: token.user) { devices in
            devices.renew(token.device, secret: token.secret, version: version, now: now)
        }
        switch outcome {
        case .renewed(let device, let secret):
            return try await session(of: account, in: application, on: device, secret: secret)
        case .stolen:
            try await revoke(token.device, of: token.user, in: application)
            throw AccountError.notLoggedIn(
                "This refresh token was used before: the device is logged out. Log in again.")
        case .refused(let error): throw error
        case .unknown: throw AccountError.noSession
        }
    }

    /// Logs out the device of a refresh token.
    ///
    /// - Parameter token: A refresh token of the device's current login. It may also be an earlier token of this login.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the token is unknown, with
    ///   ``AccountError/Code/deviceLost`` or ``AccountError/Code/deviceBlocked``, or with
    ///   ``AccountError/Code/applicationNotFound``.
    public func logOut(_ token: String, in application: String) async throws {
        let application = try self.application(application)
        guard let token = RefreshToken(token) else { throw AccountError.noSession }
        try await accounts(application).changeDevices(of: token.user) { devices in
            guard let device = devices.device(token.device, ofLogin: token.secret) else {
                throw AccountError.noSession
            }
            if let error = AccountError(device.state) { throw error }
            guard devices.logOut(token.device) else { throw AccountError.noSession }
        }
        try await revoke(token.device, of: token.user, in: application)
    }

    private func session(
        of account: UserAccount, in application: Application, on device: Device, secret: String
    ) async throws -> MemberSession {
        let now = WallClock.seconds
        let seconds = BackendLimits.accessSecondsMax
        let claims = AccessTokens.Claims(
            iss: "\(application.url ?? "")/_apps/\(application.id)", aud: application.id,
            sub: application.principalName(of: account.name),
            user: account.name, session: device.id, login: device.loginID, version: device.version,
            roles: account.allRoles(in: application),
            exp: .init(value: .init(timeIntervalSince1970: Double(now + seconds))), iat: now)
        return MemberSession(
            device: device.id, accessToken: try await tokens.token(claims), secondsMax: seconds,
            refreshToken: RefreshToken(user: account.name, device: device.id, secret: secret).text,
            warning: application.versions.warning(for: device.version))
    }
}
