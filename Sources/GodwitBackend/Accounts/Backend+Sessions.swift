//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import GodwitStore
import JWTKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Backend {
    /// Begins a session on a device.
    func beginSession(
        of user: String, in application: Application, on device: String, version: String?
    ) async throws -> MemberSession {
        let now = Int64(WallClock.seconds)
        let (added, secret) = try await accounts(application).changeDevices(of: user) { devices in
            devices.add(device, version: version, now: now)
        }
        return try await session(of: user, in: application, on: added, secret: secret)
    }

    /// Continues the session of a device. The refresh token is valid once, and again for
    /// ``BackendLimits/refreshGraceSeconds`` in case the response was lost. The new session contains the next token.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the token is unknown, or was used
    ///   earlier, which logs the device out; with ``AccountError/Code/accountBlocked``,
    ///   ``AccountError/Code/versionRefused`` or ``AccountError/Code/applicationNotFound``.
    public func refresh(
        _ token: String, in application: String, version: String? = nil
    ) async throws -> MemberSession {
        let application = try self.application(application)
        // The version is checked before the token, so that the error does not tell whether the user exists.
        guard application.versions.matches(version) else { throw AccountError.versionRefused }
        let accounts = accounts(application)
        guard let token = RefreshToken(token), let account = try await accounts.account(named: token.user) else {
            throw AccountError.noSession
        }
        if account.isBlocked {
            // Only a client with the token learns that the account is blocked.
            let devices = try await accounts.devices(of: token.user)
            throw devices.holds(token.device, secret: token.secret)
                ? AccountError.accountBlocked : AccountError.noSession
        }
        let now = Int64(WallClock.seconds)
        let outcome = try await accounts.changeDevices(of: token.user) { devices in
            devices.renew(token.device, secret: token.secret, version: version, now: now)
        }
        switch outcome {
        case .renewed(let device, let secret):
            return try await session(of: token.user, in: application, on: device, secret: secret)
        case .stolen:
            try await revoke(token.device, of: token.user, in: application)
            throw AccountError.notLoggedIn(
                "This refresh token was used before: the device is logged out. Log in again.")
        case .unknown: throw AccountError.noSession
        }
    }

    /// Logs out the device of a refresh token.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the token is unknown or was
    ///   replaced, or ``AccountError/Code/applicationNotFound``.
    public func logOut(_ token: String, in application: String) async throws {
        let application = try self.application(application)
        guard let token = RefreshToken(token) else { throw AccountError.noSession }
        let isGone = try await accounts(application).changeDevices(of: token.user) { devices in
            devices.holds(token.device, secret: token.secret) && devices.remove(token.device)
        }
        guard isGone else { throw AccountError.noSession }
        try await revoke(token.device, of: token.user, in: application)
    }

    /// Logs out a device of a user.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/deviceNotFound`` when the device is not logged in, or
    ///   ``AccountError/Code/applicationNotFound``.
    public func logOut(device: String, of user: String, in application: String) async throws {
        let application = try self.application(application)
        guard try await accounts(application).changeDevices(of: user, { $0.remove(device) }) else {
            throw AccountError(.deviceNotFound, "No device with this id is logged in.")
        }
        try await revoke(device, of: user, in: application)
    }

    private func revoke(_ device: String, of user: String, in application: Application) async throws {
        try await server.revoke {
            $0.membership?.application == application.id && $0.membership?.user == user
                && $0.membership?.session == device
        }
    }

    private func session(
        of user: String, in application: Application, on device: DeviceList.Device, secret: String
    ) async throws -> MemberSession {
        let now = WallClock.seconds
        let seconds = BackendLimits.accessSecondsMax
        let claims = AccessTokens.Claims(
            sub: application.principalName(of: user), application: application.id, user: user, session: device.id,
            version: device.version, exp: .init(value: .init(timeIntervalSince1970: Double(now + seconds))), iat: now)
        return MemberSession(
            device: device.id, accessToken: try await tokens.token(claims), secondsMax: seconds,
            refreshToken: RefreshToken(user: user, device: device.id, secret: secret).text)
    }
}

extension AccountError {
    fileprivate static let noSession = AccountError.notLoggedIn("This refresh token is unknown. Log in again.")
}
