//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of security objects, with CouchDB's and Cloudant's paths, and of Cloudant's API keys.
struct SecurityRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_security", access: .document(.read), work: .light, handler: show),
            Route(
                .put, "/{db}/_security", access: .document(.administrate),
                condition: "for `_users` the setting `users_db_security_editable`", work: .light,
                audit: "security object changed", handler: set),
            Route(.get, "/_api/v2/db/{db}/_security", access: .database(.administrate), work: .light, handler: show),
            Route(
                .put, "/_api/v2/db/{db}/_security", access: .database(.administrate),
                condition: "for `_users` the setting `users_db_security_editable`", work: .light,
                audit: "security object changed", handler: set),
            Route(
                .post, "/_api/v2/api_keys", access: .administrator, work: .light, posts: .jsonIfAny,
                audit: "API key created", handler: makeKey),
        ]
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        guard let object = try await server.securities.object(of: context.request.parameter("db")) else {
            throw HTTPFailure.databaseMissing
        }
        try await context.response.sendJSON(body: JSONValue.object(object.value).line)
    }

    @Sendable private func set(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        guard datastore.name != UsersDatabase.name || server.settings.options.allowsUsersSecurityChange else {
            throw HTTPFailure.forbidden("You can't edit the security object of the user database.")
        }
        let body = try await context.request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        try await server.securities.set(try SecurityObject(body), of: datastore.name)
        try await context.response.sendJSON(body: okLine)
    }

    @Sendable private func makeKey(_ context: RequestContext) async throws {
        let (name, password) = try await server.keys.make()
        let answer: JSONValue = ["ok": true, "key": .string(name), "password": .string(password)]
        try await context.response.sendJSON(.created, body: answer.line)
    }
}
