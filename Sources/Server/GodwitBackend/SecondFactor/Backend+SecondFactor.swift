//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer

extension Backend {
    /// Checks the second factor of a login, if the user has a second factor. Attempts with a wrong factor are counted
    /// and slowed down like wrong passwords.
    ///
    /// - Parameter text: A one-time password or a recovery code; `nil` when the login has none.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/secondFactorRequired`` when the login contains no
    ///   second factor; ``HTTPFailure`` with status 401 when the second factor is wrong, or 403 after too many
    ///   failures; further errors of ``provingCode(_:by:from:_:)``.
    func checkSecondFactor(
        _ text: String?, of user: String, in application: Application, from address: String
    ) async throws {
        let accounts = accounts(application)
        guard try await accounts.secondFactor(of: user).isActive else { return }
        guard let text else {
            throw AccountError(
                .secondFactorRequired, "Send the code of your app for codes, or a recovery code, as second_factor.")
        }
        // The names of users contain no colon. Therefore this name differs from all of them.
        let name = "\(application.principalName(of: user)):code"
        try await provingCode(name, by: Backend.secondFactorMethod, from: address) {
            let now = WallClock.seconds
            return try await accounts.changeSecondFactor(of: user) { $0.use(text, now: now) } ? true : nil
        }
    }

    /// The name that the log uses for attempts with a second factor.
    static let secondFactorMethod = "second factor"

    /// Checks a short code. Failures are counted for each pair of a name and a network, as for passwords. In addition,
    /// they are counted for the name in all networks together. This is necessary because a code has few digits, and an
    /// attacker with many networks could guess it.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when `attempt` returns `nil`, 403 after too many failures from this
    ///   network, or 503 when too many attempts of this network wait; ``AccountError`` with code
    ///   ``AccountError/Code/tooManyRequests`` after too many failures from all networks.
    @discardableResult
    func provingCode<Result>(
        _ name: String, by method: String, from address: String, _ attempt: () async throws -> Result?
    ) async throws -> Result {
        try await server.authenticator.proving(name, by: method, isLogin: false, from: address) { () -> Result? in
            guard codeFailures.isBelow(name, countMax: BackendLimits.codeFailuresMax) else {
                throw AccountError(
                    .tooManyRequests, "Too many wrong codes were tried. Try again later.",
                    retrySeconds: Int(BackendLimits.codeFailureSeconds))
            }
            if let result = try await attempt() { return result }
            _ = codeFailures.count(name, countMax: BackendLimits.codeFailuresMax)
            return nil
        }
    }
}
