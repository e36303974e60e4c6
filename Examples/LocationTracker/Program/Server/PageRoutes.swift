//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitJSON
import GodwitServer
import HTTPTypes
import ProgramKit

/// The routes of the map: the page at `/tracker`, the login of this page, and the files that the page loads. The page
/// reads its data with CouchDB's API.
struct PageRoutes {
    private static let pageName = "index.html"

    let backend: Backend

    var routes: [Route] {
        [
            Route(.get, "/tracker", access: .anyone, handler: page),
            Route(
                .post, "/tracker/login", access: .login, condition: "name and password", work: .light, handler: logIn),
            Route(.get, "/tracker/{file}", access: .anyone, handler: file),
            Route(.get, "/tracker/leaflet/{file...}", access: .anyone, handler: leaflet),
        ]
    }

    /// Logs in a user of the application. If this login fails, tries to log in a user of the server with the same name
    /// and password. The roles of the user determine what the page shows.
    @Sendable private func logIn(_ context: RequestContext) async throws {
        let body = try await context.request.members()
        let login = try await backend.logInOnPage(
            try body.text("name"), password: try body.text("password"), in: TrackerRoutes.application,
            from: context.request.peerAddress)
        var answer: JSONObject = ["ok": true, "name": .string(login.name)]
        if let database = login.database {
            answer["database"] = .string(database)
        } else {
            answer["roles"] = .array(login.roles.map { .string($0) })
        }
        try await context.response.sendJSON(
            headers: [.setCookie: login.cookieHeader, .cacheControl: "no-store"],
            body: JSONValue.object(answer).jsonBytes())
    }

    @Sendable private func page(_ context: RequestContext) async throws {
        let (file, policy) = (try Self.file(Self.pageName), PagePolicy(images: ["data:"]))
        try await context.response.send(
            contentType: file.contentType, headers: policy.headers, body: policy.adding(to: file.bytes))
    }

    @Sendable private func file(_ context: RequestContext) async throws {
        let name = context.request.parameter("file")
        // The page needs its policy.
        let file = try Self.file(name == Self.pageName ? "" : name)
        try await context.response.send(
            contentType: file.contentType, headers: PagePolicy.fileHeaders, body: file.bytes)
    }

    private static func file(_ name: String) throws(HTTPFailure) -> EmbeddedFiles.File {
        guard let file = EmbeddedFiles.locationTracker.file(name, in: "web") else {
            throw HTTPFailure(.notFound, "not_found", "The map has no such file.")
        }
        return file
    }

    @Sendable private func leaflet(_ context: RequestContext) async throws {
        try await LibraryFile(context.request.parameter("file"), of: .leaflet).send(to: context.response)
    }
}
