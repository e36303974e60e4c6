//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import HTTPTypes

/// Lists the routes of this server, its modules' included, for administrators and for tests that must know them all.
struct RouteTable: Sendable {
    private let listed: [Route]

    init(_ routes: [Route]) { listed = routes }

    /// The route of the list, which is in the list too.
    var route: Route { Route(.get, "/_godwit/routes", work: .light, handler: show) }

    @Sendable private func show(_: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let routes = (listed + [route]).map { route -> JSONValue in
            [
                "method": .string(route.method.rawValue), "path": .string(route.path),
                "work": .string("\(route.work)"), "access": .string(route.access.word),
            ]
        }
        try await response.sendJSON(body: (["routes": .array(routes)] as JSONValue).line)
    }
}

extension Access {
    /// What the table calls it.
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
}

extension Route {
    /// The path as it was declared, for example `/{db}/_all_docs`.
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
