//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitClientNIO
import GodwitHost
import LocationTrackerClient

/// The options that `register` and `login` have in common.
struct LoginOptions: ParsableArguments {
    @Argument(help: "The user's name.")
    var name: String

    @OptionGroup var serverOption: ServerOption
    @OptionGroup var dataOption: DataOption

    func logIn(registering: Bool) async throws {
        guard let url = serverOption.url else {
            throw ValidationError("Specify the server with --server URL or LOCATION_TRACKER_SERVER.")
        }
        let server = try TrackerServer(url, transport: AsyncHTTPTransport())
        let password = try password(isNew: registering)
        let device = try Device(dataOption)
        let account = try await device.logIn(name, password: password, at: server, registering: registering)
        CommandText.printLine(registering ? "Registered and logged in as \(name)." : "Logged in as \(name).")
        CommandText.printLine("Your locations go to \(account.databaseName) on \(account.serverURL).")
    }

    private func password(isNew: Bool) throws(TrackerError) -> String {
        if let password = Settings.password { return password }
        let password = try Terminal.password("Password: ")
        guard isNew, Terminal.asks else { return password }
        guard try Terminal.password("Repeat the password: ") == password else {
            throw TrackerError(.input, "The two passwords differ. Nothing was changed.")
        }
        return password
    }
}

/// The `location-tracker register` command: registers a user.
struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Register a user and log in.")

    @OptionGroup var options: LoginOptions

    func run() async throws { try await options.logIn(registering: true) }
}

/// The `location-tracker login` command: logs a user in.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log a user in on this machine, until `logout`.",
        discussion: "The login needs a network. After that, all other commands work as this user, also offline.")

    @OptionGroup var options: LoginOptions

    func run() async throws { try await options.logIn(registering: false) }
}

/// The `location-tracker logout` command: removes all data of the user from this machine.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Log out, and delete all data on this machine.",
        discussion:
            "Locations that were not pushed are lost: run `location-tracker sync` first. Data on the server is kept.")

    @OptionGroup var dataOption: DataOption

    func run() async throws {
        try await Device(dataOption).logOut()
        CommandText.printLine("Logged out. All data on this machine was deleted.")
    }
}
