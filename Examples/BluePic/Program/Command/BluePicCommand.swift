//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost
import PhotoKit

/// The `bluepic` command: contains all subcommands.
@main
struct BluePicCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluepic",
        abstract: "A feed of photos that everybody sees, and to which who signs in posts.",
        version: "bluepic \(BluePicCommand.versionUsual)",
        subcommands: [ServeCommand.self, DeviceCommand.self, DemoCommand.self, PopulateCommand.self])

    static let versionUsual = "1.0"

    static func main() async {
        PhotoWorker.runIfRequested()
        await HostProgram.main(BluePicCommand.self)
    }
}
