//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import DeviceKit
import Foundation
import GodwitHost
import GodwitServer
import ProgramKit

/// The `bluelist demo` command: runs a server and two devices on this machine. It prints what the user can try.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a server and two devices on this machine.")

    @Option(help: "The directory of the demo's data.")
    var data = "bluelist-demo"

    @Option(help: "The port of the server; 0 selects a free one.")
    var port = 5990

    @Option(help: "The port of the first device; the second one has the next port; 0 selects free ones.")
    var devicePort = 5991

    func validate() throws {
        guard (0...65_534).contains(devicePort) else {
            throw ValidationError("--device-port must be between 0 and 65534.")
        }
    }

    /// The secrets of the demo, which are created at its first start.
    private struct Secrets: Codable {
        var administrator = Administrators.randomPassword()
        var encryption = Administrators.randomPassword()
    }

    private var secretsPath: String { "\(data)/demo-secrets.json" }

    func run() async throws {
        let secrets = try DemoSecrets.stored(at: secretsPath) { Secrets() }
        let server = DemoProcess("bluelist serve")
        let devices = [DemoProcess("bluelist device 1"), DemoProcess("bluelist device 2")]
        try await DemoProcess.run([server] + devices) { try await start(server, devices, secrets) }
    }

    private func start(_ server: DemoProcess, _ devices: [DemoProcess], _ secrets: Secrets) async throws {
        let ready = try await server.start(
            ["serve", "--data", "\(data)/cloud", "--port", "\(port)"],
            // Other users of the machine can read arguments, but not the environment.
            environment: ["GODWIT_ADMIN": "admin:\(secrets.administrator)"])
        let address = DemoProcess.address(in: ready)
        let network = Relay(to: URL(string: address)?.port ?? port)
        try await network.open()
        var screens: [String] = []
        for (index, device) in devices.enumerated() {
            let screen = try await device.start(
                [
                    "device", "--home", "\(data)/device\(index + 1)", "--port",
                    "\(devicePort == 0 ? 0 : devicePort + index)", "--server", index == 0 ? await network.url : address,
                ], environment: ["BLUELIST_PASSWORD": secrets.encryption])
            screens.append(DemoProcess.address(in: screen))
        }
        CommandText.printLine(words(address, screens, secrets))
        DemoNetwork.toggleByEnter(network)
    }

    private func words(_ server: String, _ screens: [String], _ secrets: Secrets) -> String {
        """

        First device   \(screens[0])
        Second device  \(screens[1])
                       The addresses have secrets. One browser at a time is a device's screen.
        Console        \(server)/_utils   admin, \(secrets.administrator)

        Try this: create an account on the first device, sign in with it on the second one, and add items on both. Press Enter
        here: the first device has no network. Change the text of an item on one device and its priority on the other; press
        Enter again and refresh both: each has both changes. The lists are encrypted with the password that this demo keeps in
        \(secretsPath); without BLUELIST_PASSWORD the browser asks for one. Ctrl-C ends the demo.
        """
    }
}
