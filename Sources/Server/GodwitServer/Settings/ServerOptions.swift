//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews
import HTTPTypes

/// The values of a server's settings.
struct ServerOptions: Sendable {
    /// Whether every request requires a login. Requests for the routes with which clients log in are an exception.
    var requiresValidUser = false
    /// Whether every request requires a login. Requests for `/_up` and for the routes with which clients log in are
    /// exceptions.
    var requiresValidUserExceptForUp = false
    /// Whether only administrators may list the databases.
    var listsDatabasesForAdministrators = true
    /// The principals that may use a database without a security object: all principals (`everyone`), or only
    /// administrators of the server (`admin_only`).
    var defaultSecurity = "admin_only"

    /// Whether the security object of `_users` can be changed.
    var allowsUsersSecurityChange = false

    /// The authentication methods, in CouchDB's format and in the order in which they are tried. This value can disable
    /// only authentication by tokens and by proxies. Authentication by cookies, and by name and password, is always
    /// enabled: methods that are not listed are tried last.
    var authenticationHandlers =
        "{chttpd_auth, cookie_authentication_handler}, {chttpd_auth, default_authentication_handler}"
    {
        didSet { authenticationMethods = AuthenticationMethod.listed(in: authenticationHandlers) }
    }
    private(set) var authenticationMethods: [AuthenticationMethod] = [.cookie, .password]
    var acceptsTokens: Bool { authenticationMethods.contains(.token) }
    var acceptsProxy: Bool { authenticationMethods.contains(.proxy) }
    /// The lifetime of a session's cookie, in seconds. While the session is used, responses renew the cookie.
    var cookieSeconds = 600
    /// Whether a browser keeps session cookies after it is closed.
    var cookiesPersist = true
    /// The attribute `SameSite` of session cookies: `none`, `lax` or `strict`. If the value is empty, cookies do not
    /// have this attribute. The cookies of the console always have the value `strict`.
    ///
    /// With `lax`, browsers send no cookie with requests that pages of other sites cause. There is one exception: the
    /// cookie is sent when the user follows a link to a page of this server, or reaches the page by another navigation.
    var sameSite = "lax"
    /// The secret of the server. It signs the tokens of proxies. The keys of all other signatures are derived from it.
    var secret = "" {
        didSet {
            sessionKey = SecretPurpose.sessionCookie.key(from: secret)
            consoleKey = SecretPurpose.consoleCookie.key(from: secret)
            consoleTokenKey = SecretPurpose.consoleToken.key(from: secret)
        }
    }
    /// The key of session cookies.
    private(set) var sessionKey = SecretPurpose.sessionCookie.key(from: "")
    /// The key of the console's cookies.
    private(set) var consoleKey = SecretPurpose.consoleCookie.key(from: "")
    /// The key of the tokens that the console sends with its requests.
    private(set) var consoleTokenKey = SecretPurpose.consoleToken.key(from: "")
    /// The permanent identifier of this server: 32 hexadecimal digits.
    var serverID = ""
    /// The algorithm that generates ids of documents that clients save without an id.
    var idAlgorithm = DocumentIDs.Algorithm.sequential
    /// The suffix of ids that the algorithm `utc_id` generates from the time and a text.
    var idSuffix = ""
    /// The number of PBKDF2 rounds for new passwords.
    var iterations = PasswordHash.iterationsDefault
    /// Whether a proxy must authenticate with a token.
    var proxyUsesSecret = true

    /// The keys of JSON Web Tokens, keyed by kind and name: `hmac:NAME`, `rsa:NAME`, `ec:NAME`.
    var tokenKeys: [ExactText: String] = [:]
    /// The claims that a JSON Web Token must have.
    var requiredClaims = RequiredClaims()
    /// The name of the claim that contains the roles.
    var rolesClaim = "_couchdb.roles"
    /// The path of the member of the claims that contains the roles. The names in the path are separated by dots. If
    /// the path is empty, ``rolesClaim`` is used instead.
    var rolesClaimPath = ""

    /// The maximum number of running replications. Further replications wait.
    var replicationsMax = 500
    /// The maximum number of running and waiting replications of one owner. The maximum does not apply to
    /// administrators.
    var replicationsPerOwnerMax = 100
    /// The remote hosts with which principals who are not administrators may replicate; empty by default.
    var replicationHosts = AllowedHosts()

    /// The maximum length of a document's body, in bytes of JSON without attachments.
    var documentBytesMax = StoreLimits.default.bodyBytesMax
    /// The maximum length of the body of a request for a database, in bytes.
    var requestBytesMax = ServerLimits().requestBytesMax

    /// The maximum number of concurrent costly requests and feeds of one client. Administrators may have any number.
    var requestsPerClientMax = 1_000
    /// The minimum duration of a query that is logged as slow, in milliseconds.
    var slowQueryMilliseconds = 1_000
    /// The database of security events.
    var audit = AuditRules()
    /// The schedule of the backups of all databases.
    var backups = BackupRules()
    /// The limits of the work of a costly request.
    var workLimits = WorkBudget.Limits()

    /// The limits of functions of design documents.
    var functions = FunctionRules()

    var cors = CrossOriginRules()
}

/// The rules for pages of other origins, from CouchDB's section `cors`.
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

/// A method of authentication that the setting `authentication_handlers` lists.
enum AuthenticationMethod: String, CaseIterable, Sendable {
    case cookie = "cookie_authentication_handler"
    case proxy = "proxy_authentication_handler"
    case token = "jwt_authentication_handler"
    case password = "default_authentication_handler"

    /// The name in an answer of `/_session`, which is CouchDB's.
    var nameInSession: String {
        switch self {
        case .cookie: "cookie"
        case .proxy: "proxy"
        case .token: "jwt"
        case .password: "default"
        }
    }

    /// Returns the methods in their order in a text; cookie and password are at the end if they are not listed.
    static func listed(in text: String) -> [AuthenticationMethod] {
        let offsets = allCases.compactMap { method in
            text.firstBytes(method.rawValue).map {
                (method: method, offset: text.utf8.distance(from: text.startIndex, to: $0.lowerBound))
            }
        }
        let methods = offsets.sorted { $0.offset < $1.offset }.map(\.method)
        return methods + [.cookie, .password].filter { !methods.contains($0) }
    }
}
