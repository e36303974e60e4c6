//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer

extension Backend {
    /// Logs out a device of a user.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/deviceNotFound`` when the device is not logged in, or
    ///   ``AccountError/Code/applicationNotFound``.
    public func logOut(device: String, of user: String, in application: String) async throws {
        let application = try self.application(application)
        guard try await accounts(application).changeDevices(of: user, { $0.logOut(device) }) else {
            throw AccountError.deviceNotFound
        }
        try await revoke(device, of: user, in: application)
    }

    /// Changes the state of a device: blocks the device, reports the device lost, or makes the device active again.
    ///
    /// When a device is blocked or lost, its requests and feeds end, and its session is refused. The user's key and
    /// session cookies are also revoked, because they may be stored on the device. Therefore, apps that use this key or
    /// a session cookie on other devices must log in again.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/deviceNotFound``, ``AccountError/Code/userNotFound`` or
    ///   ``AccountError/Code/applicationNotFound``, or ``AccountError/Code/notAllowed`` when only an administrator may
    ///   make the change.
    func setState(
        ofDevice device: String, of user: String, to state: Device.State, byUser: Bool = false, in application: String
    ) async throws {
        let application = try self.application(application)
        guard try await accounts(application).account(named: user) != nil else { throw AccountError.userNotFound }
        guard
            try await accounts(application).changeDevices(
                of: user, { try $0.setState(of: device, to: state, byUser: byUser) })
        else {
            throw AccountError.deviceNotFound
        }
        guard state != .active else { return }
        try await change(user, in: application) { account in
            account.keyHash = nil
            account.sessionSalt = UserAccount.newSalt()
        }
        try await server.revoke {
            guard let member = $0.membership, member.belongs(to: user, of: application.id) else { return false }
            return member.session == nil || ExactText.areEqual(member.session, device)
        }
    }

    /// Records that a lost device has deleted the app's data.
    ///
    /// - Parameter token: A refresh token of the device's current login. It may also be an earlier token of this login.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the token is not that of a lost
    ///   device, or ``AccountError/Code/applicationNotFound``.
    func reportWiped(_ token: String, in application: String) async throws {
        let application = try self.application(application)
        guard let token = RefreshToken(token) else { throw AccountError.noSession }
        let isReported = try await accounts(application).changeDevices(of: token.user) { devices in
            guard devices.device(token.device, ofLogin: token.secret)?.state == .lost else { return false }
            return try devices.setState(of: token.device, to: .wiped)
        }
        guard isReported else { throw AccountError.noSession }
    }

    /// Ends the requests, feeds and replications of a device.
    func revoke(_ device: String, of user: String, in application: Application) async throws {
        try await server.revoke {
            guard let member = $0.membership, member.belongs(to: user, of: application.id) else { return false }
            return ExactText.areEqual(member.session, device)
        }
    }
}

extension AccountError {
    static let noSession = AccountError.notLoggedIn("This refresh token is unknown. Log in again.")
    fileprivate static let deviceNotFound = AccountError(.deviceNotFound, "No device with this id is logged in.")
}
