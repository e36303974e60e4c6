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

/// The `geopix demo` command: runs a server and one device on this machine. It prints what the user can try.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a server and a device on this machine, with sample photos.")

    @Option(help: "The directory of the demo's data.")
    var data = "geopix-demo"

    @Option(help: "The port of the server; 0 selects a free one.")
    var port = 5985

    @Option(help: "The port of the device; 0 selects a free one.")
    var devicePort = 5986

    @Option(help: "A directory with sample photos, which the first start adds.")
    var photos: String?

    func run() async throws {
        let secrets = try DemoSecrets.stored(at: secretsPath) { GeoPixSecrets() }
        let (server, device) = (DemoProcess("geopix serve"), DemoProcess("geopix device"))
        try await DemoProcess.run([server, device]) { try await start(server, device, secrets) }
    }

    /// The file of the secrets.
    private var secretsPath: String { "\(data)/demo-secrets.json" }

    private func start(_ server: DemoProcess, _ device: DemoProcess, _ secrets: GeoPixSecrets) async throws {
        let ready = try await server.start(
            ["serve", "--data", "\(data)/cloud", "--port", "\(port)"],
            // Other users of the machine can read arguments, but not the environment.
            environment: ["GEOPIX_STUDIO": secrets.studio, "GODWIT_ADMIN": "admin:\(secrets.administrator)"])
        let address = DemoProcess.address(in: ready)
        if let photos {
            try await DemoPhotos(folder: photos, server: address, marker: "\(data)/photos-added").add(
                password: secrets.gallery)
        }
        let network = Relay(to: URL(string: address)?.port ?? port)
        try await network.open()
        let screen = try await device.start(
            [
                "device", "--home", "\(data)/device", "--port", "\(devicePort)", "--server", await network.url,
                "--realm", "studio",
            ], environment: ["GEOPIX_KEY": secrets.deviceKey])
        CommandText.printLine(words(address, DemoProcess.address(in: screen), secrets))
        DemoNetwork.toggleByEnter(network)
    }

    private func words(_ server: String, _ screen: String, _ secrets: GeoPixSecrets) -> String {
        """

        Map      \(server)/map
        List     \(server)/list
        Device   \(screen)
                 The address has a secret. One browser at a time is the device's screen.
        Sign in  in the device: register a name and a password, or use the login "studio" with
                 \(secrets.studio.replacing(",", with: " or ").replacing(":", with: ", number "))
        Console  \(server)/_utils   admin, \(secrets.administrator)

        Try this: open the map in one window and the device in another. Take a photo or choose one: it appears on the map.
        Press Enter here: the device has no network. Take photos; they are on the device. Press Enter again: they follow.
        The device's photos are encrypted. This demo keeps their key in \(secretsPath); without GEOPIX_KEY the
        browser asks for a passphrase instead. Ctrl-C ends the demo.
        """
    }
}

/// The passwords of the demo, which are created at its first start.
struct GeoPixSecrets: Codable {
    let administrator: String
    let gallery: String
    let studio: String
    let deviceKey: String

    /// Makes new secrets.
    init() {
        (administrator, gallery) = (Administrators.randomPassword(), Administrators.randomPassword())
        studio = ["ann", "ben"].map { "\($0):\(Int.random(in: 100_000...999_999))" }.joined(separator: ",")
        deviceKey = DemoSecrets.deviceKey()
    }
}
