//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import LocationTrackerClient

/// The `location-tracker` command.
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
            MapCommand.self, LogoutCommand.self,
        ])

    /// Parses and runs: exit code 0 for success, 1 for a failure, 2 for wrong usage.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        if let error = error as? TrackerError {
            Terminal.complain(error.message)
            exit(withError: ExitCode(1))
        }
        // The texts of `--help` and `--version` come as errors.
        if exitCode(for: error).isSuccess { exit(withError: error) }
        guard exitCode(for: error) != .validationFailure else {
            Terminal.complain(fullMessage(for: error))
            exit(withError: ExitCode(2))
        }
        Terminal.complain("\(error)")
        exit(withError: ExitCode(1))
    }
}
