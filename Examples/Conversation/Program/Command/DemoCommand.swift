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

/// The `conversation demo` command: runs a server and a device on this machine. It prints what the user can try.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a server and a device on this machine.")

    @Option(help: "The directory of the demo's data.")
    var data = "conversation-demo"

    @Option(help: "The port of the server; 0 selects a free one.")
    var port = 5993

    @Option(help: "The port of the device; 0 selects a free one.")
    var devicePort = 5994

    @OptionGroup var speech: SpeechOptions

    /// The secrets of the demo, which are created at its first start.
    private struct Secrets: Codable {
        var administrator = Administrators.randomPassword()
    }

    func run() async throws {
        let secrets = try DemoSecrets.stored(at: "\(data)/demo-secrets.json") { Secrets() }
        let server = DemoProcess("conversation serve")
        let device = DemoProcess("conversation device")
        try await DemoProcess.run([server, device]) { try await start(server, device, secrets) }
    }

    private func start(_ server: DemoProcess, _ device: DemoProcess, _ secrets: Secrets) async throws {
        let model = speech.speechModel.map { ["--speech-model", $0] } ?? []
        let ready = try await server.start(
            ["serve", "--data", "\(data)/cloud", "--port", "\(port)"] + model,
            // Other users of the machine can read arguments, but not the environment.
            environment: ["GODWIT_ADMIN": "admin:\(secrets.administrator)"])
        let address = DemoProcess.address(in: ready)
        let network = Relay(to: URL(string: address)?.port ?? port)
        try await network.open()
        let screen = try await device.start(
            ["device", "--home", "\(data)/device", "--port", "\(devicePort)", "--server", await network.url] + model,
            environment: [:])
        CommandText.printLine(words(address, DemoProcess.address(in: screen), secrets))
        DemoNetwork.toggleByEnter(network)
    }

    private func words(_ server: String, _ screen: String, _ secrets: Secrets) -> String {
        """

        Page     \(server)/conversation
        Device   \(screen)
                 The address has a secret. One browser at a time is the device's screen.
        Console  \(server)/_utils   admin, \(secrets.administrator)

        Try this: ask a question on the page, by keyboard or with the microphone; the first answer is spoken. On the device
        choose a passphrase and sign in later, or create an account. When it has the answers, press Enter here: the device has
        no network, and answers all the same. Ctrl-C ends the demo.
        """
    }
}
