//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes of the Bluelist adapter of MobileFirst. Each route has two paths: the path of the original adapter, and a
/// shorter path. An app exchanges its token for a session cookie and the name of its user's database. The app then
/// replicates with that database directly.
///
/// The token is an access token of the application, or an ID token of one of its providers.
struct BluelistRoutes {
    private static let paths = ["/bluelist", "/adapters/BlueListProxyAdapter/bluelist"]

    let backend: Backend

    var routes: [Route] {
        BluelistRoutes.paths.flatMap { path in
            [
                Route(.get, path, access: .login, work: .light, handler: show),
                Route(
                    .put, path + "/enroll", access: .login, condition: BluelistRoutes.condition, work: .light,
                    audit: "user enrolled", handler: answering(enroll)),
                Route(
                    .delete, path + "/enroll", access: .login, condition: BluelistRoutes.condition, work: .light,
                    audit: "user unenrolled", handler: answering(disenroll)),
                Route(
                    .post, path + "/sessioncookie", access: .login, condition: BluelistRoutes.condition, work: .light,
                    posts: .any, handler: answering(renew)),
                Route(
                    .delete, path + "/sessioncookie", access: .login, condition: BluelistRoutes.condition, work: .light,
                    handler: answering(endSession)),
            ]
        }.map { $0.present { [directory = backend.directory] in directory.bluelist != nil } }
    }

    private static let condition = "a token of the application, as Authorization: Bearer"

    @Sendable private func show(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: (["bluelist": "ok", "version": 1] as JSONValue).line)
    }

    @Sendable private func enroll(_ context: RequestContext) async throws -> JSONObject {
        let (user, application) = try await user(context)
        let device = context.principal.membership?.session
        let access = try await backend.enroll(user, in: application, on: device)
        var answer = try answer(access, context)
        answer["database"] = .string(access.database)
        return answer
    }

    @Sendable private func renew(_ context: RequestContext) async throws -> JSONObject {
        let (user, application) = try await user(context)
        let device = context.principal.membership?.session
        return try answer(try await backend.bluelistAccess(of: user, in: application, on: device), context)
    }

    @Sendable private func disenroll(_ context: RequestContext) async throws -> JSONObject {
        let (user, application) = try await user(context)
        try backend.server.exemptCurrentRequest()
        try await backend.disenroll(user, in: application)
        return ["ok": true]
    }

    @Sendable private func endSession(_ context: RequestContext) async throws -> JSONObject {
        let (user, application) = try await user(context)
        try backend.server.exemptCurrentRequest()
        try await backend.endCookies(of: user, in: application)
        return ["ok": true]
    }

    /// Returns the response. It contains the members of CouchDB's response to `POST /_session`, and the members that
    /// the adapter adds.
    private func answer(_ access: BluelistAccess, _ context: RequestContext) throws -> JSONObject {
        let request = context.request
        let (host, port) = try BluelistRoutes.address(of: request)
        return [
            "ok": true, "name": .string(access.name), "roles": .array(access.roles.map { .string($0) }),
            "sessionCookie": .string(access.cookieHeader),
            "cloudant_access": [
                "protocol": request.isSecure ? "https" : "http", "host": .string(host), "port": .string(port),
            ],
        ]
    }

    /// Returns the host and the port with which the client reaches this server.
    private static func address(of request: ServerRequest) throws -> (host: String, port: String) {
        let text = try request.host
        let end = text.utf8.lastIndex(of: UInt8(ascii: "]")) ?? text.startIndex
        guard let colon = text.utf8[end...].lastIndex(of: UInt8(ascii: ":")) else {
            return (text, request.isSecure ? "443" : "80")
        }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }

    // MARK: Users and errors

    /// Returns the user of a request's token.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/notLoggedIn`` when the request has no token of the
    ///   application; the errors of a login with a provider.
    private func user(_ context: RequestContext) async throws -> (name: String, application: Application) {
        guard let application = backend.directory.bluelist else { throw AccountError.notLoggedIn("Log in first.") }
        if let member = context.principal.membership {
            guard member.application.isIdenticalText(to: application.id), context.principal.authentication == .jwt
            else {
                throw AccountError.notLoggedIn("Send an access token of the application.")
            }
            return (member.user, application)
        }
        let header = context.request.header(.authorization) ?? ""
        guard header.lowercased().begins(with: "bearer ") else {
            throw AccountError.notLoggedIn("Send a token of the application as Authorization: Bearer.")
        }
        let token = String(header.dropFirst("bearer ".count))
        let account = try await backend.account(
            ofToken: token, in: application, from: context.request.peerAddress)
        if account.isBlocked { throw AccountError.accountBlocked }
        return (account.name, application)
    }

    /// Returns a handler that sends errors in the adapter's format.
    private func answering(
        _ handle: @escaping @Sendable (RequestContext) async throws -> JSONObject
    ) -> Handler {
        { context in
            do {
                let answer = try await handle(context)
                try await context.response.sendJSON(
                    headers: [.cacheControl: "no-store"], body: JSONValue.object(answer).line)
            } catch let error as CancellationError {
                throw error
            } catch {
                let failure = HTTPFailure(error)
                let body: JSONValue = ["status": "error", "message": .string(failure.reason)]
                try await context.response.sendJSON(failure.status, headers: failure.headers, body: body.line)
            }
        }
    }
}
