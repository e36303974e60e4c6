//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitJSON
public import GodwitTransport

/// Confirms logins with Facebook. The proof may be an access token, which the Graph API checks, or an ID token of
/// Limited Login.
public struct FacebookProvider: IdentityProvider {
    private let settings: ProviderSettings
    private let client: ProviderClient
    private let limitedLogin: OpenIDProvider
    private let now: @Sendable () -> Int

    /// Creates a provider.
    public init(_ settings: ProviderSettings, transport: any Transport, now: @escaping @Sendable () -> Int) {
        self.settings = settings
        self.now = now
        client = ProviderClient(provider: settings.displayName, transport: transport)
        limitedLogin = OpenIDProvider(settings, transport: transport, now: now)
    }

    private var apiURL: String { settings.apiURL ?? "" }

    /// See ``IdentityProvider/authorizationURL(for:)``.
    public func authorizationURL(for request: AuthorizationRequest) async throws(IdentityError) -> String {
        OAuthRequest.url("\(settings.issuer)/dialog/oauth", OAuthRequest.items(of: request, settings))
    }

    /// See ``IdentityProvider/identity(of:)``.
    public func identity(of proof: LoginProof) async throws(IdentityError) -> Identity {
        switch proof {
        case .idToken:
            var identity = try await limitedLogin.identity(of: proof)
            identity.isEmailVerified = false
            return identity
        case .accessToken(let token):
            try await checkApp(of: token)
            return try await identity(ofToken: token)
        case .code(let code):
            var form = OAuthRequest.form(of: code, clientID: settings.clientID)
            form.append(("client_secret", try secret()))
            let response = try await client.post("\(apiURL)/oauth/access_token", form: form)
            guard response.status == 200, let token = response.body["access_token"]?.stringValue else {
                throw OAuthRequest.refusal(response, by: settings.displayName)
            }
            return try await identity(ofToken: token)
        }
    }

    private func secret() throws(IdentityError) -> String {
        guard let secret = settings.clientSecret else {
            throw IdentityError(.misconfigured, "Facebook's tokens are checked with the client_secret: set it.")
        }
        return secret
    }

    /// Checks that a token is valid and was issued to this app (`debug_token` of the Graph API).
    private func checkApp(of token: String) async throws(IdentityError) {
        let query = FormText.encode([
            ("input_token", token), ("access_token", "\(settings.clientID)|\(try secret())"),
        ])
        let response = try await client.get("\(apiURL)/debug_token?\(query)")
        guard response.status == 200, let data = response.body["data"] else {
            throw IdentityError(
                .misconfigured, "Facebook does not accept the app's client_id and secret. Check the settings.")
        }
        let app = data["app_id"]?.stringValue ?? data["app_id"]?.intValue.map(String.init) ?? ""
        guard data["is_valid"] == true, settings.audiences.contains(where: { $0.isIdenticalText(to: app) }) else {
            throw .refused("The access token is not valid, or of another app.")
        }
        // In the response, the time 0 means that the token never expires.
        if let end = data["expires_at"]?.intValue, end != 0, end <= now() - settings.clockSkewSeconds {
            throw .refused("The access token has expired. Log in again.")
        }
    }

    private func identity(ofToken token: String) async throws(IdentityError) -> Identity {
        let proof = HMAC<SHA256>.authenticationCode(
            for: Array(token.utf8), using: SymmetricKey(data: Array(try secret().utf8)))
        let query = FormText.encode([
            ("fields", "id,name,email,picture.type(large)"), ("access_token", token),
            ("appsecret_proof", Array(proof).hexadecimal),
        ])
        let response = try await client.get("\(apiURL)/me?\(query)")
        guard response.status == 200, let claims = response.body.objectValue, let id = claims["id"]?.stringValue else {
            throw .refused("Facebook does not accept the access token.")
        }
        var identity = Identity(subject: id)
        identity.claims = claims
        identity.name = claims["name"]?.stringValue
        // The address is treated as not verified, because Facebook's documentation does not say that it is verified.
        identity.email = claims["email"]?.stringValue
        identity.picture = claims["picture"]?["data"]?["url"]?.stringValue
        return identity
    }
}
