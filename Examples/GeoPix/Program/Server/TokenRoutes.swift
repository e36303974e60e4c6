//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes for tokens, as on the server of the original app. On this server, the tokens belong to its accounts.
struct TokenRoutes {
    let backend: Backend

    private static let application = "geopix"
    private static let bodyBytesMax = 16 << 10

    var routes: [Route] {
        [
            Route(
                .post, "/publicServices/generateToken", access: .login, condition: "name and password", work: .light,
                handler: makeToken),
            Route(
                .get, "/protectedServices/test", access: .anyone, condition: "a user of GeoPix", work: .light,
                handler: test),
            Route(
                .get, "/protected/{path...}", access: .anyone, condition: "a user of GeoPix", work: .light,
                handler: protected),
        ]
    }

    /// Logs a user in and returns an access token.
    @Sendable private func makeToken(_ context: RequestContext) async throws {
        let bytes = try await context.request.collectBody(bytesMax: Self.bodyBytesMax)
        guard let members = (try? JSONValue(parsing: bytes))?.objectValue, let name = members["name"]?.stringValue,
            let password = members["password"]?.stringValue
        else { throw HTTPFailure(.badRequest, "bad_request", "The body needs the members name and password.") }
        let login = try await backend.logIn(
            name, password: password, in: Self.application, device: DeviceDetails(name: "generateToken"),
            from: context.request.peerAddress)
        guard let session = login.session else {
            throw HTTPFailure(.internalServerError, "internal_server_error", "The login has no session.")
        }
        let answer: JSONValue = [
            "token": .string(session.accessToken), "token_type": "Bearer",
            "expires_in": .integer(Int64(session.secondsMax)),
        ]
        try await context.response.sendJSON(headers: [.cacheControl: "no-store"], body: answer.jsonBytes())
    }

    @Sendable private func test(_ context: RequestContext) async throws {
        try checkUser(context)
        try await context.response.send(
            contentType: "text/plain; charset=utf-8",
            body: Array("Successfully access to protected backend endpoint.".utf8))
    }

    /// As in the original, no file exists at this path. A client that is logged in as a user gets status 404. Any other
    /// client gets status 401.
    @Sendable private func protected(_ context: RequestContext) async throws {
        try checkUser(context)
        throw HTTPFailure(.notFound, "not_found", "There is no such file.")
    }

    private func checkUser(_ context: RequestContext) throws {
        guard context.principal.membership?.application == Self.application || context.principal.isAdministrator else {
            var failure = HTTPFailure(.unauthorized, "unauthorized", "Send the token of a user of GeoPix.")
            failure.headers[.wwwAuthenticate] = "Bearer"
            throw failure
        }
    }
}
