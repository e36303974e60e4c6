//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitJSON
import GodwitServer
import GodwitStore
import HTTPTypes

/// The routes of the API for the app: registration, login, places.
struct TrackerRoutes {
    let backend: Backend

    static let application = Application.locationTracker.id
    static let analystRole = Application.locationTracker.analystRole
    static let consolidated = Application.locationTracker.consolidated?.name ?? ""

    var routes: [Route] {
        [
            Route(.put, "/api/users/{id}", access: .login, audit: "account registered", handler: register),
            Route(.post, "/api/login", access: .login, posts: .any, handler: logIn),
            .rewriting(.get, "/api/places", access: .login, handler: places),
        ]
    }

    /// Registers the user whose name is in the path. A name in the body is ignored.
    @Sendable private func register(_ context: RequestContext) async throws {
        let request = context.request
        let password = try await request.members().text("password")
        do {
            let account = try await backend.register(
                request.parameter("id"), password: password, in: TrackerRoutes.application, from: request.peerAddress)
            let answer: JSONValue = [
                "ok": true, "id": .string(account.user), "rev": .string(account.revision.description),
            ]
            try await context.response.sendJSON(.created, body: answer.jsonBytes())
        } catch let error as AccountError where error.code == .userExists {
            throw HTTPFailure(.conflict, "User already exists", "Choose another name.")
        }
    }

    @Sendable private func logIn(_ context: RequestContext) async throws {
        let request = context.request
        let members = try await request.members()
        let login = try await backend.logIn(
            try members.text("username"), password: try members.text("password"),
            in: TrackerRoutes.application, version: request.header(.appVersion), from: request.peerAddress)
        let answer: JSONValue = [
            "ok": true, "api_key": .string(login.key), "api_password": .string(login.keyPassword),
            "location_db_name": .string(login.database), "location_db_host": .string(try request.host),
            "location_db_host_protocol": .string(request.isSecure ? "https" : "http"),
        ]
        try await context.response.sendJSON(headers: [.cacheControl: "no-store"], body: answer.jsonBytes())
    }

    /// Queries the geospatial index of places with the parameters of the request.
    @Sendable private func places(_ context: RequestContext) async throws -> Answer {
        let request = context.request
        let query = request.head.path?.firstIndex(of: "?").map { request.head.path![$0...] } ?? ""
        return .rewritten(
            try RewrittenRequest(request, to: "/\(Places.databaseName)/_design/points/_geo/pointidx\(query)"))
    }
}
