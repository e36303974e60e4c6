//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTesting
import TestScale
import Testing

@Suite("Who may use which route", .endsWhenHung)
struct RouteAccessTests {
    @Test("Each route refuses each role exactly when the list of routes says so")
    func walk() async throws {
        try await TestServer.run { server in
            let routes = try await server.listedRoutes()
            #expect(routes.count > 120)
            let differences = try await server.walkRoutes()
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        }
    }
}
