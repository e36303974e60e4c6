//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of security objects and of Cloudant's API keys. Security objects have both the paths of CouchDB and the
/// paths of Cloudant.
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
            Route(.get, "/_godwit/keys", access: .administrator, work: .light, handler: listKeys),
            Route(
                .delete, "/_godwit/keys/{key}", access: .administrator, work: .light, audit: "API key removed",
                handler: removeKey),
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

    /// Creates a key. The body may contain a `note`. Cloudant has no such member.
    @Sendable private func makeKey(_ context: RequestContext) async throws {
        let body = try await context.request.collectBody(bytesMax: SecurityRoutes.keyBytesMax)
        let note = body.isEmpty ? nil : (try? JSONValue(parsing: body))?.objectValue?["note"]?.stringValue
        let (name, password) = try await server.keys.make(note: note)
        let answer: JSONValue = ["ok": true, "key": .string(name), "password": .string(password)]
        try await context.response.sendJSON(.created, body: answer.line)
    }

    private static let keyBytesMax = 16 << 10
    /// The maximum number of keys in a response.
    private static let keysMax = 300

    /// Sends a page of keys. The first key of the page is the one with the name in `startkey`. The member `next` of the
    /// response is the name of the first key of the following page; `null` when no key follows.
    @Sendable private func listKeys(_ context: RequestContext) async throws {
        let target = context.request.target
        let limit = min(max(1, try target.count("limit") ?? SecurityRoutes.keysMax), SecurityRoutes.keysMax)
        let keys = try await server.keys.list(from: target.value("startkey") ?? "", limit: limit + 1)
        let values = keys.prefix(limit).map { key -> JSONValue in
            [
                "name": .string(key.name), "created": key.created.map { .integer(Int64($0)) } ?? .null,
                "note": key.note.map { .string($0) } ?? .null,
            ]
        }
        let answer: JSONValue = [
            "keys": .array(values), "next": keys.count > limit ? .string(keys[limit].name) : .null,
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    /// Removes a key, and ends its requests. Security objects that contain the name of the key are not changed.
    @Sendable private func removeKey(_ context: RequestContext) async throws {
        let name = context.request.parameter("key")
        guard try await server.keys.remove(name) else {
            throw HTTPFailure(.notFound, "not_found", "There is no such key.")
        }
        server.rightsChanges.note(account: name)
        try await context.response.sendJSON(body: okLine)
    }
}
