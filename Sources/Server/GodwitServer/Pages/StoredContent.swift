//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import HTTPTypes

// Attachments, objects, tiles and the results of functions have the same origin as the console and the pages of
// applications. Any user who may write can store a page or a script there. Three measures prevent that a browser runs
// it with this origin:
// - The policy `sandbox` gives a stored page a separate origin, and disables its scripts.
// - The server refuses requests in which a page of this origin loads stored content as a script, a style sheet or a
//   worker. The browser names this purpose in the header `Sec-Fetch-Dest`, which scripts cannot set.
// - The server's own pages run only scripts with a nonce (``PagePolicy``).

/// Content that users store and that the server sends as it is.
public enum StoredContent {
    /// The content security policy of stored content.
    static let policy = "sandbox"

    /// Returns the headers of a response with stored content.
    ///
    /// - Parameters:
    ///   - type: The content type.
    ///   - principal: The principal of the request. What only some principals may read is not shown in pages of other
    ///     sites (`Cross-Origin-Resource-Policy`).
    public static func headers(type: String, for principal: Principal) -> HTTPFields {
        var headers: HTTPFields = [.contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff"]
        if principal.name != nil { headers[.resourcePolicy] = "same-site" }
        // A cache must not answer a request for a script with the response to another request.
        if mayBeActive(type) { headers[.vary] = "Sec-Fetch-Dest" }
        return headers
    }

    /// The purposes for which a page of the same origin must not load stored content.
    private static let refusedDestinations: Set<String> = [
        "audioworklet", "paintworklet", "script", "serviceworker", "sharedworker", "style", "worker", "xslt",
    ]

    /// Checks the purpose for which a browser loads stored content.
    ///
    /// - Throws: ``HTTPFailure`` with status 403 when a page of this origin loads it as a script, a style sheet or a
    ///   worker.
    public static func check(_ request: ServerRequest) throws(HTTPFailure) {
        guard let destination = request.header(.fetchDestination), Self.refusedDestinations.contains(destination),
            request.header(.fetchSite) == "same-origin"
        else { return }
        throw HTTPFailure(
            .forbidden, "forbidden",
            "Stored content cannot be a script or a style sheet of a page on this server. Serve it from another origin."
        )
    }

    /// Types that no browser runs. All others may be scripts, style sheets or pages.
    private static let passiveTypes = ["image/", "audio/", "video/", "font/", "application/json", "text/plain"]

    private static func mayBeActive(_ type: String) -> Bool {
        let type = type.lowercased()
        return type.begins(with: "image/svg") || !passiveTypes.contains { type.begins(with: $0) }
    }
}

extension HTTPField.Name {
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")!
    static let fetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    static let upgradeInsecureRequests = HTTPField.Name("Upgrade-Insecure-Requests")!
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    fileprivate static let resourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
}
