//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import BluelistCore
import GodwitBackend
import GodwitHost
import GodwitJSON

/// The `bluelist serve` command: runs the server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve Bluelist: a Godwit server with the Bluelist adapter.",
        discussion: ServeOptions.discussion)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let declaration: JSONValue = ["id": .string(await BluelistModel.application), "bluelist": [:]]
        try await options.serve(applications: [try Application(declaration)]) { _ in [] }
    }
}
