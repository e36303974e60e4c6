//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import JWTKit

/// The client secret of Sign in with Apple: a token that the app's key signs (ES256).
enum AppleClientSecret {
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int
        let exp: Int
        let aud: String
        let sub: String

        func verify(using _: some JWTAlgorithm) {}
    }

    /// Signs a secret.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/misconfigured`` when the key is not valid.
    static func text(
        _ key: ProviderSettings.SigningKey, clientID: String, issuer: String, now: Int
    ) async throws(IdentityError) -> String {
        do {
            let keys = JWTKeyCollection()
            let id = JWKIdentifier(string: key.id)
            await keys.add(ecdsa: try ES256PrivateKey(pem: key.pem), kid: id)
            let claims = Claims(
                iss: key.team, iat: now, exp: now + IdentityLimits.clientSecretSeconds, aud: issuer, sub: clientID)
            return try await keys.sign(claims, kid: id)
        } catch {
            throw IdentityError(.misconfigured, "The private key for Apple is not a valid key of the curve P-256.")
        }
    }
}
