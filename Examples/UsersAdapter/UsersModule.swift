//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit
import GodwitServer
import HTTPTypes
import Synchronization

/// The routes below `/users`. Their documents are in the database `users_adapter`.
final class UsersModule: ServerModule {
    let name = "Users adapter"
    private let opened = Mutex(Datastore?.none)

    private static let bodyBytesMax = 64 << 10
    private static let pageCount = 200
    private static let teapot = HTTPResponse.Status(code: 418, reasonPhrase: "I'm a teapot")

    func start(in server: RunningServer) async throws {
        let datastore = try await server.manager.datastore(named: "users_adapter")
        opened.withLock { $0 = datastore }
    }

    var routes: [Route] {
        [
            Route(.get, "/users", access: .administrator, handler: list),
            Route(.post, "/users", access: .administrator, posts: .jsonIfAny, handler: create),
            Route(.get, "/users/{id}", access: .administrator, work: .light, handler: show),
            Route(.put, "/users/{id}", access: .administrator, work: .light, handler: update),
            Route(.delete, "/users/{id}", access: .administrator, work: .light, handler: delete),
        ]
    }

    private var users: Datastore {
        get throws {
            guard let datastore = opened.withLock({ $0 }) else {
                throw HTTPFailure(.serviceUnavailable, "starting", "The server is starting. Try again in a moment.")
            }
            return datastore
        }
    }

    // MARK: Routes

    @Sendable private func list(_ context: RequestContext) async throws {
        let range = IDRange(lower: context.request.target.value("after"), lowerIsIncluded: false)
        let page = try users.documents(in: range, limit: UsersModule.pageCount, descending: false)
        try await context.response.sendJSON(body: JSONValue.array(page.map(UsersModule.json)).jsonBytes())
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        try await send(try user(context), context)
    }

    @Sendable private func create(_ context: RequestContext) async throws {
        guard let members = try await members(context) else {
            throw HTTPFailure(UsersModule.teapot, "no_body", "The request has no user in its body.")
        }
        var body: JSONObject = ["contacted": false]
        for (name, value) in members { body[name] = value }
        try await send(try await users.create(Document(body: body)), context, .created)
    }

    @Sendable private func update(_ context: RequestContext) async throws {
        var user = try user(context)
        guard let members = try await members(context) else {
            throw HTTPFailure(.badRequest, "bad_request", "The request has no user in its body.")
        }
        user.body = members
        try await send(try await users.update(user), context)
    }

    @Sendable private func delete(_ context: RequestContext) async throws {
        let user = try user(context)
        try await users.delete(user)
        try await send(user, context)
    }

    // MARK: Users

    /// Returns the user that the path names. If the user is missing, the `StoreError` that this method throws is sent
    /// as status 404.
    private func user(_ context: RequestContext) throws -> Document {
        try users.document(context.request.parameter("id"))
    }

    /// Returns the members of the user in the body; `nil` if the request has no body.
    private func members(_ context: RequestContext) async throws -> JSONObject? {
        let bytes = try await context.request.collectBody(bytesMax: UsersModule.bodyBytesMax)
        guard !bytes.isEmpty else { return nil }
        guard var members = try JSONValue(parsing: bytes).objectValue else {
            throw HTTPFailure(.badRequest, "bad_request", "A user must be a JSON object.")
        }
        (members["_id"], members["_rev"]) = (nil, nil)
        return members
    }

    private static func json(_ user: Document) -> JSONValue {
        var members = user.body
        members["_id"] = user.id.map { .string($0) }
        return .object(members)
    }

    private func send(
        _ user: Document, _ context: RequestContext, _ status: HTTPResponse.Status = .ok
    ) async throws {
        try await context.response.sendJSON(status, body: UsersModule.json(user).jsonBytes())
    }
}
