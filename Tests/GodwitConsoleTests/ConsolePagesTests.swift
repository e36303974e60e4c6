//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitConsole
import GodwitJSON
import GodwitServer
import HTTPTypes
import ServerTesting
import Testing

/// A module with a page for administrators and one for everyone.
private struct Weather: ServerModule {
    let name = "Weather"
    let routes: [Route] = []
    let consolePages = [
        ConsolePage(id: "rain", title: "Rain", script: "/_weather/rain.js", isForAdministrators: false),
        ConsolePage(id: "stations", title: "Stations", script: "/_weather/stations.js"),
    ]
}

@Suite("Pages of modules in the console")
struct ConsolePagesTests {
    @Test("An administrator sees all pages of modules, a user those for everyone")
    func pages() async throws {
        try await TestServer.run(modules: { _ in [ConsoleModule(for: .everyone), Weather()] }) { server in
            #expect(try await titles("admin", server) == ["Rain", "Stations"])
            try await server.addUser("mia")
            #expect(try await titles("mia", server) == ["Rain"])
        }
    }

    /// Logs a user in, and returns the titles of the pages that the user sees.
    private func titles(_ name: String, _ server: TestServer) async throws -> [String] {
        let login: JSONValue = ["name": .string(name), "password": .string(TestServer.password)]
        let answer = try await server.send(.post, "/_utils/session", as: .anonymous, json: login)
        #expect(answer.status == 200)
        return (answer["pages"]?.arrayValue ?? []).compactMap { $0["title"]?.stringValue }
    }
}
