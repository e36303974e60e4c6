//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Godwit
import GodwitHost
import GodwitQuery
import GodwitServer
import GodwitViews
import LocationTracker

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `godwit demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A journey recorded offline, then synced, with the server and the map to look at.")

    @Option(help: "The port of the server; 0 takes a free one.")
    var port = 5984

    @Option(help: "The directory of the demo's data.")
    var data = ".godwit-demo"

    func run() async throws {
        let server: DatastoreManager
        let phone: DatastoreManager
        do {
            server = try DatastoreManager(directory: "\(data)/server", scripts: commandScripts)
            phone = try DatastoreManager(directory: "\(data)/phone")
        } catch {
            throw CommandFailure(message: error.code == .directoryInUse ? otherDemo : error.message)
        }
        // The administrator lives as long as this process, and nobody is told: the map needs no login.
        let password = Administrators.randomPassword()
        let module = DemoPages(manager: server, locations: Demo.locationsName)
        let run = ServerRun(
            manager: server, administrators: Administrators(name: "demo", password: password),
            address: .init(port: port), modules: [module],
            portAdvice: "Choose another with --port, for example --port \(otherPort).")
        do {
            try await run.run { port in
                try await tell(server: server, phone: phone, port: port, password: password)
            }
        } catch {
            await phone.close()
            throw CommandFailure(error)
        }
        await phone.close()
    }

    private var otherPort: Int { port == 5985 ? 5986 : 5985 }

    private var otherDemo: String {
        "another demo runs on the data in \(data). Stop it, or run one beside it with --port \(otherPort) --data DIR."
    }

    private func tell(server: DatastoreManager, phone: DatastoreManager, port: Int, password: String) async throws {
        let address = "http://127.0.0.1:\(port)"
        CommandText.say("Godwit demo: a journey recorded offline, then synced. Data is in \(data).")
        CommandText.say("Server    listening on \(address), with an administrator made for this run.")
        let progress = ProgressLine()
        let demo = Demo(
            server: server, phone: phone, address: address, credentials: .basic(user: "demo", password: password),
            say: { line in
                progress.end()
                CommandText.say(line)
            },
            showProgress: { progress.show($0) })
        try await demo.run(nowMilliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000))
        CommandText.say("Map       \(address)/tracker")
        CommandText.say("Serving until Ctrl-C.")
        try StandardStream.output.check()
    }
}
