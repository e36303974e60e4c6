//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes of logins with identity providers.
struct ProviderRoutes {
    private static let loginPath = "/_apps/{app}/login/{provider}"

    let backend: Backend

    var routes: [Route] {
        let path = ProviderRoutes.loginPath
        let own = "/_apps/{app}/users/{user}/providers/{provider}"
        return [
            Route(.get, "/_apps/{app}/providers", access: .login, work: .light, handler: list),
            Route(.get, path, access: .login, work: .light, handler: begin),
            Route(
                .get, path + "/callback", access: .login, condition: "the state of a login in this browser",
                work: .light, handler: finish),
            // Apple returns the browser with a POST of a form, so the callback is also a POST.
            Route(
                .post, path + "/callback", access: .login, condition: "the state of a login in this browser",
                work: .light, posts: .any, handler: finish),
            Route(
                .put, own, access: .login, condition: "the account's own user, with a proof of the provider",
                work: .light, audit: "provider linked", handler: link),
            Route(
                .delete, own, access: .login, condition: AccountRoutes.ownAccountCondition, work: .light,
                audit: "provider unlinked", handler: unlink),
        ]
    }

    @Sendable private func list(_ context: RequestContext) async throws {
        let application = try backend.application(context.request.parameter("app"))
        let providers = application.providers.sorted { $0.key < $1.key }.map { name, provider -> JSONValue in
            [
                "name": .string(name), "kind": .string(provider.settings.kind.rawValue),
                "display_name": .string(provider.settings.displayName),
                "client_id": .string(provider.settings.clientID),
                "login": .string("/_apps/\(application.id)/login/\(name)"),
            ]
        }
        try await context.response.sendJSON(
            body: (["providers": .array(providers), "password": true] as JSONValue).line)
    }

    // MARK: In the browser

    /// Handles the first step of a login in the browser: sends the browser to the provider.
    @Sendable private func begin(_ context: RequestContext) async throws {
        let request = context.request
        let application = try backend.application(request.parameter("app"))
        let provider = request.parameter("provider")
        let client = try backend.providers.client(provider, of: application)
        try backend.countLoginPage(in: application, from: request.peerAddress)
        let appRedirect = try LoginQuery(request.target, of: application)
        let (cookie, verifier) = (LoginQuery.random(), LoginQuery.random())
        let path = "/_apps/\(application.id)/login/\(provider)/callback"
        let base = try application.url ?? "\(request.isSecure ? "https" : "http")://\(request.host)"
        let flow = LoginFlow(
            id: LoginQuery.random(), application: application.id, provider: provider,
            redirectURI: appRedirect.redirectURI, appState: appRedirect.state, challenge: appRedirect.challenge,
            callbackURI: base + path, verifier: verifier, nonce: LoginQuery.random(),
            cookieDigest: LoginFlow.digest(cookie), expires: WallClock.seconds + BackendLimits.loginFlowSeconds)
        let state = try backend.loginFlows.state(of: flow)
        let location: String
        do {
            location = try await backend.waitingLogins.run(
                from: request.peerAddress, for: "\(application.id)/\(provider)"
            ) {
                try await client.authorizationURL(for: flow.request(state: state))
            }
        } catch let error as IdentityError {
            throw AccountError(error)
        }
        let isForm = application.providers[provider]?.settings.kind == .apple
        let headers: HTTPFields = [
            .location: location, .cacheControl: "no-store", .referrerPolicy: "no-referrer",
            .setCookie: LoginCookie.header(
                cookie, path: path, isSecure: base.begins(with: "https:"), crossesSites: isForm),
        ]
        try await context.response.sendEmpty(.found, headers: headers)
    }

    /// Handles the return of the browser from the provider: exchanges the code, and sends the browser to the app.
    @Sendable private func finish(_ context: RequestContext) async throws {
        let request = context.request
        let answer = try await CallbackParameters(request)
        let application = try backend.application(request.parameter("app"))
        try backend.countLoginPage(in: application, from: request.peerAddress)
        guard let flow = answer.state.flatMap({ backend.loginFlows.flow(ofState: $0) }),
            flow.application.isIdenticalText(to: application.id),
            flow.provider.isIdenticalText(to: request.parameter("provider")),
            let cookie = request.cookie(LoginCookie.name), LoginFlow.digest(cookie) == flow.cookieDigest,
            // The state is only marked as used if the callback contains a code, because only such a callback gives
            // access.
            answer.code == nil || backend.loginFlows.use(flow)
        else {
            throw AccountError(
                .loginRefused, "This login was begun in another browser, is finished, or took too long. Log in again.")
        }
        var items: [(name: String, value: String)]
        do {
            items = [("code", try await loginCode(answer, flow, in: application, from: request.peerAddress))]
        } catch let error as AccountError {
            items = [("error", error.httpFailure.error), ("error_description", error.message)]
        }
        if let state = flow.appState { items.append(("state", state)) }
        let headers: HTTPFields = [
            .location: LoginQuery.url(flow.redirectURI, items), .cacheControl: "no-store",
            .referrerPolicy: "no-referrer",
            .setCookie: LoginCookie.ending(
                path: "/_apps/\(application.id)/login/\(flow.provider)/callback"),
        ]
        try await context.response.sendEmpty(.found, headers: headers)
    }

