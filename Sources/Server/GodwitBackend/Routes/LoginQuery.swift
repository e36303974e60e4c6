//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes

/// The parameters with which an app begins a login in the browser, named as in OAuth 2 (RFC 6749, RFC 7636).
struct LoginQuery {
    let redirectURI: String
    let state: String?
    let challenge: String

    /// Reads the parameters of a request.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/redirectRefused`` when the redirect URI is missing or
    ///   not permitted; ``HTTPFailure`` with status 400 when the challenge is missing or is not the Base64URL of 32
    ///   bytes, when its method is not S256, and when the state is too long.
    init(_ target: RequestTarget, of application: Application) throws {
        func value(_ name: String) -> String? { target.query.first { $0.name.isIdenticalText(to: name) }?.value }
        guard let uri = value("redirect_uri"), RedirectRule.permits(uri, declared: application.redirects) else {
            throw AccountError(
                .redirectRefused,
                "redirect_uri must be an address on this device (http://127.0.0.1:PORT/…), or one of the application's "
                    + "redirects.")
        }
        guard let challenge = value("code_challenge"), value("code_challenge_method") == "S256",
            Base64URL.decode(challenge)?.count == 32
        else {
            throw HTTPFailure(
                .badRequest, "bad_request",
                "A login needs code_challenge, the SHA-256 of a random verifier as Base64URL, and "
                    + "code_challenge_method=S256.")
        }
        state = value("state")
        guard state?.utf8.count ?? 0 <= BackendLimits.appStateBytesMax else {
            throw HTTPFailure(
                .badRequest, "bad_request", "state may have at most \(BackendLimits.appStateBytesMax) bytes.")
        }
        (redirectURI, self.challenge) = (uri, challenge)
    }

    /// Returns 256 random bits in Base64URL.
    static func random() -> String { Base64URL.encode(.random(count: 32)) }

    /// Adds parameters to a redirect URI.
    static func url(_ base: String, _ items: [(name: String, value: String)]) -> String {
        let query = items.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return base + (base.includes("?") ? "&" : "?") + query
    }
}

/// The parameters with which a provider sends the browser back.
struct CallbackParameters {
    let state: String?
    let code: String?
    /// The user's name, which Apple sends at the first login; `nil` when it is missing. The name is not signed.
    /// Therefore it may only be displayed, and must not be used to identify the user.
    let appleName: String?

    /// Reads the query of a GET, or the form of a POST.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 for a malformed form, or 413 for a too long one.
    init(_ request: ServerRequest) async throws {
        var items = request.target.query
        if request.head.method == .post {
            let bytes = try await request.collectBody(bytesMax: BackendLimits.requestBytesMax)
            items = try RequestTarget(form: bytes).query
        }
        func value(_ name: String) -> String? { items.first { $0.name.isIdenticalText(to: name) }?.value }
        state = value("state")
        code = value("code")
        let name = value("user").flatMap { try? JSONValue(parsing: Array($0.utf8)) }?["name"]
        let parts = ["firstName", "lastName"].compactMap { name?[$0]?.stringValue }
        appleName = parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

/// The cookie that ties a login to the browser that began it.
enum LoginCookie {
    static let name = "GodwitLogin"

    /// Returns the header that sets the cookie.
    ///
    /// - Parameter crossesSites: Whether the login ends with a form that a page of the provider posts to this server.
    ///   For such a request from another site, browsers send the cookie only if it has the attribute `SameSite=None`,
    ///   and only over HTTPS.
    static func header(_ value: String, path: String, isSecure: Bool, crossesSites: Bool) -> String {
        "\(name)=\(value); Path=\(path); Max-Age=\(BackendLimits.loginFlowSeconds); HttpOnly"
            + (isSecure ? "; Secure" : "") + "; SameSite=\(crossesSites && isSecure ? "None" : "Lax")"
    }

    /// Returns the header that removes the cookie.
    static func ending(path: String) -> String { "\(name)=; Path=\(path); Max-Age=0; HttpOnly" }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
