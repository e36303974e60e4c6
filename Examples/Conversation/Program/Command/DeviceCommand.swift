//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ConversationCore
import Foundation
import GodwitClientNIO
import GodwitDatabase
import ProgramKit

/// The `conversation device` command: runs the app of one device. A browser shows the screens of the app.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Run a device: it answers from its own copy of the corpus, a browser is its screen.",
        discussion: """
            The command prints an address with a secret: open it in a browser on this machine. The device works on when \
            the browser is closed. CONVERSATION_KEY, 64 hexadecimal digits, is the key of the data; without it the \
            browser asks for a passphrase.
            """)

    private static let keyVariable = "CONVERSATION_KEY"

    @Option(help: "The directory of the device's data.")
    var home: String

    @Option(help: "The port for the browser; 0 selects a free one.")
    var port = 0

    @Option(help: "The address of the server; else CONVERSATION_SERVER. (default: http://127.0.0.1:5984)")
    var server: String?

    @OptionGroup var parameters: ParameterOptions

    @OptionGroup var speech: SpeechOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let address = server ?? environment["CONVERSATION_SERVER"] ?? "http://127.0.0.1:5984"
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
            throw ValidationError("\(address) is not the address of a server, such as http://127.0.0.1:5984.")
        }
        let hasKey = environment[Self.keyVariable]?.isEmpty == false
        let model = await ConversationModel(
            server: address.hasSuffix("/") ? String(address.dropLast()) : address,
            configuration: ConversationModel.Configuration(
                folder: home, key: hasKey ? EnvironmentKeyProvider(variable: Self.keyVariable) : nil,
                transport: AsyncHTTPTransport(),
                device: AppDevice(name: ProcessInfo.processInfo.hostName, platform: "Linux"),
                version: ConversationCommand.versionUsual, parameters: try parameters.learned()))
        try await model.start()
        try await DeviceProgram.run(ConversationScreens(model, speech: speech.workers()), port: port)
        await model.close()
    }
}
