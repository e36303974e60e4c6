//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitClientNIO
import GodwitScript
import GodwitSync
import GodwitThreads
import HTTPTypes

/// What the settings of a server say, read once and changed one by one.
struct ServerOptions: Sendable {
    /// Whether nobody is let in without a login.
    var requiresValidUser = false
    /// Whether `/_up` is open even so.
    var requiresValidUserExceptForUp = false
    /// Whether the list of databases is for administrators.
    var listsDatabasesForAdministrators = true
    /// Whether databases without a security object are open to all (`everyone`) or to administrators (`admin_only`).
    var defaultSecurity = "admin_only"

    /// Whether the security object of `_users` can be changed.
    var letsUsersSecurityChange = false

    /// Which ways of logging in are on, as CouchDB lists them.
    var authenticationHandlers =
        "{chttpd_auth, cookie_authentication_handler}, {chttpd_auth, default_authentication_handler}"
    {
        didSet {
            acceptsTokens = authenticationHandlers.contains("jwt_authentication_handler")
            acceptsProxy = authenticationHandlers.contains("proxy_authentication_handler")
        }
    }
    private(set) var acceptsTokens = false
    private(set) var acceptsProxy = false
    /// How long a session lasts, in seconds.
    var cookieSeconds = 600
    /// Whether cookies outlive the browser's session.
    var cookiesPersist = true
    /// The cookies' `SameSite`: `none`, `lax` or `strict`; empty for cookies without it.
    ///
    /// With `lax`, browsers send no cookie with a request that another site's page makes, except when it leads there.
    var sameSite = "lax"
    /// What proxy tokens are signed with, and what the keys of other signatures are derived from.
    var secret = "" {
        didSet { sessionKey = SecretPurpose.sessionCookie.key(from: secret) }
    }
    /// The key of session cookies.
    private(set) var sessionKey = SecretPurpose.sessionCookie.key(from: "")
    /// Names this server for ever: 32 hexadecimal digits.
    var serverID = ""
    /// How ids of documents are made that clients leave to the server.
    var idAlgorithm = DocumentIDs.Algorithm.sequential
    /// What ids end with that are made of the time and a text.
    var idSuffix = ""
    /// Rounds of PBKDF2 for new passwords.
    var iterations = PasswordHash.iterationsDefault
    /// Whether a proxy must prove itself by a token.
    var proxyUsesSecret = true

    /// The keys of JSON Web Tokens, by kind and name: `hmac:NAME`, `rsa:NAME`, `ec:NAME`.
    var tokenKeys: [String: String] = [:]
    /// Claims that a token must have.
    var requiredClaims = RequiredClaims()
    /// The claim that holds the roles.
    var rolesClaim = "_couchdb.roles"
    /// Where in the claims the roles are, name by name with dots between; empty for ``rolesClaim``.
    var rolesClaimPath = ""

    /// Replications that run at a time; others wait for their turn.
    var replicationsMax = 500
    /// Replications that one owner may have, running or waiting; administrators may have more.
    var replicationsPerOwnerMax = 100
    /// The hosts elsewhere that replications of others than administrators may reach; none by default.
    var replicationHosts = AllowedHosts()

    /// Costly requests and feeds that one client may have under way; administrators may have any number.
    var requestsPerClientMax = 1_000
    /// How long a query takes that is logged as slow, in milliseconds.
    var slowQueryMilliseconds = 1_000
    /// What the work of one costly request may take.
    var workLimits = WorkBudget.Limits()

    /// What functions of design documents may take.
    var functions = FunctionRules()

    var cors = CrossOriginRules()
}

/// Which pages of other origins may use the server, as CouchDB's section `cors` says.
struct CrossOriginRules: Sendable {
    var isEnabled = false
    var origins: [String] = []
    var allowsCredentials = false
    var methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "COPY", "OPTIONS"]
    var headers = [
        "accept", "authorization", "content-type", "origin", "referer", "x-csrf-token", "if-match", "destination",
        "x-requested-with", "x-http-method-override", "x-pouchdb",
    ]
    var maxAgeSeconds = 600
}
