//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The settings of an identity provider.
public struct ProviderSettings: Equatable, Sendable {
    /// The protocol of a provider.
    public enum Kind: String, Sendable, CaseIterable {
        /// Any issuer of OpenID Connect.
        case oidc
        /// Google.
        case google
        /// Apple, with a client secret that is signed for each request.
        case apple
        /// Microsoft's Entra ID and personal accounts.
        case microsoft
        /// GitHub, which supports OAuth 2 without OpenID Connect.
        case github
        /// Facebook, with access tokens of the Graph API and ID tokens of Limited Login.
        case facebook
        /// A realm that the server's program implements. It sends its own challenges.
        case custom
    }

    /// The key with which client secrets for Apple are signed.
    public struct SigningKey: Equatable, Sendable {
        /// The identifier of the team.
        public var team: String
        /// The identifier of the key.
        public var id: String
        /// The private key, as PEM.
        public var pem: String

        /// Creates a key.
        public init(team: String, id: String, pem: String) {
            (self.team, self.id, self.pem) = (team, id, pem)
        }
    }

    /// The provider's protocol.
    public var kind: Kind
    /// The text that a user sees, for example `Google`.
    public var displayName: String
    /// The identifier of the app at the provider. It is used for logins in the browser.
    public var clientID: String
    /// Further identifiers of the app at the provider, for example those of the app on phones. Tokens for these
    /// identifiers are also accepted.
    public var otherClientIDs: [String] = []
    /// The secret of the app at the provider; `nil` for a public client. If ``signingKey`` is set, this secret is not
    /// used. Facebook always requires a secret. GitHub requires it only for logins with access tokens.
    public var clientSecret: String?
    /// The key that signs client secrets. Only Apple needs such a key. For all other providers, it is `nil`.
    public var signingKey: SigningKey?
    /// The URL of the issuer.
    public var issuer: String
    /// The base URL of the provider's API; `nil` for an issuer of OpenID Connect.
    public var apiURL: String?
    /// The scopes that a login in the browser requests.
    public var scopes: [String]
    /// The accepted difference between the clock of the provider and the clock of this server, in seconds.
    public var clockSkewSeconds = IdentityLimits.clockSkewSeconds

    /// Creates settings with the defaults of a kind.
    ///
    /// - Parameters:
    ///   - kind: The provider's protocol.
    ///   - clientID: The identifier of the app at the provider.
    ///   - issuer: The URL of the issuer; `nil` for the default issuer of the kind. ``Kind/oidc`` has no default
    ///     issuer. For all other kinds, a slash at the end of the URL is removed.
    /// - Returns: `nil` when the kind is ``Kind/oidc`` and no issuer is given.
    public init?(_ kind: Kind, clientID: String, issuer: String? = nil) {
        guard let issuer = issuer ?? kind.issuer else { return nil }
        self.kind = kind
        self.clientID = clientID
        self.issuer = issuer.ends(with: "/") && kind != .oidc ? String(issuer.dropLast()) : issuer
        displayName = kind.displayName
        apiURL = kind.apiURL
        scopes = kind.scopes
    }

    /// Whether a token that names the given issuer may come from this provider. This is not a proof, because the
    /// token's signature is not verified here.
    package func mayIssue(_ issuer: String) -> Bool {
        switch kind {
        case .microsoft:
            issuer.isIdenticalText(to: self.issuer) || issuer.begins(with: "https://login.microsoftonline.com/")
        case .google: issuer.isIdenticalText(to: self.issuer) || issuer == "accounts.google.com"
        case .github, .custom: false
        case .oidc, .apple, .facebook: issuer.isIdenticalText(to: self.issuer)
        }
    }

    /// The identifiers of the app for which tokens are accepted.
    var audiences: Set<String> { Set([clientID] + otherClientIDs) }
}

extension ProviderSettings.Kind {
    /// The name of the provider in texts that users read.
    public var displayName: String {
        switch self {
        case .oidc: "OpenID Connect"
        case .google: "Google"
        case .apple: "Apple"
        case .microsoft: "Microsoft"
        case .github: "GitHub"
        case .facebook: "Facebook"
        case .custom: "Custom"
        }
    }

    fileprivate var issuer: String? {
        switch self {
        case .oidc: nil
        case .google: "https://accounts.google.com"
        case .apple: "https://appleid.apple.com"
        case .microsoft: "https://login.microsoftonline.com/common/v2.0"
        case .github: "https://github.com"
        case .facebook: "https://www.facebook.com"
        case .custom: ""
        }
    }

    fileprivate var apiURL: String? {
        switch self {
        case .github: "https://api.github.com"
        case .facebook: "https://graph.facebook.com"
        case .oidc, .google, .apple, .microsoft, .custom: nil
        }
    }

    fileprivate var scopes: [String] {
        switch self {
        case .oidc, .google, .microsoft: ["openid", "email", "profile"]
        case .apple: ["name", "email"]
        case .github: ["read:user", "user:email"]
        case .facebook: ["public_profile", "email"]
        case .custom: []
        }
    }
}
