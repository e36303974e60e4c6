//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import BluePicCore
import Foundation
import GodwitClientNIO
import GodwitDatabase
import PhotoKit
import ProgramKit

/// The `bluepic device` command: runs the app of one device. A browser shows the screens of the app.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Run a device: its data is encrypted in a directory, a browser is its screen.",
        discussion: """
            The command prints an address with a secret: open it in a browser on this machine. The device works on when \
            the browser is closed. BLUEPIC_KEY, 64 hexadecimal digits, is the key of the data; without it the browser \
            asks for a passphrase.
            """)

    private static let keyVariable = "BLUEPIC_KEY"

    @Option(help: "The directory of the device's data.")
    var home: String

    @Option(help: "The port for the browser; 0 selects a free one.")
    var port = 0

    @Option(help: "The address of the server; else BLUEPIC_SERVER. (default: http://127.0.0.1:5984)")
    var server: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let address = server ?? environment["BLUEPIC_SERVER"] ?? "http://127.0.0.1:5984"
        let hasKey = environment[Self.keyVariable]?.isEmpty == false
        let model = await BluePicModel(
            server: address.hasSuffix("/") ? String(address.dropLast()) : address,
            configuration: BluePicModel.Configuration(
                folder: home, key: hasKey ? EnvironmentKeyProvider(variable: Self.keyVariable) : nil,
                processor: DevicePhotos(), transport: AsyncHTTPTransport(),
                device: AppDevice(name: ProcessInfo.processInfo.hostName, platform: "Linux"),
                version: BluePicCommand.versionUsual))
        try await model.start()
        try await DeviceProgram.run(BluePicScreens(model), port: port)
        await model.close()
    }
}
