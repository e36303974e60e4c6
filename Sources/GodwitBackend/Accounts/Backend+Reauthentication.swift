//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitIdentity

extension Backend {
    /// Checks that the user of a session is present. This check is required for changes with which a stolen session
    /// could take over the account.
    ///
    /// The user must send the password and the second factor. If the account has no password, the user must send a
    /// proof of a linked provider. If the account has neither a password nor a linked provider, only its second factor
    /// is checked. An account without a password, a linked provider and a second factor needs no proof.
    ///
    /// - Parameter body: A body that contains either `password` and `second_factor`, or `proof`. The object `proof` has
    ///   the members of a login with a provider.
    /// - Returns: Whether the second factor was checked, if the account has one.
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
        // Some users log in only with codes that they get by mail. Their accounts have no password and no provider to
        // check.
        guard account.identities.keys.contains(where: { application.providers[$0] != nil }) else {
            try await checkSecondFactor(
                try body.optionalText("second_factor"), of: user, in: application, from: address)
            return true
        }
        let proof = try body.object("proof")
        let provider = try proof.text("provider")
        let identity = try await identity(in: proof, of: provider, application, from: address)
        guard account.identities[provider]?.subject == identity.subject else {
            throw AccountError(.loginRefused, "This proof is not of an identity that is linked to the account.")
        }
        return false
    }
}
