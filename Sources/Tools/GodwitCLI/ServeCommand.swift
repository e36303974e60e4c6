//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost

/// The `godwit serve` command: runs a server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve databases over CouchDB's HTTP API.", discussion: ServeOptions.discussion)

    @OptionGroup var options: ServeOptions

    func run() async throws { try await options.serve() }
}
