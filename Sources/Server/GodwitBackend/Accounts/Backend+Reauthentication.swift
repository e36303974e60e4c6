//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Backend {
    /// Checks that the user of a session is present. This check is required before changes with which the thief of a
    /// session could take over the account.
    ///
    /// An account with a password requires the password, and also the second factor if it has one. An account without a
    /// password requires a proof of a linked provider. If an account has neither a password nor a linked provider, only
    /// its second factor is checked. If it has no second factor either, no proof is required.
    ///
    /// - Parameter body: A body that contains either `password` and `second_factor`, or `proof`. The object `proof` has
    ///   the members of a login with a provider.
    /// - Returns: Whether this method checked the second factor. Also `true` if this step found that the account has no
    ///   second factor.
    /// - Throws: ``HTTPFailure`` with status 400 when the required members are missing, or 401 when their values are
    ///   wrong; ``AccountError``.
    @discardableResult
    func reauthenticate(
        _ user: String, _ body: AccountBody, in application: Application, from address: String
    ) async throws -> Bool {
        guard let account = try await accounts(application).account(named: user) else {
            throw AccountError.userNotFound
        }
        guard account.lock == nil else {
            _ = try await prove(user, password: try body.text("password"), in: application, from: address)
            try await checkSecondFactor(
                try body.optionalText("second_factor"), of: user, in: application, from: address)
            return true
        }
        // Some users log in only with codes that they get by mail. Their accounts have neither a password nor a
        // provider that could be checked.
        guard account.identities.keys.contains(where: { application.providers[$0] != nil }) else {
            try await checkSecondFactor(
                try body.optionalText("second_factor"), of: user, in: application, from: address)
            return true
        }
        let proof = try body.object("proof")
        let provider = try proof.text("provider")
        let identity = try await identity(in: proof, of: provider, application, from: address)
        guard account.identities[provider]?.subject.isIdenticalText(to: identity.subject) ?? false else {
            throw AccountError(.loginRefused, "This proof is not of an identity that is linked to the account.")
        }
        return false
    }
}
