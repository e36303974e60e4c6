//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitTransport

/// The proof of a login that an app or a browser got from the provider. The server must confirm it.
public enum LoginProof: Sendable {
    /// An ID token, which the provider's library on the device got.
    ///
    /// - Parameter nonce: The nonce in the request for the token; `nil` when the request had no nonce. If the nonce is
    ///   the SHA-256 digest of a text, in hexadecimal digits or Base64URL, this may also be the text. If a token
    ///   contains a nonce but this value is `nil`, the token is refused.
    case idToken(String, nonce: String?)
    /// An access token of the provider.
    case accessToken(String)
    /// An authorization code.
    case code(AuthorizationCode)
}

/// An authorization code, with the parameters of the request that led to it.
public struct AuthorizationCode: Sendable {
    /// The code.
    public let code: String
    /// The redirect URI of the request.
    public let redirectURI: String
    /// The verifier of Proof Key for Code Exchange (RFC 7636); `nil` when the request had no challenge.
    public let verifier: String?
    /// The nonce of the request; `nil` when the request had no nonce.
    public let nonce: String?

    /// Creates a code.
    public init(_ code: String, redirectURI: String, verifier: String?, nonce: String? = nil) {
        (self.code, self.redirectURI, self.verifier, self.nonce) = (code, redirectURI, verifier, nonce)
    }
}

/// The parameters for the page of a provider at which a user logs in.
public struct AuthorizationRequest: Sendable {
    /// The address to which the provider sends the browser afterwards.
    public let redirectURI: String
    /// A text that the provider sends back unchanged.
    public let state: String
    /// A text that the provider copies to the ID token. GitHub and Facebook do not use it.
    public let nonce: String
    /// The challenge of Proof Key for Code Exchange (RFC 7636), by the method S256.
    public let challenge: String

    /// Creates parameters.
    public init(redirectURI: String, state: String, nonce: String, challenge: String) {
        (self.redirectURI, self.state, self.nonce, self.challenge) = (redirectURI, state, nonce, challenge)
    }
}

extension ProviderSettings {
    /// Creates the client of the provider.
    ///
    /// - Parameters:
    ///   - transport: The transport that sends the requests to the provider.
    ///   - now: A closure that returns the time in seconds since 1970.
    public func client(
        transport: any Transport, now: @escaping @Sendable () -> Int
    ) -> any IdentityProvider {
        switch kind {
        case .oidc, .google, .apple, .microsoft: OpenIDProvider(self, transport: transport, now: now)
        case .github: GitHubProvider(self, transport: transport)
        case .facebook: FacebookProvider(self, transport: transport, now: now)
        case .custom: CustomProvider()
        }
    }
}

/// Confirms users' identities.
public protocol IdentityProvider: Sendable {
    /// Returns the URL of the page at which a user logs in.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/unavailable`` when the provider's addresses cannot be
    ///   read, ``IdentityError/Code/misconfigured`` when they belong to another issuer than the configured one, or
    ///   ``IdentityError/Code/refused`` for the kind `custom`, which has no page for logins.
    func authorizationURL(for request: AuthorizationRequest) async throws(IdentityError) -> String

    /// Returns the identity of the user who logs in.
    ///
    /// - Throws: ``IdentityError``. The code is ``IdentityError/Code/misconfigured`` when the provider's settings are
    ///   wrong, and also when the provider does not support this kind of proof.
    func identity(of proof: LoginProof) async throws(IdentityError) -> Identity
}
