//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import HTTPTypes

// A person who administrates only one database can write functions. For browsers, the responses of these functions have
// the same origin as the responses of all other databases. Therefore, functions must not set headers that affect the
// whole origin or the server. These headers concern sessions, cross-origin access, state that browsers store for the
// origin, and the framing of messages. If a function sets one of these headers, the header is not sent.

/// The headers that a function of a design document may read and set.
enum FunctionHeaders {
    /// The headers that only the server sets, in lower case.
    private static let reserved: Set<String> = [
        // Framing of the message.
        "connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade",
        // State that browsers store for the origin.
        "alt-svc", "clear-site-data", "nel", "public-key-pins", "report-to", "reporting-endpoints",
        "service-worker-allowed", "set-cookie2", "strict-transport-security",
        // The server's identity and authentication.
        "server", "www-authenticate",
        // The browser's protection of the origin.
        "x-content-type-options",
    ]
    private static let reservedPrefixes = ["access-control-", "proxy-"]

    /// The names of the cookies of sessions and logins, in lower case.
    private static let sessions: Set<String> = ["authsession", "godwitconsole", "godwitlogin"]
    /// The headers of a request that contain credentials, in lower case.
    private static let credentials: Set<String> = ["authorization", "cookie", "proxy-authorization", "x-godwit-csrf"]

    /// Whether a function gets a header of a client's request. A function gets no credentials: otherwise, the author of
    /// the function could use the credentials of its callers.
    static func permitReading(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return !Self.credentials.contains(text) && !text.begins(with: "x-auth-")
    }

    /// Whether a cookie of this name belongs to a session or a login.
    static func isSession(_ name: String) -> Bool { Self.sessions.contains(name.lowercasedASCII) }

    /// Whether a function may set a header in a response.
    static func permit(_ name: HTTPField.Name, _ value: String) -> Bool {
        let text = name.canonicalName
        guard !Self.reserved.contains(text), !reservedPrefixes.contains(where: { text.begins(with: $0) }) else {
            return false
        }
        return name != .setCookie || !setsSession(value)
    }

    /// Whether a value of `Set-Cookie` sets the cookie of a session. The value of a cookie without a name must also be
    /// checked. The reason is that a browser sends the cookie `=a=b` as `a=b`, which looks like a cookie named `a`.
    private static func setsSession(_ value: String) -> Bool {
        let bytes = value.utf8.drop { " \t=".utf8.contains($0) }
        return isSession(String(decoding: bytes.prefix { !"=; \t".utf8.contains($0) }, as: UTF8.self))
    }

    /// Whether a rewrite function may set a header of a request. It may set any header that does not identify the
    /// principal, the client or the host.
    static func permitInRequest(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return permitReading(name) && !["host", "forwarded"].contains(text) && !text.begins(with: "x-forwarded-")
    }
}
