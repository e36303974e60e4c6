//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost
import GodwitJSON

/// The `godwit app` command: contains the subcommands for applications.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Manage the applications of a server.",
        discussion: "The applications are those of a running server (--url) or of a directory (--data).",
        subcommands: [
            ListAppsCommand.self, ShowAppCommand.self, DeclareAppCommand.self, AppVersionsCommand.self,
            AppProvidersCommand.self,
        ])
}

/// The `godwit app list` command: prints the ids of all applications.
struct ListAppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the ids of all applications, one a line.")

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { connection in
            for id in try await connection.send("GET", "/_apps").arrayValue ?? [] {
                CommandText.printLine(id.stringValue ?? "")
            }
        }
    }
}

/// The `godwit app show` command: prints the declaration of an application.
struct ShowAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the declaration of an application as JSON, without secrets.")

    @Argument(help: "The application's id.")
    var app: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { connection in
            let declaration = try await connection.send("GET", AdministrationConnection.path(app))
            CommandText.printLine(declaration.jsonText())
        }
    }
}

/// The `godwit app declare` command: declares or changes an application.
struct DeclareAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "declare", abstract: "Declare or change an application.",
        discussion: "Secrets that the file does not contain remain as they are stored.")

    @Argument(help: "A file with the declaration and its id, as `godwit serve --application` reads it.")
    var file: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        let declaration = try AccountLines.object(in: file)
        guard let id = declaration["id"]?.stringValue else {
            throw CommandFailure(message: "\(file) has no id.")
        }
        try await server.connect { connection in
            try await connection.send("PUT", AdministrationConnection.path(id), declaration)
        }
        CommandText.printLine("Declared \(id).")
    }
}

/// The `godwit app versions` command: prints or changes the versions of an app that are served.
struct AppVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "Print or change the versions of an app that are served.")

    @Argument(help: "The application's id.")
    var app: String

    @Option(help: "The first version that is served.")
    var first: String?

    @Option(help: "The first version that is served without a warning.")
    var warnedBefore: String?

    @Option(help: "A version to refuse.")
    var block: [String] = []

    @Option(help: "A version to serve again.")
    var unblock: [String] = []

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { connection in
            let path = AdministrationConnection.path(app)
            var declaration = try await connection.send("GET", path).objectValue ?? [:]
            var versions = declaration["versions"]?.objectValue ?? [:]
            if first != nil || warnedBefore != nil || !block.isEmpty || !unblock.isEmpty {
                if let first { versions["first"] = .string(first) }
                if let warnedBefore { versions["warned_before"] = .string(warnedBefore) }
                let blocked = versions["blocked"]?.arrayValue?.compactMap(\.stringValue) ?? []
                versions["blocked"] = .array(
                    Set(blocked + block).subtracting(unblock).sorted().map { .string($0) })
                declaration["versions"] = .object(versions)
                try await connection.send("PUT", path, .object(declaration))
            }
            CommandText.printLine(JSONValue.object(versions).jsonText())
        }
    }
}

/// The `godwit app providers` command: prints the providers of an application.
struct AppProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "Print the providers with which users of an application log in.")

    @Argument(help: "The application's id.")
    var app: String

    @OptionGroup var server: AdministeredServer

    func run() async throws {
        try await server.connect { connection in
            let declaration = try await connection.send("GET", AdministrationConnection.path(app))
            let base = declaration["url"]?.stringValue ?? "URL"
            for (name, provider) in declaration["providers"]?.objectValue ?? [:] {
                CommandText.printLine(
                    "\(name): \(provider["kind"]?.stringValue ?? ""), client \(provider["client_id"]?.stringValue ?? ""), "
                        + "redirect URI \(base)\(AdministrationConnection.path(app))/login/\(name)/callback")
            }
        }
    }
}
