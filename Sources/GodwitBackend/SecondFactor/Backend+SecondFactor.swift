//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer

extension Backend {
    /// Checks the second factor of a login, if the user has one. Wrong ones are counted and slowed down as wrong passwords
    /// are.
    ///
    /// - Parameter text: A one-time password or a recovery code; `nil` when the login has none.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/secondFactorRequired`` when the login has none;
    ///   ``HTTPFailure`` with status 401 when it is wrong, or 403 after too many failures.
    func checkSecondFactor(
        _ text: String?, of user: String, in application: Application, from address: String
    ) async throws {
        let accounts = accounts(application)
        guard try await accounts.secondFactor(of: user).isActive else { return }
        guard let text else {
            throw AccountError(
                .secondFactorRequired, "Send the code of your app for codes, or a recovery code, as second_factor.")
        }
        // No name contains a colon.
        _ = try await server.authenticator.proving("\(application.principalName(of: user)):code", from: address) {
            let now = WallClock.seconds
            return try await accounts.changeSecondFactor(of: user) { $0.use(text, now: now) } ? true : nil
        }
    }
}
