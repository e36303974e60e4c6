//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitIdentity
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
        let name = "\(application.principalName(of: user)):code"
        try await provingCode(name, from: address) {
            let now = WallClock.seconds
            return try await accounts.changeSecondFactor(of: user) { $0.use(text, now: now) } ? true : nil
        }
    }

    /// Checks a short code. Failures are counted for the address as those of passwords are, and for the name from all
    /// addresses: a code has so few digits that many addresses together could guess it.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when `attempt` returns `nil`, or 403 after too many failures from this
    ///   address; ``AccountError`` with code ``AccountError/Code/tooManyRequests`` after too many failures from all
    ///   addresses.
    @discardableResult
    func provingCode<Result>(
        _ name: String, from address: String, _ attempt: () async throws -> Result?
    ) async throws -> Result {
        try await server.authenticator.proving(name, from: address) { () -> Result? in
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

    /// Checks that the user of a session is present, before a change with which a stolen session could take the account
    /// over: by the password and the second factor, or without a password by a proof of a linked provider.
    ///
    /// - Parameter body: A body with `password` and `second_factor`, or with `proof`, the members of a login with a
    ///   provider.
    /// - Throws: ``HTTPFailure`` with status 400 when they are missing, or 401 when they are wrong; ``AccountError``.
    func reauthenticate(
        _ user: String, _ body: AccountBody, in application: Application, from address: String
    ) async throws {
        guard let account = try await accounts(application).account(named: user) else {
            throw AccountError.userNotFound
        }
        guard account.lock == nil else {
            _ = try await prove(user, password: try body.text("password"), in: application, from: address)
            return try await checkSecondFactor(
                try body.optionalText("second_factor"), of: user, in: application, from: address)
        }
        // An account that logs in with codes of mails alone has nothing else to prove.
        guard account.identities.keys.contains(where: { application.providers[$0] != nil }) else {
            return try await checkSecondFactor(
                try body.optionalText("second_factor"), of: user, in: application, from: address)
        }
        let proof = try body.object("proof")
        let provider = try proof.text("provider")
        let identity = try await identity(in: proof, of: provider, application, from: address)
        guard account.identities[provider]?.subject == identity.subject else {
            throw AccountError(.loginRefused, "This proof is not of an identity that is linked to the account.")
        }
    }
}
