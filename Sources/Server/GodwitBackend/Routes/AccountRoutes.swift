//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import GodwitStore
import HTTPTypes

/// The routes of an application's accounts: `/_apps/{app}/users`.
struct AccountRoutes {
    private static let path = "/_apps/{app}/users/{user}"

    let backend: Backend

    /// The condition of the routes of one account.
    static let ownAccountCondition = "the account's own user, or an administrator of the server"

    var routes: [Route] {
        let path = AccountRoutes.path
        return [
            Route(
                .get, path, access: .login, condition: AccountRoutes.ownAccountCondition, work: .light, handler: show),
            Route(
                .put, path, access: .login,
                condition: "an administrator of the server unless the application has open registration", work: .light,
                audit: "account registered", handler: register),
            Route(
                .delete, path, access: .login, condition: AccountRoutes.ownAccountCondition, work: .light,
                audit: "account removed",
                handler: remove),
            Route(
                .put, path + "/password", access: .login, condition: AccountRoutes.ownAccountCondition, work: .light,
                audit: "password changed", handler: setPassword
            ),
            Route(
                .put, path + "/blocked", access: .administrator, work: .light, audit: "account blocked or unblocked",
                handler: setBlocked),
        ]
    }

    @Sendable private func register(_ context: RequestContext) async throws {
        let request = context.request
        let application = try backend.application(request.parameter("app"))
        guard application.registration == .open || context.principal.isAdministrator else {
            throw AccountError.notAllowed("Only administrators of the server may create accounts of this application.")
        }
        let body = try await request.accountBody()
        let email = try body.optionalText("email")
        guard email.map({ MailAddress($0) != nil }) ?? true else { throw AccountError.invalidAddress }
        let registration = try await backend.register(
            request.parameter("user"), password: try body.text("password"), in: application.id,
            from: context.principal.isAdministrator ? nil : request.peerAddress)
        if let email {
            do {
                try await backend.setFirstAddress(
                    email, of: registration.user, in: application, from: request.peerAddress)
            } catch let error as AccountError where error.code == .tooManyRequests {
                // The registration succeeds even if this mail cannot be sent: the account exists and has the address,
                // and the user can request the mail again later.
            }
        }
        let answer: JSONValue = [
            "ok": true, "id": .string(registration.user), "rev": .string(registration.revision.description),
        ]
        try await context.response.sendJSON(.created, body: answer.line)
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        let accounts = backend.accounts(application)
        guard let account = try await accounts.account(named: user) else { throw AccountError.userNotFound }
        let devices = try await accounts.devices(of: user).devices.map { JSONValue.object($0.json) }
        let answer: JSONValue = [
            "name": .string(account.name), "database": .string(account.database),
            "created_at": .integer(account.createdMilliseconds), "blocked": .bool(account.isBlocked),
            "roles": .array(account.allRoles(in: application).map { .string($0) }), "devices": .array(devices),
            "profile": .object(account.profile.json), "has_password": .bool(account.lock != nil),
            "has_second_factor": .bool(try await accounts.secondFactor(of: user).isActive),
            "providers": .object(
                JSONObject(account.identities.sorted { $0.key < $1.key }.map { ($0, $1.json) })),
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    /// Handles the removal of an account. A user must authenticate again, because the removal cannot be undone. This is
    /// not required for an administrator.
    @Sendable private func remove(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        if !context.principal.isAdministrator {
            try await backend.reauthenticate(
                user, try await context.request.accountBody(), in: application, from: context.request.peerAddress)
        }
        try backend.server.exemptCurrentRequest()
        try await backend.remove(user, from: application.id)
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func setPassword(_ context: RequestContext) async throws {
        let (application, user) = try backend.ownAccount(context)
        let body = try await context.request.accountBody()
        let newPassword = try body.text("new_password")
        if context.principal.isAdministrator {
            try await backend.resetPassword(of: user, to: newPassword, in: application.id)
        } else {
            try await backend.changePassword(
                of: user, from: try body.text("password"), to: newPassword, in: application.id,
                address: context.request.peerAddress)
        }
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }

    @Sendable private func setBlocked(_ context: RequestContext) async throws {
        let bytes = try await context.request.collectBody(bytesMax: BackendLimits.requestBytesMax)
        guard let isBlocked = try JSONValue(parsing: bytes).boolValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body must be true or false.")
        }
        try await backend.setBlocked(
            context.request.parameter("user"), to: isBlocked, in: context.request.parameter("app"))
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }
}

extension Backend {
    /// Returns the account in a request's path, if it is the caller's own account or the caller is an administrator of
    /// the server.
    ///
    /// - Throws: ``AccountError``. Its code is ``AccountError/Code/notLoggedIn`` for an anonymous caller. It is
    ///   ``AccountError/Code/userNotFound`` when the path names another account or application, even if that account or
    ///   application exists.
    func ownAccount(_ context: RequestContext) throws(AccountError) -> (application: Application, user: String) {
        let (request, principal) = (context.request, context.principal)
        let user = request.parameter("user")
        guard principal.name != nil else { throw .notLoggedIn("Log in first.") }
        guard let application = directory.application(request.parameter("app")) else { throw .userNotFound }
        let isOwn = principal.membership?.belongs(to: user, of: application.id) ?? false
        guard principal.isAdministrator || isOwn else { throw .userNotFound }
        return (application, user)
    }
}

/// The body of a request that concerns an account.
struct AccountBody {
    private let members: JSONObject

    init(_ bytes: [UInt8]) throws {
        guard let members = try JSONValue(parsing: bytes).objectValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body must be a JSON object.")
        }
        self.members = members
    }

    private init(_ members: JSONObject) { self.members = members }

    func text(_ member: String) throws(HTTPFailure) -> String {
        guard let text = members[member]?.stringValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body needs the member \(member), a string.")
        }
        return text
    }

