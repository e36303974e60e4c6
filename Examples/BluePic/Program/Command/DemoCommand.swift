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

/// The `bluepic demo` command: runs a server with the stock photos, and one device, both on this machine. It prints
/// what the user can try.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a server with three photos and a device on this machine.")

    @Option(help: "The directory of the demo's data.")
    var data = "bluepic-demo"

    @Option(help: "The port of the server; 0 selects a free one.")
    var port = 5987

    @Option(help: "The port of the device; 0 selects a free one.")
    var devicePort = 5988

    /// The secrets of the demo, which are created at its first start.
    private struct Secrets: Codable {
        var administrator = Administrators.randomPassword()
        var deviceKey = DemoSecrets.deviceKey()
    }

    private var secretsPath: String { "\(data)/demo-secrets.json" }

    func run() async throws {
        let secrets = try DemoSecrets.stored(at: secretsPath) { Secrets() }
        let (server, device) = (DemoProcess("bluepic serve"), DemoProcess("bluepic device"))
        try await DemoProcess.run([server, device]) { try await start(server, device, secrets) }
    }

    private func start(_ server: DemoProcess, _ device: DemoProcess, _ secrets: Secrets) async throws {
        let ready = try await server.start(
            ["serve", "--data", "\(data)/cloud", "--port", "\(port)"],
            // Other users of the machine can read arguments, but not the environment.
            environment: ["GODWIT_ADMIN": "admin:\(secrets.administrator)"])
        let address = DemoProcess.address(in: ready)
        _ = try await StockPhotos(
            server: address.replacing("://", with: "://admin:\(secrets.administrator)@")
        ).add()
        let network = Relay(to: URL(string: address)?.port ?? port)
        try await network.open()
        let screen = try await device.start(
            ["device", "--home", "\(data)/device", "--port", "\(devicePort)", "--server", await network.url],
            environment: ["BLUEPIC_KEY": secrets.deviceKey])
        CommandText.printLine(words(address, DemoProcess.address(in: screen), secrets))
        DemoNetwork.toggleByEnter(network)
    }

    private func words(_ server: String, _ screen: String, _ secrets: Secrets) -> String {
        """

        Feed     \(server)/explore
        Device   \(screen)
                 The address has a secret. One browser at a time is the device's screen.
        Console  \(server)/_utils   admin, \(secrets.administrator)

        Try this: open the feed in one window and the device in another. Register in the device and post a photo: the feed
        announces it. Press Enter here: the device has no network. Post again, it waits on top of the feed; press Enter
        again: it is sent. The device's data is encrypted. This demo keeps its key in \(secretsPath); without
        BLUEPIC_KEY the browser asks for a passphrase instead. Ctrl-C ends the demo.
        """
    }
}
