//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitServer
import GodwitStore
import JWTKit

/// A token with which a device gets a new access token: user, device and secret in one text.
struct RefreshToken: Equatable, Sendable {
    let user: String
    let device: String
    let secret: String

    init(user: String, device: String, secret: String) {
        (self.user, self.device, self.secret) = (user, device, secret)
    }

    /// Parses a token without verifying it; `nil` when it is malformed.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let name = Base64URL.decode(parts[0]).flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        self.init(user: name, device: String(parts[1]), secret: String(parts[2]))
    }

    var text: String { "\(Base64URL.encode(Array(user.utf8))).\(device).\(secret)" }
}

/// Issues and verifies access tokens: JSON Web Tokens with which a device authenticates for a user, valid for a quarter
/// of an hour.
///
/// Each start of the server generates a new key, which is never stored. After a start, devices use their refresh
/// tokens.
struct AccessTokens: Sendable {
    private static let keyID: JWKIdentifier = "godwit-members"
    private static let keyBytes = 32

    /// The claims of a token.
    struct Claims: JWTPayload {
        /// The principal's name.
        let sub: String
        let application: String
        let user: String
        let session: String
        let version: String?
        let exp: ExpirationClaim
        let iat: Int

        func verify(using _: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
    }

    private let keys = JWTKeyCollection()

    init() async {
        let secret = [UInt8].random(count: AccessTokens.keyBytes)
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: AccessTokens.keyID)
    }

    /// Issues a token.
    func token(_ claims: Claims) async throws -> String { try await keys.sign(claims, kid: AccessTokens.keyID) }

    /// Verifies a token and returns its claims.
    ///
    /// - Returns: The claims; `nil` when the token's key identifier is not that of a backend.
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the signature is wrong or the token
    ///   expired.
    func claims(of token: String) async throws -> Claims? {
        guard let head = token.split(separator: ".").first.flatMap({ Base64URL.decode($0) }),
            let header = try? JSONValue(parsing: head), header["kid"]?.stringValue == AccessTokens.keyID.string
        else { return nil }
        do {
            return try await keys.verify(token, as: Claims.self)
        } catch {
            throw AccountError.notLoggedIn("This access token is not valid any more. Renew it with the refresh token.")
        }
    }
}
