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
        abstract: "Tracks where you go, with or without a network, and keeps it private to you.",
        discussion: """
            A password is in LOCATION_TRACKER_PASSWORD, or is asked for on the terminal, or is the first line of standard \
            input; it is never an argument, which other users of the machine could see.
            """,
        version: "location-tracker \(TrackerAgent.versionUsual)",
        subcommands: [
            RegisterCommand.self, LoginCommand.self, TrackCommand.self, SyncCommand.self, PlacesCommand.self,
            MapCommand.self, LogoutCommand.self, ServeCommand.self,
        ])

    static func main() async { await HostProgram.main(LocationTrackerCommand.self) }
}
