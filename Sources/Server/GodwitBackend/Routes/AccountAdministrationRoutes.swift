//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import GodwitStore
import HTTPTypes

/// The routes with which administrators of the server list, export, import and change an application's accounts.
struct AccountAdministrationRoutes {
    let backend: Backend

    var routes: [Route] {
        [
            Route(.get, "/_apps/{app}/users", access: .administrator, handler: list),
            Route(
                .post, "/_apps/{app}/users", access: .administrator, work: .light, audit: "account imported",
                handler: importAccount),
            Route(
                .put, "/_apps/{app}/users/{user}/roles", access: .administrator, work: .light, audit: "roles changed",
                handler: setRoles),
        ]
    }

    /// Lists accounts in the order of their names. The list begins after the name in `after` and has at most `limit`
    /// accounts. With `export=true`, the list contains the complete documents, which ``importAccount(_:)`` accepts.
    @Sendable private func list(_ context: RequestContext) async throws {
        func parameter(_ name: String) -> String? {
            context.request.target.query.first { $0.name.isIdenticalText(to: name) }?.value
        }
        let application = try backend.application(context.request.parameter("app"))
        let limit = parameter("limit").flatMap { Int($0) } ?? BackendLimits.listedAccountsMax
        guard (1...BackendLimits.listedAccountsMax).contains(limit) else {
            throw HTTPFailure(
                .badRequest, "bad_request", "limit must be from 1 to \(BackendLimits.listedAccountsMax).")
        }
        let isExport = parameter("export") == "true"
        let page = try await backend.accounts(application).page(after: parameter("after"), limit: limit)
        let users = page.map { account, members -> JSONValue in
            guard !isExport else { return .object(members.merging(["name": .string(account.name)])) }
            return .object([
                "name": .string(account.name), "database": .string(account.database),
                "created_at": .integer(account.createdMilliseconds), "blocked": .bool(account.isBlocked),
                "roles": .array(account.allRoles(in: application).map { .string($0) }),
                "profile": .object(account.profile.json),
                "providers": .array(account.identities.keys.sorted().map { .string($0) }),
                "has_password": .bool(account.lock != nil),
            ])
        }
        var answer: JSONObject = ["users": .array(users)]
        if page.count == limit, let last = page.last { answer["next"] = .string(last.account.name) }
        try await context.response.sendJSON(headers: [.cacheControl: "no-store"], body: JSONValue.object(answer).line)
    }

    /// Creates an account from an exported document. The user can log in as before. Only the account is imported. The
    /// documents in the user's database must be copied separately.
    @Sendable private func importAccount(_ context: RequestContext) async throws {
        let application = try backend.application(context.request.parameter("app"))
        let bytes = try await context.request.collectBody(bytesMax: BackendLimits.requestBytesMax)
        guard let members = try JSONValue(parsing: bytes).objectValue, let name = members["name"]?.stringValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body must be an exported account with its name.")
        }
        try UserName.check(name, in: application)
        var complete = members
        complete["database"] = .string(UserName.database(of: name, in: application))
        guard let account = UserAccount(name, complete) else {
            throw HTTPFailure(.badRequest, "bad_request", "The body is not an exported account.")
        }
        let registration = try await backend.create(account, in: application)
        let answer: JSONValue = [
            "ok": true, "id": .string(registration.user), "rev": .string(registration.revision.description),
        ]
        try await context.response.sendJSON(.created, body: answer.line)
    }

    @Sendable private func setRoles(_ context: RequestContext) async throws {
        let application = try backend.application(context.request.parameter("app"))
        let bytes = try await context.request.collectBody(bytesMax: BackendLimits.requestBytesMax)
        let roles = try JSONValue(parsing: bytes).arrayValue?.map(\.stringValue)
        guard let roles, roles.allSatisfy({ $0.map(Backend.isRole) ?? false }) else {
            throw HTTPFailure(
                .badRequest, "bad_request",
                "The body must be a list of roles, which do not begin with an underscore and contain no colon.")
        }
        try await backend.change(context.request.parameter("user"), in: application) {
            // Roles that contain a colon are the groups that the user has joined. The user keeps these roles.
            $0.roles = roles.compactMap(\.self) + $0.roles.filter { $0.utf8.contains(UInt8(ascii: ":")) }
        }
        try await context.response.sendJSON(body: (["ok": true] as JSONValue).line)
    }
}

extension Backend {
    /// Whether an administrator may give a user a role of this name.
    fileprivate static func isRole(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.first != UInt8(ascii: "_") && !name.utf8.contains(UInt8(ascii: ":"))
    }
}

extension JSONObject {
    /// Returns the object with the members of another object added.
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var all = self
        for (name, value) in other { all[name] = value }
        return all
    }
}
