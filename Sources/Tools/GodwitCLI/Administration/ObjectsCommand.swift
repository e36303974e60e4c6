//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitHost
import GodwitJSON

/// The `godwit objects` command: contains the subcommands for object storage.
struct ObjectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects", abstract: "Manage the object storage of a server.",
        subcommands: [ObjectAccountCommand.self, ObjectCopyCommand.self])
}

/// The `godwit objects account` command: contains the subcommands for accounts.
struct ObjectAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Manage the accounts of the object storage.",
        discussion: """
            The storage is that of a running server (--url) or of a directory (--data). \
            An account owns containers, which S3 calls buckets. Clients of S3 use its access key and secret key; clients of \
            Swift use its name and the secret key, with the project of the same name and the domain Default.
            """,
        subcommands: [
            AddObjectAccountCommand.self, ListObjectAccountsCommand.self, ShowObjectAccountCommand.self,
            ObjectQuotaCommand.self, ObjectKeyCommand.self, RemoveObjectAccountCommand.self,
        ])

    /// Returns the path of an account.
    static func path(_ name: String) -> String { "/_godwit/objects/\(name.percentEncoded)" }

    /// Prints the keys in an answer.
    static func printKeys(_ answer: JSONValue) {
        CommandText.printLine("access key: \(answer["access_key"]?.stringValue ?? "")")
        CommandText.printLine("secret key: \(answer["secret_key"]?.stringValue ?? "")")
    }

    /// Parses a quota.
    static func quota(_ text: String) throws -> Int {
        guard let bytes = Int(text), bytes >= 0 else { throw ValidationError("a quota must be a number of bytes.") }
        return bytes
    }
}

/// The `godwit objects account add` command: adds an account and prints its keys.
struct AddObjectAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an account, and print its access key and secret key once.")

    @Argument(help: "The account's name: letters, digits, underscores and hyphens.")
    var name: String

    @Option(
        help: ArgumentHelp("The largest number of bytes of all its objects.", valueName: "bytes"),
        transform: ObjectAccountCommand.quota)
    var quota: Int?

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect(needsObjects: true) { connection in
            let body: JSONValue = ["quota": quota.map { .integer(Int64($0)) } ?? .null]
            ObjectAccountCommand.printKeys(try await connection.send("PUT", ObjectAccountCommand.path(name), body))
        }
    }
}

/// The `godwit objects account list` command: prints the names of all accounts.
struct ListObjectAccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the names of all accounts, one a line.")

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var server: AdministeredServer

    private static let pageCount = 1_000

    func run() async throws {
        try await server.connect(needsObjects: true) { connection in
            var after = ""
            while true {
                let answer = try await connection.send(
                    "GET", "/_godwit/objects?limit=\(Self.pageCount)&after=\(after.percentEncoded)")
                let accounts = answer["accounts"]?.arrayValue ?? []
                for account in accounts {
                    after = account["name"]?.stringValue ?? ""
                    CommandText.printLine(json ? account.jsonText() : after)
                }
                guard accounts.count == Self.pageCount else { return }
            }
        }
    }
}

/// The `godwit objects account show` command: prints the properties of an account.
struct ShowObjectAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the properties of an account as JSON, without its secret key.")

    @Argument(help: "The account's name.")
    var name: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect(needsObjects: true) { connection in
            CommandText.printLine(try await connection.send("GET", ObjectAccountCommand.path(name)).jsonText())
        }
    }
}

/// The `godwit objects account quota` command: sets the maximum number of bytes that an account can store.
struct ObjectQuotaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota", abstract: "Set the largest number of bytes of an account's objects.")

    @Argument(help: "The account's name.")
    var name: String

    @Argument(help: "The number of bytes, or none for no limit.")
    var bytes: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        let quota = try bytes == "none" ? nil : ObjectAccountCommand.quota(bytes)
        try await server.connect(needsObjects: true) { connection in
            let body: JSONValue = ["quota": quota.map { .integer(Int64($0)) } ?? .null]
            try await connection.send("POST", ObjectAccountCommand.path(name), body)
        }
        CommandText.printLine(quota.map { "\(name) may have \($0) bytes." } ?? "\(name) has no quota.")
    }
}

/// The `godwit objects account key` command: replaces the keys of an account.
struct ObjectKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Replace the keys of an account, and print the new ones once.",
        discussion: "The old keys and all tokens and signed URLs that were made with them are invalid at once.")

    @Argument(help: "The account's name.")
    var name: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect(needsObjects: true) { connection in
            ObjectAccountCommand.printKeys(try await connection.send("POST", "\(ObjectAccountCommand.path(name))/key"))
        }
    }
}

/// The `godwit objects account remove` command: removes an account that has no containers.
struct RemoveObjectAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an account without containers.")

    @Argument(help: "The account's name.")
    var name: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect(needsObjects: true) { connection in
            try await connection.send("DELETE", ObjectAccountCommand.path(name))
        }
        CommandText.printLine("Removed \(name).")
    }
}
