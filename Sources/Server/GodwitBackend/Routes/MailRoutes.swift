//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes with which clients request mails and use the tokens of mails.
struct MailRoutes {
    private static let path = "/_apps/{app}"

    let backend: Backend

    var routes: [Route] {
        let path = MailRoutes.path
        return [
            Route(
                .post, path + "/mail/reset", access: .login, work: .light, handler: { try await request(.reset, $0) }),
            Route(
                .post, path + "/mail/login", access: .login, work: .light, handler: { try await request(.login, $0) }),
            Route(
                .post, path + "/mail/verification", access: .login, condition: "a user of the application",
                work: .light,
                handler: requestVerification),
            Route(
                .post, path + "/mail/change", access: .login, condition: "a user of the application, with the password",
                work: .light, handler: requestChange),
            Route(
                .post, path + "/confirm", access: .login, condition: "the token of a mail", work: .light,
                audit: "mail token used", handler: confirm),
            Route(.get, path + "/confirm", access: .login, work: .light, handler: showPage),
            Route(.get, path + "/confirm/{file}", access: .login, work: .light, handler: showFile),
        ]
    }

    /// Handles a request for a mail to an address. The response does not depend on whether an account has the address.
    private func request(_ kind: MailKind, _ context: RequestContext) async throws {
        let application = try backend.application(context.request.parameter("app"))
        let body = try await context.request.accountBody()
        try await backend.requestMail(
            kind, to: try body.text("email"), in: application, from: context.request.peerAddress)
        try await context.response.sendJSON(.accepted, body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func requestVerification(_ context: RequestContext) async throws {
        let (application, user) = try member(context)
        let body = try await context.request.accountBody()
        let profile = try await backend.accounts(application).account(named: user)?.profile
        let address = context.request.peerAddress
        if let email = try body.optionalText("email"), profile?.email == nil {
            try await backend.reauthenticate(user, body, in: application, from: address)
            try await backend.setFirstAddress(email, of: user, in: application, from: address)
        } else {
            guard let email = profile?.email else {
                throw HTTPFailure(.badRequest, "bad_request", "The account has no address: send the member email.")
            }
            try await backend.requestConfirmation(
                .verification, of: email, for: user, in: application, from: address)
        }
        try await context.response.sendJSON(.accepted, body: (["ok": true] as JSONValue).line)
    }

    /// Handles a request to change the address. The user must authenticate again. Otherwise, the thief of a session
    /// could take over the account.
    @Sendable private func requestChange(_ context: RequestContext) async throws {
        let (application, user) = try member(context)
        let body = try await context.request.accountBody()
        let email = try body.text("email")
        let address = context.request.peerAddress
        try await backend.reauthenticate(user, body, in: application, from: address)
        try await backend.requestConfirmation(.change, of: email, for: user, in: application, from: address)
        try await context.response.sendJSON(.accepted, body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func confirm(_ context: RequestContext) async throws {
        let application = try backend.application(context.request.parameter("app"))
        let body = try await context.request.accountBody()
        try await backend.confirm(
            try body.text("token"), newPassword: try body.optionalText("new_password"), in: application,
            from: context.request.peerAddress)
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    /// Returns the user of the application that makes a request.
    private func member(_ context: RequestContext) throws -> (application: Application, user: String) {
        let application = try backend.application(context.request.parameter("app"))
        guard let member = context.principal.membership, member.application.isIdenticalText(to: application.id) else {
            throw AccountError.notLoggedIn("Log in first.")
        }
        return (application, member.user)
    }

    // MARK: The page

    @Sendable private func showPage(_ context: RequestContext) async throws {
        _ = try backend.application(context.request.parameter("app"))
        try await ConfirmPage.html.send(context.response)
    }

    @Sendable private func showFile(_ context: RequestContext) async throws {
        guard let file = ConfirmPage.files[context.request.parameter("file")] else {
            throw HTTPFailure(.notFound, "not_found", "missing")
        }
        try await file.send(context.response)
    }
}
