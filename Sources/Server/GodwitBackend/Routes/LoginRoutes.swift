//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes of logins and of sessions on devices: `/_apps/{app}/login`, `refresh` and `logout`.
struct LoginRoutes {
    let backend: Backend

    var routes: [Route] {
        [
            Route(
                .post, "/_apps/{app}/login", access: .login, condition: "name and password, or a proof of a provider",
                work: .light,
                handler: logIn),
            Route(
                .post, "/_apps/{app}/refresh", access: .login, condition: "a refresh token", work: .light,
                handler: refresh),
            Route(.post, "/_apps/{app}/logout", access: .login, condition: "a login", work: .light, handler: logOut),
        ]
    }

    @Sendable private func logIn(_ context: RequestContext) async throws {
        let request = context.request
        let body = try await request.accountBody()
        let login = try await login(body, request)
        var answer: JSONObject = [
            "ok": true, "name": .string(login.user), "database": .string(login.database),
            "api_key": .string(login.key), "api_password": .string(login.keyPassword),
        ]
        login.session?.write(to: &answer)
        try await context.response.sendJSON(
            headers: [.setCookie: login.cookieHeader, .cacheControl: "no-store"], body: JSONValue.object(answer).line)
    }

    /// Logs a user in by the name and password in the body, or with a provider if the body names one.
    private func login(_ body: AccountBody, _ request: ServerRequest) async throws -> Login {
        let address = request.peerAddress
        let application = try backend.application(request.parameter("app"))
        guard let provider = try body.optionalText("provider") else {
            if let code = try body.optionalText("login_code") {
                return try await backend.logIn(
                    withCode: code, of: try body.text("email"), in: application, device: try body.device(),
                    version: try body.version(request), secondFactor: try body.optionalText("second_factor"),
                    from: address)
            }
            var (name, counted) = (try body.optionalText("name"), String?.none)
            if name == nil, let email = try body.optionalText("email") {
                counted = Backend.loginName(ofEmail: email)
                name = try await backend.owner(of: email, in: application)?.name ?? counted
            }
            return try await backend.logIn(
                try name ?? body.text("name"), password: try body.text("password"), in: application.id,
                device: try body.device(), version: try body.version(request),
                secondFactor: try body.optionalText("second_factor"), countedAs: counted, from: address)
        }
        let identity = try await backend.identity(in: body, of: provider, application, from: address)
        return try await backend.logIn(
            identity, of: provider, in: application, device: try body.device(), version: try body.version(request),
            from: address)
    }

    @Sendable private func refresh(_ context: RequestContext) async throws {
        let body = try await context.request.accountBody()
        let session = try await backend.refresh(
            try body.text("refresh_token"), in: context.request.parameter("app"),
            version: try body.version(context.request))
        var answer: JSONObject = ["ok": true]
        session.write(to: &answer)
        try await context.response.sendJSON(headers: [.cacheControl: "no-store"], body: JSONValue.object(answer).line)
    }

    /// Handles a logout. If the body requests a logout everywhere, the caller is logged out on all devices. Otherwise,
    /// the body contains a refresh token, and the device of this token is logged out.
    @Sendable private func logOut(_ context: RequestContext) async throws {
        let body = try await context.request.accountBody()
        let application = context.request.parameter("app")
        try backend.server.exemptCurrentRequest()
        if body.isForEverywhere {
            guard let member = context.principal.membership, member.application.isIdenticalText(to: application) else {
                throw AccountError.notLoggedIn("Log in first.")
            }
            try await backend.logOutEverywhere(member.user, in: application)
        } else {
            try await backend.logOut(try body.text("refresh_token"), in: application)
        }
        let ending = try backend.server.authenticator.endingCookieHeader
        try await context.response.sendJSON(headers: [.setCookie: ending], body: (["ok": true] as JSONValue).line)
    }
}

extension AccountBody {
    /// Returns the app's version in the body. If the body contains no version, returns the version in the header of the
    /// request; `nil` when both are missing.
    fileprivate func version(_ request: ServerRequest) throws(HTTPFailure) -> String? {
        let version = try optionalText("version") ?? request.header(.appVersion)
        guard version?.utf8.count ?? 0 <= BackendLimits.versionBytesMax else {
            throw HTTPFailure(
                .badRequest, "bad_request", "A version may have at most \(BackendLimits.versionBytesMax) bytes.")
        }
        return version
    }
}

extension MemberSession {
    fileprivate func write(to answer: inout JSONObject) {
        answer["device"] = .string(device)
        answer["access_token"] = .string(accessToken)
        answer["token_type"] = "Bearer"
        answer["expires_in"] = .integer(Int64(secondsMax))
        answer["refresh_token"] = .string(refreshToken)
        if let warning { answer["warning"] = .object(warning.json) }
    }
}
