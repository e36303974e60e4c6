//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The claims that a JSON Web Token must have. They come from the setting `jwt_auth/required_claims` in CouchDB's
/// format. An example of this format is `exp, {iss, "https://issuer.example"}`.
struct RequiredClaims: Equatable, Sendable, CustomStringConvertible {
    private struct Claim: Equatable {
        let name: String
        /// The value that the claim must have; `nil` for any value.
        let value: String?
    }

    private var claims = [Claim(name: "exp", value: nil)]

    /// Creates the default: the claim `exp`.
    init() {}

    /// Parses a setting; `nil` when its format is invalid. An empty text requires no claim.
    init?(_ text: String) {
        claims = []
        var unparsed = text[...]
        while !unparsed.allSatisfy(\.isWhitespace) {
            guard
                let match = unparsed.prefixMatch(
                    of: /\s*(?:([^\s,{}"]+)|\{\s*([^\s,{}"]+)\s*,\s*"([^"]+)"\s*\})\s*(?:,|$)/),
                let name = match.1 ?? match.2
            else { return nil }
            claims.append(Claim(name: String(name), value: match.3.map(String.init)))
            unparsed = unparsed[match.range.upperBound...]
        }
    }

    var description: String {
        claims.map { claim in claim.value.map { "{\(claim.name), \"\($0)\"}" } ?? claim.name }.joined(separator: ", ")
    }

    /// Checks a token's claims.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when a claim is missing or has another value.
    func check(_ object: JSONObject) throws(HTTPFailure) {
        for claim in claims {
            guard let claimValue = object[claim.name] else { throw .unauthorized("Missing \(claim.name) claim.") }
            guard claim.value.map({ claimValue == .string($0) }) ?? true else {
                throw .unauthorized("Invalid \(claim.name) claim")
            }
        }
    }
}
