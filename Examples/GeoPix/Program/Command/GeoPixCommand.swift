//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost
import PhotoKit

/// The `geopix` command: contains all subcommands.
@main
struct GeoPixCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geopix",
        abstract: "Photos with places: taken with or without a network, on everybody's map when there is one.",
        version: "geopix \(GeoPixCommand.versionUsual)",
        subcommands: [ServeCommand.self, DeviceCommand.self, DemoCommand.self])

    static let versionUsual = "1.0"

    static func main() async {
        PhotoWorker.runIfRequested()
        await HostProgram.main(GeoPixCommand.self)
    }
}
