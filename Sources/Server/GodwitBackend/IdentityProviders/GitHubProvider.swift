//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitTransport

/// GitHub, which supports OAuth 2 and has no ID tokens.
public struct GitHubProvider: IdentityProvider {
    private let settings: ProviderSettings
    private let client: ProviderClient

    /// Creates a provider.
    public init(_ settings: ProviderSettings, transport: any Transport) {
        self.settings = settings
        client = ProviderClient(provider: settings.displayName, transport: transport)
    }

    private var apiURL: String { settings.apiURL ?? "" }

    /// See ``IdentityProvider/authorizationURL(for:)``.
    public func authorizationURL(for request: AuthorizationRequest) async throws(IdentityError) -> String {
        OAuthRequest.url("\(settings.issuer)/login/oauth/authorize", OAuthRequest.items(of: request, settings))
    }

    /// See ``IdentityProvider/identity(of:)``.
    public func identity(of proof: LoginProof) async throws(IdentityError) -> Identity {
        switch proof {
        case .idToken: throw IdentityError(.misconfigured, "GitHub has no ID tokens: send code or access_token.")
        case .accessToken(let token):
            try await checkApp(of: token)
            return try await identity(ofToken: token)
        case .code(let code):
            var form = OAuthRequest.form(of: code, clientID: settings.clientID)
            if let secret = settings.clientSecret { form.append(("client_secret", secret)) }
            let response = try await client.post("\(settings.issuer)/login/oauth/access_token", form: form)
            // GitHub reports a wrong code with status 200.
            guard response.status == 200, let token = response.body["access_token"]?.stringValue else {
                let isClient = response.body["error"] == "incorrect_client_credentials"
                throw isClient
                    ? IdentityError(
                        .misconfigured, "GitHub does not accept the app's client_id and secret. Check the settings.")
                    : OAuthRequest.refusal(response, by: settings.displayName)
            }
            return try await identity(ofToken: token)
        }
    }

    /// Checks that a token was issued to this app. Without this check, the owner of another app could log in here with
    /// the tokens of that app's users.
    private func checkApp(of token: String) async throws(IdentityError) {
        guard let secret = settings.clientSecret else {
            throw IdentityError(.misconfigured, "Access tokens of GitHub are checked with the client_secret: set it.")
        }
        var credentials = Array("Basic ".utf8)
        Base64.append(Array("\(settings.clientID):\(secret)".utf8), to: &credentials)
        let response = try await client.post(
            "\(apiURL)/applications/\(settings.clientID.percentEncoded)/token",
            json: ["access_token": .string(token)],
            headers: [("Authorization", String(decoding: credentials, as: UTF8.self))])
        guard response.status == 200 else { throw .refused("The access token is not valid, or of another app.") }
    }

    private func identity(ofToken token: String) async throws(IdentityError) -> Identity {
        let headers = [(name: "Authorization", value: "Bearer \(token)")]
        let response = try await client.get("\(apiURL)/user", headers: headers)
        guard response.status == 200, let claims = response.body.objectValue, let id = claims["id"]?.intValue else {
            throw .refused("GitHub does not accept the access token.")
        }
        var identity = Identity(subject: String(id))
        identity.claims = claims
        identity.name = claims["name"]?.stringValue ?? claims["login"]?.stringValue
        identity.picture = claims["avatar_url"]?.stringValue
        // The address in the profile may be unverified. Therefore the list of the user's addresses is read. It says for
        // each address whether it is verified.
        if let addresses = try? await client.get("\(apiURL)/user/emails", headers: headers),
            let address = addresses.body.arrayValue?.first(where: { $0["primary"] == true && $0["verified"] == true })
        {
            identity.email = address["email"]?.stringValue
            identity.isEmailVerified = identity.email != nil
        }
        return identity
    }
}
