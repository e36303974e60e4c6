//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitHost
import GodwitJSON
import GodwitStore

/// The `godwit user` command: contains the subcommands for the users of applications.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage the users of an application.",
        discussion: "The application is one of a running server (--url) or of a directory (--data).",
        subcommands: [
            ListUsersCommand.self, AddUserCommand.self, PasswordCommand.self, BlockUserCommand.self,
            RolesCommand.self, DevicesCommand.self, ImportUsersCommand.self, ExportUsersCommand.self,
        ])
}

/// The arguments that name a user of an application.
struct NamedUser: ParsableArguments {
    @Argument(help: "The application's id.")
    var app: String

    @Argument(help: "The user's name.")
    var name: String

    /// The path of the user's account.
    var path: String { AdministrationConnection.path(app, user: name) }

    /// Returns the password in GODWIT_NEW_PASSWORD. If this variable is missing, returns the password that the user
    /// types on a terminal.
    static func newPassword() throws -> String {
        guard
            let password = try Settings().secret("newPassword")
                ?? TerminalPassphrase.ask(for: "The new password", isNew: true)
        else { throw CommandFailure(message: "Set the new password in GODWIT_NEW_PASSWORD.") }
        return password
    }
}

/// The `godwit user list` command: prints the users of an application.
struct ListUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the users of an application, one a line.")

    @Argument(help: "The application's id.")
    var app: String

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { connection in
            try await connection.eachUser(of: app) { user in
                guard !json else { return CommandText.printLine(user.jsonText()) }
                let words = [
                    user["name"]?.stringValue, user["profile"]?["email"]?.stringValue,
                    user["blocked"] == true ? "blocked" : nil,
                    user["roles"]?.arrayValue.flatMap { roles in
                        roles.isEmpty ? nil : "roles: " + roles.compactMap(\.stringValue).joined(separator: ", ")
                    },
                ]
                CommandText.printLine(words.compactMap(\.self).joined(separator: "\t"))
            }
        }
    }
}

/// The `godwit user add` command: creates an account.
struct AddUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Create an account.",
        discussion: "The password is in GODWIT_NEW_PASSWORD, or is asked for on a terminal.")

    @OptionGroup var user: NamedUser

    @Option(help: "The user's e-mail address. It counts as not verified.")
    var email: String?

    @Option(help: "A role in the application.")
    var role: [String] = []

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        var body: JSONObject = ["password": .string(try NamedUser.newPassword())]
        if let email { body["email"] = .string(email) }
        try await server.connect { connection in
            try await connection.send("PUT", user.path, .object(body))
            guard !role.isEmpty else { return }
            try await connection.send("PUT", user.path + "/roles", .array(role.map { .string($0) }))
        }
        CommandText.printLine("Added \(user.name).")
    }
}

/// The `godwit user password` command: sets a user's password.
struct PasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Set a user's password.",
        discussion: """
            The password is in GODWIT_NEW_PASSWORD, or is asked for on a terminal. The user is logged out everywhere and \
            gets a new key.
            """)

    @OptionGroup var user: NamedUser
    @OptionGroup var server: AdministeredServer

    func run() async throws {
        let body: JSONValue = ["new_password": .string(try NamedUser.newPassword())]
        try await server.connect { try await $0.send("PUT", user.path + "/password", body) }
        CommandText.printLine("Set the password of \(user.name).")
    }
}

/// The `godwit user block` command: blocks an account or unblocks it.
struct BlockUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Block an account, or unblock it.")

    @OptionGroup var user: NamedUser

    @Flag(help: "Unblock the account.")
    var undo = false

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { try await $0.send("PUT", user.path + "/blocked", .bool(!undo)) }
        CommandText.printLine("\(undo ? "Unblocked" : "Blocked") \(user.name).")
    }
}

/// The `godwit user roles` command: prints or sets a user's roles.
struct RolesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles", abstract: "Print the roles of a user, or set them.",
        discussion: "Roles of the user's providers are printed too. They cannot be set.")

    @OptionGroup var user: NamedUser

    @Argument(help: "The new roles. Without any, the current roles are printed.")
    var roles: [String] = []

    @Flag(help: "Remove all roles.")
    var none = false

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { connection in
            if none || !roles.isEmpty {
                try await connection.send("PUT", user.path + "/roles", .array(roles.map { .string($0) }))
            }
            for role in try await connection.send("GET", user.path)["roles"]?.arrayValue ?? [] {
                CommandText.printLine(role.stringValue ?? "")
            }
        }
    }
}

/// The `godwit user devices` command: prints a user's devices, or changes the state of one of them.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Print the devices of a user, or change the state of one.")

    @OptionGroup var user: NamedUser

    @Option(help: "The id of a device to block.")
    var block: String?

    @Option(help: "The id of a device that is lost: at its next contact it is ordered to delete its data.")
    var lost: String?

    @Option(help: "The id of a device to serve again.")
    var activate: String?

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { connection in
            for (device, state) in [(block, "blocked"), (lost, "lost"), (activate, "active")] {
                guard let device else { continue }
                try await connection.send(
                    "PUT", "\(user.path)/devices/\(device.percentEncoded)/state", ["state": .string(state)])
            }
            for device in try await connection.send("GET", user.path + "/devices")["devices"]?.arrayValue ?? [] {
                CommandText.printLine(device.jsonText())
            }
        }
    }
}

/// The `godwit user export` command: writes the accounts of an application to a file.
struct ExportUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export the accounts of an application as JSON Lines.",
        discussion: """
            The file has sealed keys and hashes, with which the users log in after an import: keep it secret. It has \
            neither devices nor the documents of the users' databases.
            """)

    @Argument(help: "The application's id.")
    var app: String

    @Argument(help: "The file to write. It must not exist.")
    var file: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        // The file gets its name only when it is complete.
        let unfinished = try UnfinishedBackup(of: file)
        defer { unfinished.end() }
        let output = try WrittenFile(unfinished.partial)
        var count = 0
        try await server.connect { connection in
            try await connection.eachUser(of: app, isExport: true) { user in
                try output.append(user.jsonBytes() + [UInt8(ascii: "\n")])
                count += 1
            }
        }
        try output.flush()
        try unfinished.publish()
        CommandText.printLine("Exported \(CommandText.count(count, "account")) to \(file).")
    }
}

/// The `godwit user import` command: creates accounts from a file.
struct ImportUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import accounts from JSON Lines.",
        discussion: "Each line is an account that `godwit user export` wrote. An existing account ends the import.")

    @Argument(help: "The application's id.")
    var app: String

    @Argument(help: "The file to read.")
    var file: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        var count = 0
        try await server.connect { connection in
            try await AccountLines.each(in: file) { line, account in
                do {
                    try await connection.send("POST", AdministrationConnection.path(app) + "/users", account)
                    count += 1
                } catch let failure as CommandFailure {
                    throw CommandFailure(
                        message: "\(file), line \(line): \(failure.message ?? "") "
                            + "\(CommandText.count(count, "account")) before it \(CommandText.verb(count, "was", "were")) "
                            + "imported.")
                }
            }
        }
        CommandText.printLine("Imported \(CommandText.count(count, "account")).")
    }
}
