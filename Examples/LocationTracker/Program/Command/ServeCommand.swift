//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBackend
import GodwitHost

/// The `location-tracker serve` command: runs the server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the Location Tracker: a Godwit server with this application in it.",
        discussion: ServeOptions.discussion)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        try await options.serve(applications: [.locationTracker]) { [TrackerModule(backend: $0)] }
    }
}
