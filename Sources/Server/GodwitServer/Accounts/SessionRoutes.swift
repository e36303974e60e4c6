//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes of `/_session`: login, logout and the session's state.
struct SessionRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(
                .get, "/_session", access: .login, condition: "a login if the request has `basic=true`", work: .light,
                handler: show),
            Route(
                .post, "/_session", access: .login, condition: "name and password", work: .light, posts: .any,
                handler: logIn),
            Route(.delete, "/_session", access: .login, work: .light, handler: logOut),
        ]
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        let principal = context.principal
        if principal.name == nil, context.request.target.flag("basic") {
            throw HTTPFailure.unauthorized("Please login.")
        }
        let handlers = server.settings.options.authenticationMethods.map { JSONValue.string($0.nameInSession) }
        var info: JSONObject = [
            "authentication_handlers": .array(handlers), "authentication_db": .string(UsersDatabase.name),
        ]
        if let method = principal.authentication { info["authenticated"] = .string(method.rawValue) }
        let answer: JSONValue = [
            "ok": true,
            "userCtx": ["name": principal.name.map { .string($0) } ?? .null, "roles": principal.rolesValue],
            "info": .object(info),
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func logIn(_ context: RequestContext) async throws {
        let request = context.request
        let (name, password) = try await SessionRoutes.credentials(request)
        let authenticator = server.gatekeeper.authenticator
        let account: Account
        do {
            account = try await authenticator.logIn(
                name: name, password: password, from: request.peerAddress, beginsSession: true)
        } catch var failure as HTTPFailure {
            failure.headers[.setCookie] = authenticator.endingCookieHeader
            guard failure.status == .unauthorized, let path = try SessionRoutes.redirectPath("fail", request.target)
            else {
                throw failure
            }
            failure.headers[.location] = path
            return try await context.response.sendJSON(.found, headers: failure.headers, body: failure.body)
        }
        var headers: HTTPFields = [.setCookie: authenticator.cookieHeader(for: account)]
        let principal = try account.principal(.cookie)
        let answer: JSONValue = ["ok": true, "name": .string(account.principalName), "roles": principal.rolesValue]
        guard let next = try SessionRoutes.redirectPath("next", request.target) else {
            return try await context.response.sendJSON(headers: headers, body: answer.line)
        }
        headers[.location] = next
        try await context.response.sendJSON(.found, headers: headers, body: answer.line)
    }

    @Sendable private func logOut(_ context: RequestContext) async throws {
        let header = server.gatekeeper.authenticator.endingCookieHeader
        try await context.response.sendJSON(headers: [.setCookie: header], body: okLine)
    }

    /// Reads the name and password from the body, which is a form or a JSON object. If the body contains no password,
    /// the password is empty.
    private static func credentials(_ request: ServerRequest) async throws -> (name: String, password: String) {
        let bytes = try await request.collectBody(bytesMax: ServerLimits.loginBytesMax)
        let type = request.header(.contentType)?.lowercased() ?? ""
        if type.begins(with: "application/x-www-form-urlencoded") || type.isEmpty {
            let form = try RequestTarget(form: bytes)
            return try checked(form.value("name") ?? form.value("username"), form.value("password"))
        }
        guard request.isJSON else { throw HTTPFailure.notJSON }
        let object = try JSONValue(parsing: bytes).objectValue
        let name = object?["name"] ?? object?["username"]
        return try checked(name?.stringValue, object?["password"]?.stringValue)
    }

    private static func checked(
        _ name: String?, _ password: String?
    ) throws(HTTPFailure) -> (name: String, password: String) {
        guard let name else { throw .badRequest("request body must contain a username") }
        return (name, password ?? "")
    }

    /// Returns the path in a query parameter, to which the response redirects the browser; `nil` if the request does
    /// not contain the parameter.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 if the value is not a path of this server. Other values are refused,
    ///   because a link to this server must not lead a user to another site.
    private static func redirectPath(_ name: String, _ target: RequestTarget) throws(HTTPFailure) -> String? {
        guard let path = target.value(name) else { return nil }
        let bytes = Array(path.utf8.prefix(2))
        guard bytes.first == UInt8(ascii: "/"), bytes.last != UInt8(ascii: "/") || bytes.count == 1,
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else {
            throw .badRequest("\(name) must be a path on this server")
        }
        return path
    }
}

extension Principal {
    /// The roles as a JSON list.
    var rolesValue: JSONValue { .array(roles.map { .string($0) }) }
}
