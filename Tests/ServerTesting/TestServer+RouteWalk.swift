//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
package import HTTPTypes

extension TestServer {
    /// A route in the server's list, `GET /_godwit/routes`.
    package struct ListedRoute: Sendable, CustomStringConvertible {
        /// The method.
        package let method: HTTPRequest.Method
        /// The path with its parameters, for example `/{db}/_all_docs`.
        package let path: String
        /// The access of the route, as named in the list.
        package let access: String
        /// The permissions in the database that the route requires.
        package let rights: Set<String>
        /// An additional condition that the handler checks; `nil` without one.
        package let condition: String?

        fileprivate init?(_ value: JSONValue) {
            guard let method = value["method"]?.stringValue.flatMap({ HTTPRequest.Method($0) }),
                let path = value["path"]?.stringValue, let access = value["access"]?.stringValue
            else { return nil }
            (self.method, self.path, self.access) = (method, path, access)
            rights = Set((value["rights"]?.arrayValue ?? []).compactMap(\.stringValue))
            condition = value["condition"]?.stringValue
        }

        package var description: String { "\(method) \(path)" }

        /// Returns whether the list implies that a role is refused.
        package func refuses(_ role: Role) -> Bool {
            switch access {
            case "anyone", "login": false
            case "administrator": role != .administrator
            default: !rights.isSubset(of: role.rights)
            }
        }
    }

    /// The role of a caller for the server and for the database `db` of a walk.
    package enum Role: String, CaseIterable, Sendable {
        case anonymous, stranger, member, databaseAdministrator, administrator

        fileprivate var rights: Set<String> {
            switch self {
            case .anonymous, .stranger: []
            case .member: ["read", "write", "write local documents"]
            case .databaseAdministrator, .administrator: ["read", "write", "write local documents", "administrate"]
            }
        }

        fileprivate var caller: Caller {
            switch self {
            case .anonymous: .anonymous
            case .stranger, .member, .databaseAdministrator: .user(rawValue)
            case .administrator: .administrator
            }
        }
    }

    /// Returns all routes that the server lists.
    package func listedRoutes() async throws -> [ListedRoute] {
        let list = try await send(.get, "/_godwit/routes")["routes"]?.arrayValue ?? []
        return list.compactMap { ListedRoute($0) }
    }

    /// Sends a request to each listed route in each role, and compares the refusals with the list.
    ///
    /// A request is refused when its status is 401 or 403. A route with a condition may refuse more requests than the
    /// list implies.
    ///
    /// - Returns: The differences, one in each line.
    package func walkRoutes() async throws -> [String] {
        for role in [Role.stranger, .member, .databaseAdministrator] { try await addUser(role.rawValue) }
        var differences: [String] = []
        for route in try await listedRoutes() {
            for role in Role.allCases {
                try await prepareDatabase()
                let answer = try await ask(route, as: role)
                let isRefused = answer.status == 401 || answer.status == 403
                guard isRefused != route.refuses(role), !isRefused || route.condition == nil else { continue }
                differences.append("\(route) as \(role): \(answer.status) \(answer.text)")
            }
        }
        return differences
    }

    private func prepareDatabase() async throws {
        try await send(.put, "/db")
        let security: JSONValue = [
            "admins": ["names": [.string(Role.databaseAdministrator.rawValue)]],
            "members": ["names": [.string(Role.member.rawValue)]],
        ]
        try await send(.put, "/db/_security", json: security)
    }

    private func ask(_ route: ListedRoute, as role: Role) async throws -> TestAnswer {
        let names = ["{db}": "db", "{node}": "_local"]
        let pieces = route.path.split(separator: "/").map { piece in
            names[String(piece)] ?? (piece.hasPrefix("{") ? "x" : String(piece))
        }
        let hasBody = [.post, .put, .patch].contains(route.method)
        return try await send(
            route.method, "/" + pieces.joined(separator: "/"), as: role.caller, json: hasBody ? [:] : nil)
    }
}
