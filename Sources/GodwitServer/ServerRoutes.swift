//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// What concerns the server as a whole.
struct ServerRoutes {
    let context: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/", access: .anyone, handler: welcome),
            Route(.get, "/_up", access: .anyone, handler: up),
            Route(.get, "/_uuids", handler: uuids),
            Route(.get, "/_all_dbs", handler: allDatabases),
        ]
    }

    @Sendable private func welcome(_: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let greeting: JSONValue = [
            "couchdb": "Welcome", "version": .string(couchDBVersion), "features": [],
            "vendor": ["name": "Godwit", "version": .string(godwitVersion)],
        ]
        try await response.sendJSON(body: greeting.line)
    }

    @Sendable private func up(_: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        try await response.sendJSON(body: (["status": "ok", "seeds": [:]] as JSONValue).line)
    }

    @Sendable private func uuids(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let count = try request.target.count("count") ?? 1
        guard count <= context.limits.uuidsMax else {
            throw HTTPFailure.badRequest("count parameter too large: at most \(context.limits.uuidsMax)")
        }
        let ids = (0..<count).map { _ in JSONValue.string(DocumentID.random()) }
        try await response.sendJSON(body: (["uuids": .array(ids)] as JSONValue).line)
    }

    @Sendable private func allDatabases(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        let names = try await context.manager.names()
        try await response.sendJSON(body: JSONValue.array(names.map { .string($0) }).line)
    }
}

extension JSONValue {
    /// The text with the newline that CouchDB's answers end with.
    var line: [UInt8] { jsonBytes() + [UInt8(ascii: "\n")] }
}
