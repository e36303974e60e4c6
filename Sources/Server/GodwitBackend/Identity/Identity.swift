//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A user's identity that a provider has confirmed.
public struct Identity: Equatable, Sendable {
    /// The identifier of the user at the provider. It never changes. (The e-mail address may change.)
    public let subject: String
    /// The user's name; `nil` when the provider does not report it.
    public var name: String?
    /// The user's e-mail address; `nil` when the provider does not report it. For GitHub, it is also `nil` when the
    /// user's primary address is not verified.
    public var email: String?
    /// Whether the provider reports that it has verified the address. For Facebook, it is always `false`, because
    /// Facebook does not report whether it has verified the address.
    public var isEmailVerified = false
    /// The URL of the user's picture; `nil` when the provider does not report it.
    public var picture: String?
    /// All claims of the provider about the user.
    public var claims: JSONObject = [:]

    /// Creates an identity without a profile.
    public init(subject: String) { self.subject = subject }

    /// Reads an identity from the claims of OpenID Connect (Core 1.0, section 5.1).
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refused`` when the claims contain no subject, or an
    ///   empty subject.
    init(claims: JSONObject) throws(IdentityError) {
        guard let subject = claims["sub"]?.stringValue, !subject.isEmpty else {
            throw .refused("The token names no user (its claim sub is missing).")
        }
        self.init(subject: subject)
        self.claims = claims
        name = claims["name"]?.stringValue
        email = claims["email"]?.stringValue
        // Apple sends this claim as a string instead of a boolean.
        isEmailVerified = claims["email_verified"] == true || claims["email_verified"] == "true"
        picture = claims["picture"]?.stringValue
    }
}
