//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitJSON
import GodwitServer
import JWTKit

/// Issues and verifies access tokens: JSON Web Tokens with which a device authenticates for a user, valid for a quarter
/// of an hour.
///
/// Each application has its own keys (ES256, RFC 7518). Therefore a token of one application is not valid for another
/// application. A key signs tokens for one day. Its public part is published at least until the last of these tokens
/// has expired. Keys are never written to disk. Therefore all access tokens become invalid when the server restarts,
/// and devices must get new ones with their refresh tokens.
final class AccessTokens: Sendable {
    /// The prefix of the identifiers of keys. The prefix distinguishes tokens of the backend from tokens whose keys are
    /// in the server's settings.
    private static let keyPrefix = "godwit-"

    /// The claims of a token.
    struct Claims: JWTPayload {
        /// The issuer. It is the URL of the application, or only the path of the application if its URL is unknown.
        let iss: String
        /// The application's id.
        let aud: String
        /// The principal's name.
        let sub: String
        let user: String
        let session: String
        /// The identifier of the device's login.
        let login: String
        let version: String?
        let roles: [String]
        let exp: ExpirationClaim
        let iat: Int

        func verify(using _: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
    }

    private struct Key: Sendable {
        let id: JWKIdentifier
        let application: String
        /// The time of its creation, in seconds since 1970.
        let created: Int
        /// The coordinates of the public key.
        let (x, y): ([UInt8], [UInt8])
        let signer: JWTKeyCollection

        init(of application: String, now: Int) async throws {
            let key = P256.Signing.PrivateKey()
            let point = Array(key.publicKey.rawRepresentation)
            (x, y) = (Array(point.prefix(point.count / 2)), Array(point.suffix(point.count / 2)))
            id = JWKIdentifier(string: AccessTokens.keyPrefix + Base64URL.encode(.random(count: 12)))
            (self.application, created) = (application, now)
            signer = JWTKeyCollection()
            await signer.add(ecdsa: try ES256PrivateKey(backing: key), kid: id)
        }

        var json: JSONValue {
            [
                "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": .string(id.string),
                "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
            ]
        }

        func signs(at now: Int) -> Bool { now - created < BackendLimits.signingKeySeconds }

        func verifies(at now: Int) -> Bool {
            now - created < BackendLimits.signingKeySeconds + BackendLimits.accessSecondsMax
        }
    }

    /// The keys, the oldest first. When a new key is created, the keys are removed whose tokens have all expired.
    private let keys = Mutex<[Key]>([])
    private let now: @Sendable () -> Int

    /// Creates an issuer without keys.
    ///
    /// - Parameter now: A closure that returns the time in seconds since 1970.
    init(now: @escaping @Sendable () -> Int = { WallClock.seconds }) {
        self.now = now
    }

    /// Issues a token.
    func token(_ claims: Claims) async throws -> String {
        let key = try await signingKey(of: claims.aud)
        invariant(key.application.isIdenticalText(to: claims.aud), "a key signs tokens of its application alone")
        return try await key.signer.sign(claims, kid: key.id)
    }

    /// Returns the public keys of an application as a JSON Web Key Set (RFC 7517).
    func publicKeys(of application: String) async throws -> JSONValue {
        _ = try await signingKey(of: application)
        return [
            "keys": .array(
                keys.withLock { keys in keys.filter { $0.application.isIdenticalText(to: application) }.map(\.json) })
        ]
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Returns: The claims; `nil` when the token's key identifier is not that of a backend.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the signature is wrong, when the
    ///   token has expired, and when its key belongs to another application or is no longer in use.
    func claims(of token: String) async throws -> Claims? {
        guard let head = token.pieces(at: ".").first.flatMap({ Base64URL.decode($0) }),
            let header = try? JSONValue(parsing: head), let id = header["kid"]?.stringValue,
            id.begins(with: AccessTokens.keyPrefix)
        else { return nil }
        let now = now()
        guard
            let key = keys.withLock({ keys in
                keys.first { $0.id.string.isIdenticalText(to: id) && $0.verifies(at: now) }
            }),
            header["alg"] == "ES256", let claims = try? await key.signer.verify(token, as: Claims.self),
            claims.aud.isIdenticalText(to: key.application)
        else {
            throw AccountError.notLoggedIn("This access token is not valid any more. Renew it with the refresh token.")
        }
        return claims
    }

    /// Returns the key that signs an application's tokens now. If the last key has been used for a day, creates a new
    /// key.
    private func signingKey(of application: String) async throws -> Key {
        let now = now()
        if let key = keys.withLock({ $0.last { $0.application.isIdenticalText(to: application) } }), key.signs(at: now)
        {
            return key
        }
        let new = try await Key(of: application, now: now)
        return keys.withLock { keys in
            // Another request may have created a key in the meantime.
            if let key = keys.last(where: { $0.application.isIdenticalText(to: application) }), key.signs(at: now) {
                return key
            }
            keys.removeAll { !$0.verifies(at: now) }
            invariant(new.signs(at: now) && new.verifies(at: now), "a new key signs and verifies")
            keys.append(new)
            return new
        }
    }
}
