//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes of users' devices, and of the keys that verify access tokens.
struct DeviceRoutes {
    private static let path = "/_apps/{app}/users/{user}/devices"

    let backend: Backend

    var routes: [Route] {
        let (path, condition) = (DeviceRoutes.path, AccountRoutes.ownAccountCondition)
        return [
            Route(.get, path, access: .login, condition: condition, work: .light, handler: list),
            Route(
                .delete, path + "/{device}", access: .login, condition: condition, work: .light,
                audit: "device logged out", handler: logOut),
            Route(
                .put, path + "/{device}/state", access: .login,
                condition: condition + "; users report devices lost or found, administrators also block them",
                work: .light, audit: "device state changed", handler: setState),
            Route(
                .post, "/_apps/{app}/wiped", access: .login, condition: "the refresh token of a lost device",
                work: .light, audit: "device wiped", handler: reportWiped),
            Route(.get, "/_apps/{app}/jwks", access: .login, work: .light, handler: showKeys),
        ]
    }

    @Sendable private func list(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        guard try await backend.accounts(application).account(named: user) != nil else {
            throw AccountError.userNotFound
        }
        let devices = try await backend.accounts(application).devices(of: user).devices
        let answer: JSONValue = ["devices": .array(devices.map { .object($0.json) })]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func logOut(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        try backend.server.exemptCurrentRequest()
        try await backend.logOut(device: context.request.parameter("device"), of: user, in: application.id)
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func setState(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        let (address, isUser) = (context.request.peerAddress, !context.principal.isAdministrator)
        let body = try await context.request.accountBody()
        guard let state = Device.State(rawValue: try body.text("state")), state != .wiped else {
            throw HTTPFailure(.badRequest, "bad_request", "state must be \"active\", \"blocked\" or \"lost\".")
        }
        // A user must authenticate again, because this change can destroy data: a device that is reported lost deletes
        // its data, and some of the data may not be replicated yet.
        if isUser { try await backend.reauthenticate(user, body, in: application, from: address) }
        let device = context.request.parameter("device")
        try backend.server.exemptCurrentRequest()
        try await backend.setState(ofDevice: device, of: user, to: state, byUser: isUser, in: application.id)
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func reportWiped(_ context: RequestContext) async throws {
        let body = try await context.request.accountBody()
        try await backend.reportWiped(
            try body.text("refresh_token"), in: context.request.parameter("app"))
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func showKeys(_ context: RequestContext) async throws {
        let application = try backend.application(context.request.parameter("app"))
        let keys = try await backend.tokens.publicKeys(of: application.id)
        try await context.response.sendJSON(headers: [.cacheControl: "public, max-age=300"], body: keys.line)
    }
}
