//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import DeviceKit
import Foundation
import GeoPixCore
import GodwitClientNIO
import GodwitDatabase
import PhotoKit
import ProgramKit

/// The `geopix device` command: runs the app of one device. A browser shows the screens of the app.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Run a device: its photos are encrypted in a directory, a browser is its screen.",
        discussion: """
            The command prints an address with a secret: open it in a browser on this machine. The device works on when \
            the browser is closed. GEOPIX_KEY, 64 hexadecimal digits, is the key of the photos; without it the browser \
            asks for a passphrase.
            """)

    @Option(help: "The directory of the device's data.")
    var home: String

    @Option(help: "The port for the browser; 0 selects a free one.")
    var port = 0

    @Option(help: "The address of the server; else GEOPIX_SERVER. (default: http://127.0.0.1:5984)")
    var server: String?

    @Option(help: "A login of the server's own; may be used several times.")
    var realm: [String] = []

    @Option(help: "Play the positions of a GPX file.")
    var gpx: String?

    @Option(help: "The speed at which the file is played, relative to the original.")
    var speed: Double = 1

    @Option(help: "Read positions from a gpsd: HOST:PORT, or HOST with the usual port 2947.")
    var gpsd: String?

    func validate() throws {
        guard gpx == nil || gpsd == nil else { throw ValidationError("Specify --gpx or --gpsd, not both.") }
        guard speed > 0 else { throw ValidationError("--speed must be a number above 0.") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be between 0 and 65535.") }
    }

    private static let keyVariable = "GEOPIX_KEY"

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let address = server ?? environment["GEOPIX_SERVER"] ?? "http://127.0.0.1:5984"
        let hasKey = environment[Self.keyVariable]?.isEmpty == false
        let configuration = GeoPixModel.Configuration(
            folder: home, key: hasKey ? EnvironmentKeyProvider(variable: Self.keyVariable) : nil,
            processor: DevicePhotos(), transport: AsyncHTTPTransport(),
            device: AppDevice(name: ProcessInfo.processInfo.hostName, platform: "Linux"),
            version: GeoPixCommand.versionUsual)
        let model = await GeoPixModel(
            server: address.hasSuffix("/") ? String(address.dropLast()) : address, realms: realm,
            configuration: configuration)
        let source = try source()
        try await model.start()
        let screens = GeoPixScreens(model, source: gpx != nil ? "gpx" : gpsd != nil ? "gpsd" : "browser")
        try await DeviceProgram.run(screens, port: port) { if let source { try await model.follow(source) } }
        await model.close()
    }

    private func source() throws -> (any LocationSource)? {
        if let gpx {
            guard let bytes = FileManager.default.contents(atPath: gpx) else {
                throw ValidationError("\(gpx) cannot be read. Check its name and permissions.")
            }
            return CurrentTimes(GPXPlayback(try GPXTrack(parsing: Array(bytes)), speed: speed))
        }
        guard let gpsd else { return nil }
        let parts = gpsd.split(separator: ":", maxSplits: 1).map(String.init)
        guard let host = parts.first, let port = parts.count > 1 ? Int(parts[1]) : GPSDSource.portUsual,
            (1...65_535).contains(port)
        else {
            throw ValidationError("--gpsd must be HOST:PORT or HOST, with a port from 1 to 65535.")
        }
        return GPSDSource(host: host, port: port)
    }
}
