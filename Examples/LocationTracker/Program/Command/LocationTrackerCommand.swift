//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost
import LocationTrackerClient

/// The `location-tracker` command: contains all subcommands.
@main
struct LocationTrackerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "location-tracker",
        abstract: "Track your locations, with or without a network, private to you.",
        discussion: """
            A password is read from LOCATION_TRACKER_PASSWORD, the terminal, or the first line of standard input. It \
            is never an argument, because other users of the machine could see it.
            """,
        version: "location-tracker \(TrackerAgent.versionUsual)",
        subcommands: [
            RegisterCommand.self, LoginCommand.self, TrackCommand.self, SyncCommand.self, PlacesCommand.self,
            MapCommand.self, LogoutCommand.self, ServeCommand.self, DemoCommand.self,
        ])

    static func main() async { await HostProgram.main(LocationTrackerCommand.self) }
}