    /// Returns the code with which the app finishes a login.
    private func loginCode(
        _ answer: CallbackParameters, _ flow: LoginFlow, in application: Application, from address: String
    ) async throws -> String {
        guard let code = answer.code else {
            throw AccountError(.loginRefused, "The login was cancelled at the provider.")
        }
        var identity = try await backend.confirm(
            .code(
                AuthorizationCode(
                    code, redirectURI: flow.callbackURI, verifier: flow.verifier, nonce: flow.nonce)),
            by: flow.provider, in: application, from: address)
        identity.name = identity.name ?? answer.appleName
        guard let own = backend.loginFlows.code(for: identity, of: flow) else {
            throw AccountError(.tooManyRequests, "Too many logins are not finished. Try again.", retrySeconds: 60)
        }
        return own
    }

    // MARK: Links

    @Sendable private func link(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        let provider = context.request.parameter("provider")
        let body = try await context.request.accountBody()
        let address = context.request.peerAddress
        if !context.principal.isAdministrator {
            try await backend.reauthenticate(
                user, try body.object("authentication"), in: application, from: address)
        }
        let identity = try await backend.identity(in: body, of: provider, application, from: address)
        try await backend.link(identity, of: provider, to: user, in: application)
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func unlink(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        if !context.principal.isAdministrator {
            try await backend.reauthenticate(
                user, try await context.request.accountBody(), in: application, from: context.request.peerAddress)
        }
        try await backend.unlink(context.request.parameter("provider"), from: user, in: application)
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }
}

extension Backend {
    /// Returns the identity that the body of a login proves. The proof is a code of ``LoginFlows``, or a code or token
    /// that the app got from the provider.
    ///
    /// - Throws: The errors of ``Backend/confirm(_:by:in:from:)``; ``HTTPFailure`` with status 400 when the body has no
    ///   proof, or with status 401 and a challenge when a realm asks for an answer.
    func identity(
        in body: AccountBody, of provider: String, _ application: Application, from address: String
    ) async throws -> Identity {
        guard let settings = application.providers[provider]?.settings else {
            throw AccountError(.providerNotFound, "This application has no provider of this name.")
        }
        if settings.kind == .custom {
            return try await identity(
                answering: try body.optionalObject("answer"), state: try body.optionalText("state"), at: provider,
                in: application, from: address)
        }
        if let code = try body.optionalText("code"), code.begins(with: LoginFlows.codePrefix) {
            let identity = loginFlows.identity(
                ofCode: code, verifier: try body.text("code_verifier"), application: application.id,
                provider: provider)
            guard let identity else {
                throw AccountError(.loginRefused, "This code is wrong, expired or was used before. Log in again.")
            }
            return identity
        }
        return try await confirm(try body.proof(), by: provider, in: application, from: address)
    }
}

extension AccountBody {
    /// Returns the proof of a login with a provider.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the body contains no proof, more than one proof, or a proof that
    ///   is too long.
    fileprivate func proof() throws(HTTPFailure) -> LoginProof {
        let texts = [try optionalText("id_token"), try optionalText("access_token"), try optionalText("code")]
        let given = texts.compactMap(\.self)
        guard given.count == 1, given[0].utf8.count <= IdentityLimits.tokenBytesMax else {
            throw HTTPFailure(
                .badRequest, "bad_request",
                "A login with a provider needs one of id_token, access_token and code, of at most "
                    + "\(IdentityLimits.tokenBytesMax) bytes.")
        }
        if let token = texts[0] { return .idToken(token, nonce: try optionalText("nonce")) }
        if let token = texts[1] { return .accessToken(token) }
        return .code(
            AuthorizationCode(
                given[0], redirectURI: try text("redirect_uri"), verifier: try optionalText("code_verifier"),
                nonce: try optionalText("nonce")))
    }
}