    func optionalText(_ member: String) throws(HTTPFailure) -> String? {
        members[member] == nil ? nil : try text(member)
    }

    /// Returns an object of the body.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when it is missing or not an object.
    func object(_ member: String) throws(HTTPFailure) -> AccountBody {
        guard let members = members[member]?.objectValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body needs the member \(member), an object.")
        }
        return AccountBody(members)
    }

    /// Returns the members of an object of the body; `nil` when it is missing.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when it is not an object.
    func optionalObject(_ member: String) throws(HTTPFailure) -> JSONObject? {
        members[member] == nil ? nil : try object(member).members
    }

    var isForEverywhere: Bool { members["everywhere"] == true }

    /// Whether a login is for the web console.
    var isForConsole: Bool { members["console"] == true }

    /// Returns the details of the device that logs in. They are in the member `device`, which is a name or an object.
    /// If the member is missing, the details are empty.
    func device() throws(HTTPFailure) -> DeviceDetails {
        switch members["device"] {
        case nil: return DeviceDetails()
        case .string(let name): return DeviceDetails(name: name)
        case .object(let details):
            var texts: [String: String] = [:]
            for (name, value) in details {
                guard ["id", "name", "platform", "model", "system"].contains(name), let text = value.stringValue else {
                    throw HTTPFailure(
                        .badRequest, "bad_request",
                        "The members of device are id, name, platform, model and system, which are strings.")
                }
                texts[name] = text
            }
            return DeviceDetails(
                id: texts["id"], name: texts["name"] ?? "", platform: texts["platform"], model: texts["model"],
                system: texts["system"])
        default: throw HTTPFailure(.badRequest, "bad_request", "device must be a string or an object.")
        }
    }
}

extension ServerRequest {
    /// Reads the body, which must be a small JSON object.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the body is not an object, or 413 when the body is too long.
    @inline(never)
    func accountBody() async throws -> AccountBody {
        try AccountBody(try await collectBody(bytesMax: BackendLimits.requestBytesMax))
    }
}
