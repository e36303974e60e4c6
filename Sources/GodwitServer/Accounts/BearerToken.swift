//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitStore
import HTTPTypes
import JWTKit

/// A JSON Web Token (RFC 7519) of a request, verified with the keys and claims of CouchDB's sections `jwt_keys` and
/// `jwt_auth`.
struct BearerToken {
    private let text: String
    private let header: JSONObject
    private let claims: JSONObject

    /// Parses a token without verifying it.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when it is malformed.
    init(_ text: String) throws(HTTPFailure) {
        let parts = text.pieces(at: ".", omittingEmptySubsequences: false).prefix(2).map { part in
            Base64URL.decode(part).flatMap { try? JSONValue(parsing: $0) }?.objectValue
        }
        guard parts.count == 2, let header = parts[0], let claims = parts[1] else {
            throw .unauthorized("Malformed token")
        }
        self.text = text
        self.header = header
        self.claims = claims
    }

    /// Verifies the token and returns its principal.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when the signature is wrong, the key is unknown or unusable, the token
    ///   is not valid at this time, or a claim is missing or wrong.
    func principal(_ options: ServerSettings.Options) async throws -> Principal {
        let keys = try await verificationKeys(options)
        do {
            _ = try await keys.verify(text, as: NoClaims.self)
        } catch {
            throw HTTPFailure.unauthorized("Bad signature")
        }
        try checkTimes()
        try options.requiredClaims.check(claims)
        guard let name = claims["sub"]?.stringValue else { throw HTTPFailure.unauthorized("Token missing sub claim.") }
        return Principal(name: name, roles: roles(options), authentication: .jwt)
    }

    /// Finds the key in the settings, by the key id and the algorithm in the token's header. Returns a collection that
    /// contains only this key.
    ///
    /// In the settings, the name of each key begins with the kind of the key. Therefore a public key is never used as a
    /// shared secret.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when the algorithm is not supported, or the key is unknown or
    ///   unusable.
    private func verificationKeys(_ options: ServerSettings.Options) async throws -> JWTKeyCollection {
        let algorithm = header["alg"]?.stringValue ?? ""
        let kinds = ["HS": "hmac", "RS": "rsa", "ES": "ec"]
        guard let kind = kinds[String(algorithm.prefix(2))] else {
            throw HTTPFailure.unauthorized("\(algorithm.prefix(10)) is not a supported algorithm")
        }
        let name = "\(kind):\(header["kid"]?.stringValue ?? "_default")"
        guard let keyText = options.tokenKeys[name] else { throw HTTPFailure.unauthorized("Unknown kid") }
        let keys = JWTKeyCollection()
        do {
            try await BearerToken.add(keyText, kind: kind, bits: String(algorithm.dropFirst(2)), to: keys)
        } catch {
            throw HTTPFailure.unauthorized("the key \(name) of the settings cannot be used for \(algorithm)")
        }
        return keys
    }

    private static func add(_ keyText: String, kind: String, bits: String, to keys: JWTKeyCollection) async throws {
        // In settings, `\n` separates the lines of a PEM.
        let pem = keyText.replacingBytes("\\n", with: "\n")
        let digests: [String: DigestAlgorithm] = ["256": .sha256, "384": .sha384, "512": .sha512]
        guard let digest = digests[bits] else { throw HTTPFailure.missing }
        switch kind {
        case "hmac":
            // A secret that is shorter than the digest is not valid (RFC 7518, section 3.2). JWTKit would terminate the
            // process when it gets a short secret.
            guard let bytes = Base64.decode(keyText.utf8), bytes.count * 8 >= Int(bits) ?? .max else {
                throw HTTPFailure.missing
            }
            await keys.add(hmac: HMACKey(from: bytes), digestAlgorithm: digest)
        case "rsa": await keys.add(rsa: try Insecure.RSA.PublicKey(pem: pem), digestAlgorithm: digest)
        default:
            switch bits {
            case "256": await keys.add(ecdsa: try ES256PublicKey(pem: pem))
            case "384": await keys.add(ecdsa: try ES384PublicKey(pem: pem))
            default: await keys.add(ecdsa: try ES512PublicKey(pem: pem))
            }
        }
    }

    private func checkTimes() throws(HTTPFailure) {
        let now = Double(WallClock.seconds)
        if let end = claims["exp"], (end.doubleValue ?? 0) <= now { throw .unauthorized("exp not in future") }
        if let start = claims["nbf"], (start.doubleValue ?? .infinity) > now { throw .unauthorized("nbf not in past") }
    }

    private func roles(_ options: ServerSettings.Options) -> [String] {
        var value = claims[options.rolesClaim]
        if !options.rolesClaimPath.isEmpty {
            value = options.rolesClaimPath.pieces(at: ".").reduce(.object(claims)) { value, step in
                value?.objectValue?[String(step)]
            }
        }
        return value?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// A payload type without claims. The names of the required claims are settings and not known to the compiler.
    /// Therefore the claims are read from the text of the token.
    private struct NoClaims: JWTPayload {
        func verify(using _: some JWTAlgorithm) {}
    }
}
