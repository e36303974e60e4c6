//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes of a user's second factor: `/_apps/{app}/users/{user}/second_factor`.
struct SecondFactorRoutes {
    let backend: Backend

    var routes: [Route] {
        let path = "/_apps/{app}/users/{user}/second_factor"
        let own = AccountRoutes.ownAccountCondition
        return [
            Route(
                .post, path, access: .login, condition: own + "; a user proves the password", work: .light,
                handler: begin),
            Route(
                .put, path, access: .login, condition: own, work: .light, audit: "second factor activated",
                handler: activate),
            Route(
                .delete, path, access: .login, condition: own + "; a user proves the second factor", work: .light,
                audit: "second factor removed", handler: remove),
        ]
    }

    /// Creates a secret. The user authenticates again (``Backend/reauthenticate(_:_:in:from:)``), because otherwise the
    /// thief of a session could lock the user out of the account.
    @Sendable private func begin(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        if !context.principal.isAdministrator {
            try await backend.reauthenticate(
                user, try await context.request.accountBody(), in: application, from: context.request.peerAddress)
        }
        guard let secret = try await backend.accounts(application).changeSecondFactor(of: user, { $0.begin() }) else {
            throw AccountError(.secondFactorExists, "The account has a second factor. Remove it first.")
        }
        let answer: JSONValue = [
            "secret": .string(Base32.encode(secret)),
            "address": .string(SecondFactor.address(secret, of: user, in: application)),
        ]
        try await context.response.sendJSON(headers: [.cacheControl: "no-store"], body: answer.line)
    }

    @Sendable private func activate(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        let code = try await context.request.accountBody().text("code")
        let name = "\(application.principalName(of: user)):code"
        let codes = try await backend.provingCode(
            name, by: Backend.secondFactorMethod, from: context.request.peerAddress
        ) {
            let now = WallClock.seconds
            return try await backend.accounts(application).changeSecondFactor(of: user) { $0.activate(code, now: now) }
        }
        let answer: JSONValue = ["ok": true, "recovery_codes": .array(codes.map { .string($0) })]
        try await context.response.sendJSON(headers: [.cacheControl: "no-store"], body: answer.line)
    }

    @Sendable private func remove(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        if !context.principal.isAdministrator {
            let body = try await context.request.accountBody()
            // `reauthenticate` does not check the second factor if the user proved an identity of a provider. Only in
            // this case, the second factor is checked here. A second check would always fail, because a code is valid
            // only once.
            if try await !backend.reauthenticate(user, body, in: application, from: context.request.peerAddress) {
                try await backend.checkSecondFactor(
                    try body.text("second_factor"), of: user, in: application, from: context.request.peerAddress)
            }
        }
        try await backend.accounts(application).changeSecondFactor(of: user) { $0 = SecondFactor(nil) }
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }
}
