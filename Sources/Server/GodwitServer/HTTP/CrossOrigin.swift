//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import HTTPTypes

/// Creates the response headers for cross-origin requests, by the rules in CouchDB's section `cors`.
struct CrossOrigin {
    let rules: CrossOriginRules

    private static let exposedHeaders =
        "content-type, cache-control, accept-ranges, etag, server, x-couch-request-id, x-couch-update-newrev, "
        + "x-couchdb-body-time"

    /// Returns the headers that let a page read the response; empty when cross-origin requests are disabled, or the
    /// page's origin is not allowed.
    func headers(for request: HTTPRequest) -> HTTPFields {
        guard rules.isEnabled, let origin = request.headerFields[.origin], let allowedOrigin = allowedOrigin(origin)
        else {
            return [:]
        }
        var headers: HTTPFields = [
            .accessControlAllowOrigin: allowedOrigin, .accessControlExposeHeaders: CrossOrigin.exposedHeaders,
        ]
        if allowedOrigin != "*" { headers[.vary] = "Origin" }
        if rules.allowsCredentials, allowedOrigin != "*" { headers[.accessControlAllowCredentials] = "true" }
        return headers
    }

    /// Returns the headers of the response to a preflight request; empty when the request is not allowed.
    func preflight(_ request: HTTPRequest) -> HTTPFields {
        var headers = headers(for: request)
        guard !headers.isEmpty, let method = request.headerFields[.accessControlRequestMethod],
            rules.methods.contains(where: { $0.isIdenticalText(to: method.uppercased()) })
        else { return [:] }
        let requestedHeaders = (request.headerFields[.accessControlRequestHeaders] ?? "").lowercasedASCII
            .commaSeparatedItems
        let allowedHeaders = rules.headers.map { ExactText($0.lowercasedASCII) }
        guard Set(requestedHeaders.map(ExactText.init)).isSubset(of: allowedHeaders) else { return [:] }
        headers[.accessControlAllowMethods] = rules.methods.joined(separator: ", ")
        headers[.accessControlMaxAge] = String(rules.maxAgeSeconds)
        if !requestedHeaders.isEmpty { headers[.accessControlAllowHeaders] = requestedHeaders.joined(separator: ", ") }
        return headers
    }

    private func allowedOrigin(_ origin: String) -> String? {
        if rules.origins.contains(where: { $0.isIdenticalText(to: origin) }) { return origin }
        guard rules.origins.contains("*") else { return nil }
        // Browsers do not accept the origin `*` together with credentials. If the settings contain both, the response
        // names the origin of the request instead of `*`, as in CouchDB. Therefore every origin is allowed.
        return rules.allowsCredentials ? origin : "*"
    }
}
