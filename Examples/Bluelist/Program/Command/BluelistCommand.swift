//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost

/// The `bluelist` command: contains all subcommands.
@main
struct BluelistCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluelist", abstract: "A list of things to do, on all devices of a user.",
        version: "bluelist \(BluelistCommand.versionUsual)",
        subcommands: [ServeCommand.self, DeviceCommand.self, DemoCommand.self])

    static let versionUsual = "1.0"

    static func main() async { await HostProgram.main(BluelistCommand.self) }
}
