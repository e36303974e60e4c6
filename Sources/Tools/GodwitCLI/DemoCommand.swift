//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBackend
import GodwitConsole
import GodwitHost
import GodwitServer
import GodwitStore
import GodwitViews
import LocationTracker

/// The `godwit demo` command: runs a server with two users and their phones.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demo: two users and their phones, one of them offline for half of the way, and a live map.")

    @Option(
        parsing: .unconditional, help: "The port of the server; 0 selects a free one.", transform: ServerRun.port)
    var port = 5984

    @Option(help: "The directory of the demo's data.")
    var data = ".godwit-demo"

    @Option(help: "An MBTiles file. The map draws raster tiles above the world's base map.")
    var tiles: String?

    @Flag(help: "Let the users stay where they are after their journeys. Without it they drive on.")
    var still = false

    func run() async throws {
        let tiles = try ServerRun.tileFile(tiles)
        let directory = "\(data)/server"
        let address = GodwitServer.Address(port: port)
        let portAdvice = "Choose another with --port, for example --port \(otherPort)."
        try ServerRun.checkAddress(address, beforeMaking: directory, portAdvice: portAdvice)
        let manager: DatastoreManager
        do {
            manager = try DatastoreManager(directory: directory, scripts: commandScripts)
        } catch {
            throw CommandFailure(message: error.code == .directoryInUse ? directoryInUseMessage : error.message)
        }
        // The administrator exists only in this process.
        let (name, password) = ("demo", Administrators.randomPassword())
        let backend = Backend(manager: manager, applications: [.locationTracker])
        let serverRun = ServerRun(
            manager: manager, administrators: Administrators(name: name, password: password),
            address: address,
            modules: [backend, TrackerModule(backend: backend), ConsoleModule(for: .thisMachine)], tiles: tiles,
            backups: "\(data)/backups", portAdvice: portAdvice,
            // The demo deliberately sends requests that the server refuses. They are not logged.
            logs: .ofWarnings)
        do {
            try await serverRun.run { port in try await printLogins(port: port, administrator: name, password: password)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private var otherPort: Int { port == 5985 ? 5986 : 5985 }

    private var directoryInUseMessage: String {
        "another demo uses the data in \(data). Stop it, or run a second one with --port \(otherPort) --data DIR."
    }

    private func printLogins(port: Int, administrator: String, password: String) async throws {
        let address = "http://127.0.0.1:\(port)"
        CommandText.printLine("Godwit demo: two users of Location Tracker, and one view of all. Data is in \(data).")
        CommandText.printLine("Server    listening on \(address), with an administrator for this run.")
        let demo = Demo(
            port: port, administrator: administrator, password: password, folder: "\(data)/phones", drivesOn: !still,
            printLine: { CommandText.printLine($0) })
        do {
            try await demo.run {
                CommandText.printLine("Serving until Ctrl-C.")
                try StandardStream.output.check()
            }
        } catch {
            // If the demo was stopped, the cancellation is thrown and not the error that it caused.
            try Task.checkCancellation()
            throw error
        }
    }
}
