//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The ID tokens without a nonce that were used for a login.
///
/// A nonce binds a token to one request of the app. Without a nonce, a program that sees a token could log in with it
/// again until the token expires. Therefore such a token is accepted once. The used tokens are in memory only, so a
/// token that was issued before the process started is not accepted either.
final class UsedTokens: Sendable {
    private let used: UsedOnce
    private let now: @Sendable () -> Int
    private let started: Int

    /// Creates an empty memory.
    ///
    /// - Parameter now: A closure that returns the time in seconds since 1970.
    init(now: @escaping @Sendable () -> Int) {
        self.now = now
        used = UsedOnce(now: now)
        started = now()
    }

    /// Marks a verified token as used.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/loginRefused`` when the token was used before, was issued
    ///   before the process started, or is valid for too long.
    func use(_ text: String) throws(AccountError) {
        guard let token = try? IDToken(text), let signed = text.utf8.lastIndex(of: UInt8(ascii: ".")) else {
            throw AccountError(.loginRefused, "The ID token is malformed.")
        }
        let (issued, expires) = (token.time("iat"), token.time("exp"))
        guard let expires, expires - now() <= BackendLimits.usedTokenSecondsMax else {
            throw AccountError(.loginRefused, "The ID token is valid for too long. Send a nonce with the request.")
        }
        guard let issued, issued >= started - IdentityLimits.clockSkewSeconds else {
            throw AccountError(
                .loginRefused,
                "The ID token has no nonce and is older than this server's last start. Request a new token, or one with a "
                    + "nonce.")
        }
        // The signature is not a part of the digest, because one token can have several valid signatures.
        let digest = MessageDigest.Algorithm.sha256.digest(of: text[..<signed].utf8).hexadecimal
        // The expiry may be exceeded by the accepted difference between the clocks.
        let end = expires + BackendLimits.clockSkewSecondsMax
        let isNewToken = used.use(ExactText(digest), expires: end)
        let isNewID = token.identifier.map { used.use($0, expires: end) } ?? true
        guard isNewToken, isNewID else {
            throw AccountError(
                .loginRefused, "The ID token was used before. Request a new token, or one with a nonce.")
        }
    }
}

extension IDToken {
    /// A time of the claims, in seconds since 1970; `nil` when it is missing.
    fileprivate func time(_ claim: String) -> Int? { claims[claim]?.doubleValue.map { Int(saturating: $0) } }

    /// The identifier that the issuer gave the token; `nil` when it gave none.
    fileprivate var identifier: ExactText? {
        claims["jti"]?.stringValue.map { ExactText("\(issuer ?? "")\u{0}\($0)") }
    }
}
