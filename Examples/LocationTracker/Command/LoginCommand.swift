//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
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
            throw ValidationError("Say which server: --server URL, or LOCATION_TRACKER_SERVER.")
        }
        let server = try TrackerServer(url)
        let password = try password(isNew: registering)
        let device = try Device(dataOption)
        let account = try await device.logIn(name, password: password, at: server, registering: registering)
        CommandText.say(registering ? "Registered and logged in as \(name)." : "Logged in as \(name).")
        CommandText.say("Your locations go to \(account.databaseName) on \(account.serverURL).")
    }

    private func password(isNew: Bool) throws(TrackerError) -> String {
        if let password = Settings.password { return password }
        let password = try Terminal.password("Password: ")
        guard isNew, Terminal.asks else { return password }
        guard try Terminal.password("Once more: ") == password else {
            throw TrackerError(.input, "The two passwords are not the same. Nothing was done.")
        }
        return password
    }
}

/// The `location-tracker register` command: registers a user.
struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Register a user, who is logged in then.")

    @OptionGroup var options: LoginOptions

    func run() async throws { try await options.logIn(registering: true) }
}

/// The `location-tracker login` command: logs a user in.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log a user in on this machine, until `logout`.",
        discussion: "It takes a network once. After that all other commands know who is logged in, offline too.")

    @OptionGroup var options: LoginOptions

    func run() async throws { try await options.logIn(registering: false) }
}

/// The `location-tracker logout` command: removes all data of the user from this machine.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Forget the user, and all that is stored here.",
        discussion:
            "What was not pushed is lost: `location-tracker sync` beforehand. What is on the server stays there.")

    @OptionGroup var dataOption: DataOption

    func run() async throws {
        try await Device(dataOption).logOut()
        CommandText.say("Logged out. Nothing is stored here any more.")
    }
}
