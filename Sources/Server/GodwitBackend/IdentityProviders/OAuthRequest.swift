//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The parameters of OAuth 2 that all providers share (RFC 6749).
enum OAuthRequest {
    /// Returns the parameters of an authorization request.
    static func items(
        of request: AuthorizationRequest, _ settings: ProviderSettings
    ) -> [(name: String, value: String)] {
        [
            ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", request.redirectURI),
            ("scope", settings.scopes.joined(separator: " ")), ("state", request.state),
            ("code_challenge", request.challenge), ("code_challenge_method", "S256"),
        ]
    }

    /// Adds parameters to a URL.
    static func url(_ base: String, _ items: [(name: String, value: String)]) -> String {
        base + (base.includes("?") ? "&" : "?") + FormText.encode(items)
    }

    /// Returns the form that exchanges a code for tokens.
    static func form(of code: AuthorizationCode, clientID: String) -> [(name: String, value: String)] {
        var form = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code.code),
            (name: "redirect_uri", value: code.redirectURI), (name: "client_id", value: clientID),
        ]
        if let verifier = code.verifier { form.append((name: "code_verifier", value: verifier)) }
        return form
    }

    /// Returns the header that authenticates an app by HTTP Basic (RFC 6749, section 2.3.1).
    static func authorization(clientID: String, secret: String) -> (name: String, value: String) {
        var digits = Array("Basic ".utf8)
        Base64.append(Array("\(clientID.percentEncoded):\(secret.percentEncoded)".utf8), to: &digits)
        return ("Authorization", String(decoding: digits, as: UTF8.self))
    }

    /// Whether a response says that the app's identifier or secret is wrong.
    static func refusesApp(_ response: ProviderClient.Response) -> Bool {
        ["invalid_client", "unauthorized_client"].contains(response.body["error"]?.stringValue)
    }

    /// Returns the error for a provider's response that contains no token.
    ///
    /// `invalid_client` and `unauthorized_client` mean that the settings are wrong. For any other response, the
    /// returned error says that the code is wrong, expired or already used.
    static func refusal(_ response: ProviderClient.Response, by provider: String) -> IdentityError {
        if refusesApp(response) {
            return IdentityError(
                .misconfigured, "\(provider) does not accept the app's client_id and secret. Check the settings.")
        }
        return .refused("\(provider) does not accept the code: it is wrong, expired or was used before. Log in again.")
    }
}
