//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTesting
import TestKit
import Testing

@Suite("Access to the routes", .endsWhenHung)
struct RouteAccessTests {
    @Test("Each route refuses exactly the roles that the list of routes does not allow")
    func walk() async throws {
        try await TestServer.run { server in
            let routes = try await server.listedRoutes()
            #expect(routes.count > 120)
            let differences = try await server.walkRoutes()
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        }
    }
}
