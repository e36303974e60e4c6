//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import ServerTesting
import Testing

@Suite("Access to the routes of applications")
struct RouteAccessTests {
    @Test("Each route of a server with applications refuses exactly the roles that the list of routes does not allow")
    func walk() async throws {
        var bluelist = Application(id: "bluelist")
        bluelist.hasBluelist = true
        try await TestServer.run(modules: { [bluelist] in [Backend(manager: $0, applications: [bluelist])] }) {
            server in
            let routes = try await server.listedRoutes()
            #expect(routes.contains { $0.path == "/_apps/{app}/users/{user}/blocked" && $0.access == "administrator" })
            let differences = try await server.walkRoutes()
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        }
    }
}
