//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import BluelistCore
import Foundation
import GodwitClientNIO
import GodwitDatabase
import ProgramKit

/// The `bluelist device` command: runs the app of one device. A browser shows the screens of the app.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Run a device: its list is in a directory, a browser is its screen.",
        discussion: """
            The command prints an address with a secret: open it in a browser on this machine. The device works on when \
            the browser is closed. BLUELIST_PASSWORD is the password that encrypts the list; if it is empty, the list is \
            not encrypted. Without the variable the browser asks for the password.
            """)

    private static let passwordVariable = "BLUELIST_PASSWORD"

    @Option(help: "The directory of the device's data.")
    var home: String

    @Option(help: "The port for the browser; 0 selects a free one.")
    var port = 0

    @Option(help: "The address of the server; else BLUELIST_SERVER. (default: http://127.0.0.1:5984)")
    var server: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let address = server ?? environment["BLUELIST_SERVER"] ?? "http://127.0.0.1:5984"
        let model = await BluelistModel(
            server: address.hasSuffix("/") ? String(address.dropLast()) : address,
            configuration: BluelistModel.Configuration(
                folder: home, encryptionPassword: environment[Self.passwordVariable], transport: AsyncHTTPTransport(),
                device: AppDevice(name: ProcessInfo.processInfo.hostName, platform: "Linux"),
                version: BluelistCommand.versionUsual))
        try await model.start()
        try await DeviceProgram.run(BluelistScreens(model), port: port)
        await model.close()
    }
}
