//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost
import GodwitServer

/// The `location-tracker demo` command: runs a server with two users and their phones.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demo: two users and their phones, one of them offline for half of the way, and a live map.")

    @Option(parsing: .unconditional, help: "The port of the server; 0 selects a free one.")
    var port = "5984"

    @Option(help: "The directory of the demo's data.")
    var data = ".godwit-demo"

    @Option(help: "An MBTiles file. The map draws raster tiles above the world's base map.")
    var tiles: String?

    @Flag(help: "Let the users stay where they are after their journeys. Without it they drive on.")
    var still = false

    func run() async throws {
        // The administrator exists only in this process.
        let (name, password) = ("demo", Administrators.randomPassword())
        // The demo deliberately sends requests that the server refuses. They are not logged.
        let options = try ServeOptions.parse(
            [
                "--bind", "127.0.0.1", "--port", port, "--data", "\(data)/server", "--backups", "\(data)/backups",
                "--admin", "\(name):\(password)", "--log-level", "warning",
            ] + (tiles.map { ["--tiles", $0] } ?? []))
        try await options.serve(applications: [.locationTracker]) {
            [TrackerModule(backend: $0)]
        } onListening: { port in
            CommandText.printLine(
                "Godwit demo: two users of Location Tracker, and one view of all. Data is in \(data).")
            let demo = Demo(
                port: port, administrator: name, password: password, folder: "\(data)/phones", drivesOn: !still,
                printLine: { CommandText.printLine($0) })
            do {
                try await demo.run { CommandText.printLine("Serving until Ctrl-C.") }
            } catch {
                // If the demo was stopped, the cancellation is thrown and not the error that it caused.
                try Task.checkCancellation()
                throw error
            }
        }
    }
}
