//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import JWTKit

/// An ID token (OpenID Connect Core 1.0, section 2) that is not verified yet.
package struct IDToken: Sendable {
    /// The accepted signature algorithms. Symmetric algorithms are not accepted. With such an algorithm, an attacker
    /// could use the public key as the shared secret and sign tokens. The algorithm `none` is not accepted either.
    private static let algorithms: Set<String> = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384",
    ]

    let text: String
    /// The identifier of the key; `nil` when the token does not name a key.
    let keyID: String?
    let algorithm: String
    /// The claims, which are not checked yet.
    package let claims: JSONObject

    /// Parses a token.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refused`` when the token is malformed or too long,
    ///   when its algorithm is not accepted, and when its header has critical parameters (`crit`).
    package init(_ text: String) throws(IdentityError) {
        guard text.utf8.count <= IdentityLimits.tokenBytesMax else { throw .refused("The ID token is too long.") }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map(Substring.init)
        let objects = parts.prefix(2).map { part in
            Base64URL.decode(part).flatMap { try? JSONValue(parsing: $0) }?.objectValue
        }
        guard parts.count == 3, let header = objects[0], let claims = objects[1] else {
            throw .refused("The ID token is malformed.")
        }
        let algorithm = header["alg"]?.stringValue ?? "none"
        guard IDToken.algorithms.contains(algorithm), header["crit"] == nil else {
            throw .refused("The ID token has a signature of a kind that is not accepted.")
        }
        self.text = text
        self.algorithm = algorithm
        self.claims = claims
        keyID = header["kid"]?.stringValue
    }

    /// The issuer that the token names; `nil` when the token names none.
    package var issuer: String? { claims["iss"]?.stringValue }

    /// Verifies the signature.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refused``.
    func verify(with key: IssuerKey) async throws(IdentityError) {
        do {
            let keys = JWTKeyCollection()
            var key = key.key
            key.algorithm = JWK.Algorithm(rawValue: algorithm)
            try await keys.add(jwk: key, isDefault: true)
            _ = try await keys.verify(text, as: NoClaims.self)
        } catch {
            throw .refused("The signature of the ID token is not valid.")
        }
    }

    /// A payload type without claims, because ``IDTokenRules`` checks the claims.
    private struct NoClaims: JWTPayload {
        func verify(using _: some JWTAlgorithm) {}
    }
}

/// The conditions that the claims of an ID token must meet (OpenID Connect Core 1.0, section 3.1.3.7).
struct IDTokenRules: Sendable {
    /// The name of the issuer in the issuer's own metadata. In Microsoft's metadata, the name contains the placeholder
    /// `{tenantid}`, which means the value of the claim `tid`.
    let issuer: String
    let audiences: Set<String>
    let skewSeconds: Int

    /// Checks claims.
    ///
    /// - Parameters:
    ///   - nonce: The nonce of the request; `nil` when the request had no nonce. If the nonce is the SHA-256 digest of
    ///     a text, this may also be the text. If this argument is `nil`, a token that contains a nonce is refused.
    ///   - now: The time in seconds since 1970.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/clockDiffers`` when the token was issued or becomes
    ///   valid in the future, and with code ``IdentityError/Code/refused`` in all other cases.
    func check(_ claims: JSONObject, nonce: String?, now: Int) throws(IdentityError) {
        let expected = issuer.replacingBytes("{tenantid}", with: claims["tid"]?.stringValue ?? "")
        // Google may write the issuer without `https://`.
        guard let issuer = claims["iss"]?.stringValue,
            issuer.isIdenticalText(to: expected)
                || "https://\(issuer)".isIdenticalText(to: expected) && issuer == "accounts.google.com"
        else { throw .refused("The ID token is of another issuer.") }
        try checkAudience(claims)
        try checkTimes(claims, now: now)
        try IDTokenRules.check(claims["nonce"], nonce)
    }

    private func checkAudience(_ claims: JSONObject) throws(IdentityError) {
        let named =
            claims["aud"]?.stringValue.map { [$0] } ?? claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let accepted = Set(audiences.map(ExactText.init))
        guard named.contains(where: { accepted.contains(ExactText($0)) }) else {
            throw .refused("The ID token is for another app.")
        }
        // A token for several apps must name the app that requested it (`azp`).
        if named.count > 1 || claims["azp"] != nil {
            guard let party = claims["azp"]?.stringValue, accepted.contains(ExactText(party)) else {
                throw .refused("The ID token was requested by another app.")
            }
        }
    }

    private func checkTimes(_ claims: JSONObject, now: Int) throws(IdentityError) {
        guard let end = claims["exp"]?.doubleValue else { throw .refused("The ID token has no time of expiry.") }
        guard end > Double(now - skewSeconds) else {
            throw .refused(
                "The ID token expired \(IDTokenRules.minutes(Double(now) - end)) ago. Log in again; if this repeats, "
                    + "check the clocks of the device and of this server.")
        }
        let start = max(claims["nbf"]?.doubleValue ?? 0, claims["iat"]?.doubleValue ?? 0)
        guard start <= Double(now + skewSeconds) else {
            throw IdentityError(
                .clockDiffers,
                "The ID token was issued \(IDTokenRules.minutes(start - Double(now))) in the future by this server's "
                    + "clock. Check the clock of this server, or raise clock_skew_seconds.")
        }
    }

    private static func minutes(_ seconds: Double) -> String {
        let seconds = Int(saturating: min(seconds, 1e9))
        return seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes"
    }

    private static func check(_ claim: JSONValue?, _ nonce: String?) throws(IdentityError) {
        switch (claim?.stringValue, nonce) {
        case (nil, nil) where claim == nil: return
        case (let claim?, let nonce?):
            let digest = MessageDigest.Algorithm.sha256.digest(of: nonce.utf8)
            let permitted = [nonce, digest.hexadecimal, Base64URL.encode(digest)]
            guard permitted.contains(where: { $0.isIdenticalText(to: claim) }) else {
                throw .refused("The nonce of the ID token is not that of the request.")
            }
        case (_, nil): throw .refused("The ID token has a nonce: send the nonce of the request too.")
        default: throw .refused("The ID token does not have the nonce of the request.")
        }
    }
}
