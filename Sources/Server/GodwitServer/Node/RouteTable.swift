//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes

/// The route that lists all routes that this server has now, including the routes of modules. Administrators and tests
/// use the list.
struct RouteTable: Sendable {
    private let otherRoutes: [Route]

    init(_ routes: [Route]) { otherRoutes = routes }

    /// The route that shows the list. It is also an entry of the list.
    var route: Route { Route(.get, "/_godwit/routes", access: .administrator, work: .light, handler: show) }

    @Sendable private func show(_ context: RequestContext) async throws {
        let routes = (otherRoutes + [route]).filter { $0.isPresent?() ?? true }.map { route -> JSONValue in
            var members: JSONObject = [
                "method": .string(route.method.rawValue), "path": .string(route.path),
                "work": .string("\(route.work)"), "access": .string(route.access.word),
            ]
            if let rights = route.access.rights { members["rights"] = .array(rights.words.map { .string($0) }) }
            if let condition = route.condition { members["condition"] = .string(condition) }
            return .object(members)
        }
        try await context.response.sendJSON(body: (["routes": .array(routes)] as JSONValue).line)
    }
}

extension RouteAccess {
    /// The name in the list.
    fileprivate var word: String {
        switch self {
        case .anyone: "anyone"
        case .login: "login"
        case .loopback: "loopback"
        case .administrator: "administrator"
        case .database: "database"
        case .document: "document"
        case .upkeep: "upkeep"
        }
    }

    /// The required rights in the database; `nil` when the route concerns no database.
    fileprivate var rights: DatabaseRights? {
        switch self {
        case .anyone, .login, .loopback, .administrator: nil
        case .database(let rights), .document(let rights): rights
        case .upkeep: .administrate
        }
    }
}

extension DatabaseRights {
    /// The names in the list.
    fileprivate var words: [String] {
        let names: [(DatabaseRights, String)] = [
            (.read, "read"), (.write, "write"), (.writeLocal, "write local documents"), (.administrate, "administrate"),
        ]
        return names.filter { contains($0.0) }.map(\.1)
    }
}

extension Route {
    /// The path as declared, for example `/{db}/_all_docs`.
    fileprivate var path: String {
        "/"
            + pattern.map { piece in
                switch piece {
                case .literal(let text): text
                case .parameter(let name): "{\(name)}"
                case .rest(let name): "{\(name)...}"
                }
            }.joined(separator: "/")
    }
}
