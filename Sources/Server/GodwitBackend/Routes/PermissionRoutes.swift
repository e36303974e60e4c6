//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import HTTPTypes

/// The routes by which a user joins and leaves groups of shared databases. A user can join only groups that the
/// application's declaration lists.
struct PermissionRoutes {
    let backend: Backend

    var routes: [Route] {
        let path = "/_apps/{app}/users/{user}/permissions/{database}/{group}"
        let own = AccountRoutes.ownAccountCondition
        return [
            Route(
                .put, path, access: .login, condition: own, work: .light, audit: "group joined",
                handler: { try await change($0, joins: true) }),
            Route(
                .delete, path, access: .login, condition: own, work: .light, audit: "group left",
                handler: { try await change($0, joins: false) }),
        ]
    }

    private func change(_ context: RequestContext, joins: Bool) async throws {
        let (application, user) = try backend.ownAccount(context)
        let (database, group) = (context.request.parameter("database"), context.request.parameter("group"))
        let groups = application.shared[database]?.groupRights ?? [:]
        guard let rights = groups.first(where: { $0.key.isIdenticalText(to: group) })?.value else {
            throw AccountError.notAllowed("The application declares no such group of a shared database.")
        }
        let role = Application.role(ofGroup: group, in: database)
        try backend.server.exemptCurrentRequest()
        try await backend.change(user, in: application) { account in
            account.roles.removeAll { $0.isIdenticalText(to: role) }
            if joins { account.roles.append(role) }
        }
        let answer: JSONValue = ["ok": true, "rights": .array(joins ? rights.map { .string($0) } : [])]
        try await context.response.sendJSON(body: answer.line)
    }
}
