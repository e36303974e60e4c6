//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import HTTPTypes

/// A session of the web console.
package struct ConsoleSession: Sendable {
    /// The value of the `Set-Cookie` header that begins the session.
    package let cookieHeader: String
    /// The value of the header `X-Godwit-CSRF` of the session's requests.
    package let token: String
}

/// The sessions of the web console. The console has its own cookie. Therefore one user can log in to the console while
/// another user is logged in to other pages of the server, in the same browser.
extension Authenticator {
    private static let consoleCookie = "GodwitConsole"

    /// Begins a session of the console.
    package func beginConsoleSession(of account: Account) -> ConsoleSession {
        let options = settings.options
        return ConsoleSession(
            cookieHeader: consoleCookieHeader(of: account, options), token: consoleToken(of: account, options))
    }

    /// The account and the token of the console's session to which a request belongs; `nil` if the request belongs to
    /// no session of the console.
    package func consoleUser(of request: ServerRequest) async throws -> (account: Account, token: String)? {
        let options = settings.options
        guard let (account, _) = try await consoleAccount(request, options) else { return nil }
        return (account, consoleToken(of: account, options))
    }

    /// The `Set-Cookie` header that ends a session of the console.
    package var endingConsoleCookieHeader: String {
        "\(Authenticator.consoleCookie)=; Max-Age=0\(consoleAttributes)"
    }

    /// Returns the principal of a request that belongs to a session of the console, and the headers to add to the
    /// response. Returns `nil` for any other request, which must be authenticated in another way. Even with a console
    /// cookie, a request without the header `X-Godwit-CSRF` does not belong to a session in two cases: the session has
    /// ended, or the route is for logins.
    ///
    /// A request with the header `X-Godwit-CSRF` comes from the console. A request with the parameter
    /// `console=download` also comes from the console: it is a download, and a browser does not send the page's headers
    /// with a download. A request with neither the header nor the parameter is authenticated by the console's cookie
    /// under two conditions: the request cannot change anything, and it contains no other credentials.
    ///
    /// - Parameter isLogin: Whether the request is for a route with which clients log in.
    /// - Throws: ``HTTPFailure`` with status 401 when the request has the header `X-Godwit-CSRF`, but no cookie of a
    ///   valid session. The status is 403 when this header is wrong. The status is also 403 when the header is missing
    ///   from a request that may change something. Also throws the account's ``Account/refusal``.
    func consoleSession(
        _ request: ServerRequest, _ options: ServerSettings.Options, isLogin: Bool
    ) async throws -> (Principal, HTTPFields)? {
        let token = request.header(.consoleToken)
        guard token != nil || request.header(.cookie) != nil else { return nil }
        if token == nil, request.target.value("console") != "download" {
            guard request.header(.authorization) == nil, request.cookie(SessionCookie.name).map(\.isEmpty) ?? true
            else {
                return nil
            }
        }
        guard let (account, age) = try await consoleAccount(request, options) else {
            guard token != nil else { return nil }
            throw HTTPFailure.unauthorized("The session of the console has ended. Log in again.")
        }
        guard token != nil || !isLogin else { return nil }
        let isReading = request.head.method == .get || request.head.method == .head
        let isGenuine = token.map {
            constantTimeEqual(Array($0.utf8), Array(consoleToken(of: account, options).utf8))
        }
        guard isGenuine ?? isReading else {
            throw HTTPFailure.forbidden("A request of the console needs its token in the header X-Godwit-CSRF.")
        }
        guard !isLogin || account.refusal == nil else { return nil }
        let principal = try account.principal(.cookie)
        guard Double(age) > Double(options.cookieSeconds) * Authenticator.renewalPart else { return (principal, [:]) }
        return (principal, [.setCookie: consoleCookieHeader(of: account, options)])
    }

    /// Returns the account of a request's console cookie, and the cookie's age in seconds. Returns `nil` when the
    /// cookie is missing, invalid or too old, and when a page of another server caused the request.
    private func consoleAccount(
        _ request: ServerRequest, _ options: ServerSettings.Options
    ) async throws -> (Account, age: Int)? {
        // The cookie's attribute `SameSite` is not sufficient as a check. With this attribute, a browser still sends the
        // cookie for pages from other ports and subdomains, and the setting `cors/credentials` may allow these pages to
        // read responses.
        guard !options.secret.isEmpty, !request.isOfForeignPage, let text = request.cookie(Authenticator.consoleCookie),
            let cookie = SessionCookie(text), let account = try await accounts.account(named: cookie.user),
            cookie.isGenuine(for: account, key: options.consoleKey)
        else { return nil }
        let age = WallClock.seconds.subtractingSaturated(cookie.time)
        return age < options.cookieSeconds ? (account, age) : nil
    }

    private func consoleCookieHeader(of account: Account, _ options: ServerSettings.Options) -> String {
        let cookie = SessionCookie(for: account, key: options.consoleKey, time: WallClock.seconds)
        let expiry = options.cookiesPersist ? "; Max-Age=\(options.cookieSeconds)" : ""
        return "\(Authenticator.consoleCookie)=\(cookie.text)\(expiry)\(consoleAttributes)"
    }

    private var consoleAttributes: String {
        "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// The token for all console sessions of an account. The token changes when the account's password or roles change.
    private func consoleToken(of account: Account, _ options: ServerSettings.Options) -> String {
        SessionCookie(for: account, key: options.consoleTokenKey, time: 0).text
    }
}

extension HTTPField.Name {
    fileprivate static let consoleToken = HTTPField.Name("X-Godwit-CSRF")!
}
