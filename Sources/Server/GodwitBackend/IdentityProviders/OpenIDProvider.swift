//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitTransport
import JWTKit

/// A provider of OpenID Connect: Google, Apple, Microsoft, or any other issuer.
public struct OpenIDProvider: IdentityProvider {
    private let settings: ProviderSettings
    private let issuer: Issuer
    private let client: ProviderClient
    private let now: @Sendable () -> Int

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - settings: The provider's settings.
    ///   - transport: The transport that sends the requests to the provider.
    ///   - now: A closure that returns the time in seconds since 1970.
    public init(_ settings: ProviderSettings, transport: any Transport, now: @escaping @Sendable () -> Int) {
        self.settings = settings
        self.now = now
        client = ProviderClient(provider: settings.displayName, transport: transport)
        issuer = Issuer(settings.issuer, client: client, now: now)
    }

    /// See ``IdentityProvider/authorizationURL(for:)``.
    public func authorizationURL(for request: AuthorizationRequest) async throws(IdentityError) -> String {
        let base = try await issuer.addresses().authorizationURL
        var items = OAuthRequest.items(of: request, settings)
        items.append(("nonce", request.nonce))
        // Apple sends the user's name only if the response is a form.
        if settings.kind == .apple { items.append(("response_mode", "form_post")) }
        return OAuthRequest.url(base, items)
    }

    /// See ``IdentityProvider/identity(of:)``.
    public func identity(of proof: LoginProof) async throws(IdentityError) -> Identity {
        switch proof {
        case .idToken(let text, let nonce): return try await identity(ofToken: text, nonce: nonce)
        case .code(let code): return try await identity(of: code)
        case .accessToken:
            throw IdentityError(
                .misconfigured, "An access token of \(settings.displayName) does not name the app: send id_token.")
        }
    }

    private func identity(ofToken text: String, nonce: String?) async throws(IdentityError) -> Identity {
        let token = try IDToken(text)
        // The claims are checked before the signature. Therefore an expired token or a token of another app does not
        // cause a request for the issuer's keys.
        let rules = IDTokenRules(
            issuer: try await issuer.addresses().issuer, audiences: settings.audiences,
            skewSeconds: settings.clockSkewSeconds)
        try rules.check(token.claims, nonce: nonce, now: now())
        try await verify(token)
        var identity = try Identity(claims: token.claims)
        // At Microsoft, the administrator of a tenant can enter any address for a user. Therefore the address is only
        // treated as verified if the claim `xms_edov` says that the tenant owns the domain of the address.
        if settings.kind == .microsoft { identity.isEmailVerified = token.claims["xms_edov"] == true }
        return identity
    }

    private func verify(_ token: IDToken) async throws(IdentityError) {
        var failure = IdentityError.refused("The signature of the ID token is not valid.")
        for key in try await issuer.keys(for: token) {
            do {
                return try await token.verify(with: key)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func identity(of code: AuthorizationCode) async throws(IdentityError) -> Identity {
        let addresses = try await issuer.addresses()
        let response = try await tokens(of: code, from: addresses.tokenURL)
        guard response.status == 200, let token = response.body["id_token"]?.stringValue else {
            throw OAuthRequest.refusal(response, by: settings.displayName)
        }
        var identity = try await identity(ofToken: token, nonce: code.nonce)
        if identity.name == nil || identity.email == nil, let url = addresses.userInfoURL,
            let access = response.body["access_token"]?.stringValue
        {
            try await complete(&identity, from: url, token: access)
        }
        return identity
    }

    /// Exchanges a code for tokens. Some issuers accept the client secret only in the form, and others only in a
    /// header. Therefore the secret is first sent in the form. If the issuer refuses the client, the secret is sent in
    /// a header. For Apple, the secret is only sent in the form.
    private func tokens(
        of code: AuthorizationCode, from url: String
    ) async throws(IdentityError) -> ProviderClient.Response {
        let form = OAuthRequest.form(of: code, clientID: settings.clientID)
        guard let secret = try await clientSecret() else { return try await client.post(url, form: form) }
        let response = try await client.post(url, form: form + [("client_secret", secret)])
        guard OAuthRequest.refusesApp(response), settings.signingKey == nil else { return response }
        return try await client.post(
            url, form: form,
            headers: [OAuthRequest.authorization(clientID: settings.clientID, secret: secret)])
    }

    /// If the name, the picture or the address is missing, adds it from the issuer's user info endpoint. If the request
    /// fails, or the response is about another user, the identity remains unchanged. In this case, the login succeeds
    /// without these values.
    private func complete(_ identity: inout Identity, from url: String, token: String) async throws(IdentityError) {
        guard let response = try? await client.get(url, headers: [("Authorization", "Bearer \(token)")]),
            response.status == 200, let claims = response.body.objectValue,
            let more = try? Identity(claims: claims), more.subject.isIdenticalText(to: identity.subject)
        else { return }
        identity.name = identity.name ?? more.name
        identity.picture = identity.picture ?? more.picture
        guard identity.email == nil else { return }
        (identity.email, identity.isEmailVerified) = (more.email, more.isEmailVerified && settings.kind != .microsoft)
    }

    /// Returns the secret that is sent with a code; `nil` for a public client.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/misconfigured`` when the signing key is not valid.
    private func clientSecret() async throws(IdentityError) -> String? {
        guard let key = settings.signingKey else { return settings.clientSecret }
        return try await AppleClientSecret.text(key, clientID: settings.clientID, issuer: settings.issuer, now: now())
    }
}
