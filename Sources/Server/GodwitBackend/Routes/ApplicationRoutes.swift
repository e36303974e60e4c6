//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes of the server's applications: `/_apps`.
struct ApplicationRoutes {
    let backend: Backend

    var routes: [Route] {
        [
            Route(.get, "/_apps", access: .administrator, work: .light, handler: list),
            Route(.get, "/_apps/{app}", access: .administrator, work: .light, handler: show),
            Route(
                .put, "/_apps/{app}", access: .administrator, work: .light, audit: "application declared",
                handler: declare),
            Route(
                .delete, "/_apps/{app}", access: .administrator, work: .light, audit: "application forgotten",
                handler: forget),
        ]
    }

    @Sendable private func list(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: JSONValue.array(backend.directory.all.map { .string($0.id) }).line)
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        let application = try backend.application(context.request.parameter("app"))
        try await context.response.sendJSON(body: JSONValue.object(application.jsonWithoutSecrets).line)
    }

    @Sendable private func declare(_ context: RequestContext) async throws {
        let id = context.request.parameter("app")
        let bytes = try await context.request.collectBody(bytesMax: BackendLimits.declarationBytesMax)
        guard var members = try JSONValue(parsing: bytes).objectValue else {
            throw AccountError.invalidApplication("its declaration is not an object")
        }
        guard (members["id"] ?? .string(id)) == .string(id) else {
            throw AccountError.invalidApplication("its id differs from the id in the path")
        }
        members["id"] = .string(id)
        // A client may read a declaration, change it and send it back. Responses do not contain the secrets, so the
        // stored secrets are added to the new declaration.
        if let known = backend.directory.application(id) { known.addSecrets(to: &members) }
        let isNew = backend.directory.application(id) == nil
        try await backend.declare(try Application(.object(members)))
        try await context.response.sendJSON(
            isNew ? .created : .ok, body: (["ok": true, "id": .string(id)] as JSONValue).line)
    }

    @Sendable private func forget(_ context: RequestContext) async throws {
        try await backend.forget(context.request.parameter("app"))
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }
}
