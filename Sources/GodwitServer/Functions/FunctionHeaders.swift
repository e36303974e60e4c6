//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

// Functions are written by the administrators of a database, whose pages come from the origin of all databases. So what
// speaks for the whole origin or for the server is the server's: sessions, who may read answers elsewhere, what browsers
// remember of the origin, and how bytes are sent. Such headers of a function are left out.

/// Which headers a function of a design document may give an answer.
enum FunctionHeaders {
    /// The policy of each answer of a function.
    static let policy = "sandbox"

    /// Headers that are the server's, in lower case.
    private static let reserved: Set<String> = [
        // How bytes are sent.
        "connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade",
        // What browsers remember of the origin.
        "alt-svc", "clear-site-data", "nel", "public-key-pins", "report-to", "reporting-endpoints",
        "service-worker-allowed", "set-cookie2", "strict-transport-security",
        // Who answers, and how to log in.
        "server", "www-authenticate",
    ]
    private static let reservedPrefixes = ["access-control-", "proxy-"]

    /// Cookies that are sessions, in lower case.
    private static let sessions: Set<String> = ["authsession", "godwitconsole"]

    /// Whether a function may set a header.
    static func permit(_ name: HTTPField.Name, _ value: String) -> Bool {
        let text = name.canonicalName
        guard !reserved.contains(text), !reservedPrefixes.contains(where: text.hasPrefix) else { return false }
        return name != .setCookie || !setsSession(value)
    }

    /// Whether a value of `Set-Cookie` sets a session. Browsers send a cookie without a name, `=a=b`, as `a=b`.
    private static func setsSession(_ value: String) -> Bool {
        let text = value.drop { " \t=".contains($0) }
        return sessions.contains(text.prefix { !"=; \t".contains($0) }.lowercased())
    }

    /// Whether a rewrite function may set a header of the request: none that says who asks.
    static func permitInRequest(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        return !["authorization", "cookie", "host"].contains(text) && !text.hasPrefix("x-auth-couchdb-")
    }
}
