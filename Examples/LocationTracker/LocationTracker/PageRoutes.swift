//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import HTTPTypes

/// The routes of the map: a page at `/tracker`, which logs in and uses CouchDB's API, and the files that it loads.
struct PageRoutes {
    var routes: [Route] {
        [
            Route(.get, "/tracker", access: .anyone, handler: page),
            Route(.get, "/tracker/{file}", access: .anyone, handler: file),
            Route(.get, "/tracker/leaflet/{file...}", access: .anyone, handler: leaflet),
        ]
    }

    /// The page loads nothing from other servers, and runs no inline scripts and styles.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    @Sendable private func page(_ context: RequestContext) async throws {
        try await send(Asset.page.bytes, "text/html; charset=utf-8", to: context.response)
    }

    @Sendable private func file(_ context: RequestContext) async throws {
        let name = context.request.parameter("file")
        switch name {
        case "tracker.css": try await send(Asset.style.bytes, "text/css; charset=utf-8", to: context.response)
        default:
            guard let script = Asset.script(name) else {
                throw HTTPFailure(.notFound, "not_found", "The map has no such file.")
            }
            try await send(script, "text/javascript; charset=utf-8", to: context.response)
        }
    }

    @Sendable private func leaflet(_ context: RequestContext) async throws {
        try await LeafletFile(context.request.parameter("file")).send(to: context.response)
    }

    private func send(_ bytes: [UInt8], _ type: String, to response: ServerResponse) async throws {
        let headers: HTTPFields = [
            .contentSecurityPolicy: PageRoutes.policy, .xContentTypeOptions: "nosniff", .cacheControl: "no-cache",
        ]
        try await response.send(contentType: type, headers: headers, body: bytes)
    }
}
