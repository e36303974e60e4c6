//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
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
        // An extension that the verifier does not know must be understood (RFC 7515, section 4.1.11).
        guard header["crit"] == nil else {
            throw HTTPFailure.unauthorized("The token's header has a crit member with unknown extensions.")
        }
        guard try await isSigned(options) else { throw HTTPFailure.unauthorized("Bad signature") }
        try checkTimes()
        try options.requiredClaims.check(claims)
        guard let name = claims["sub"]?.stringValue else { throw HTTPFailure.unauthorized("Token missing sub claim.") }
        return Principal(name: name, roles: roles(options), authentication: .jwt)
    }

    /// Whether the signature is right. The key is found in the settings, by the key id and the algorithm in the token's
    /// header.
    ///
    /// In the settings, the name of each key begins with the kind of the key. Therefore a public key is never used as a
    /// shared secret.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when the algorithm is not supported, or the key is unknown or
    ///   unusable.
    private func isSigned(_ options: ServerSettings.Options) async throws -> Bool {
        let algorithm = header["alg"]?.stringValue ?? ""
        let kinds = ["HS": "hmac", "RS": "rsa", "ES": "ec"]
        guard let kind = kinds[String(algorithm.prefix(2))] else {
            throw HTTPFailure.unauthorized("\(algorithm.prefix(10)) is not a supported algorithm")
        }
        let name = "\(kind):\(header["kid"]?.stringValue ?? "_default")"
        guard let keyText = options.tokenKeys[ExactText(name)] else { throw HTTPFailure.unauthorized("Unknown kid") }
        let (keys, bits) = (JWTKeyCollection(), String(algorithm.dropFirst(2)))
        do {
            if kind == "hmac" { return try isSigned(sharedKey: keyText, bits: bits) }
            try await BearerToken.add(keyText, kind: kind, bits: bits, to: keys)
        } catch {
            throw HTTPFailure.unauthorized("the key \(name) of the settings cannot be used for \(algorithm)")
        }
        return (try? await keys.verify(text, as: NoClaims.self)) != nil
    }

    /// Whether the token has the HMAC of a shared secret. The secret may be shorter than the hash, as in the examples of
    /// CouchDB; JWTKit would terminate the process.
    private func isSigned(sharedKey: String, bits: String) throws -> Bool {
        guard let bytes = Base64.decode(sharedKey.utf8), !bytes.isEmpty,
            let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")),
            let code = Base64URL.decode(text[text.utf8.index(after: dot)...])
        else { throw HTTPFailure.missing }
        let (key, signed) = (SymmetricKey(data: bytes), Array(text[..<dot].utf8))
        return switch bits {
        case "256": HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key)
        case "384": HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: signed, using: key)
        case "512": HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: signed, using: key)
        default: throw HTTPFailure.missing
        }
    }

    private static func add(_ keyText: String, kind: String, bits: String, to keys: JWTKeyCollection) async throws {
        // In settings, `\n` separates the lines of a PEM.
        let pem = keyText.replacingBytes("\\n", with: "\n")
        let digests: [String: DigestAlgorithm] = ["256": .sha256, "384": .sha384, "512": .sha512]
        guard let digest = digests[bits] else { throw HTTPFailure.missing }
        switch kind {
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
            value = BearerToken.steps(of: options.rolesClaimPath).reduce(.object(claims)) { value, step in
                value?.objectValue?[step]
            }
        }
        // Some issuers send one text with the roles separated by commas.
        if let text = value?.stringValue { return text.commaSeparatedItems }
        return value?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// The names of the members on a path. They are separated by dots; `\.` is a dot in a name, as in CouchDB.
    private static func steps(of path: String) -> [String] {
        var steps: [[UInt8]] = [[]]
        for byte in path.utf8 {
            let last = steps.count - 1
            if byte != UInt8(ascii: ".") {
                steps[last].append(byte)
            } else if steps[last].last == UInt8(ascii: "\\") {
                steps[last][steps[last].count - 1] = byte
            } else {
                steps.append([])
            }
        }
        return steps.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A payload type without claims. The names of the required claims are settings and not known to the compiler.
    /// Therefore the claims are read from the text of the token.
    private struct NoClaims: JWTPayload {
        func verify(using _: some JWTAlgorithm) {}
    }
}
