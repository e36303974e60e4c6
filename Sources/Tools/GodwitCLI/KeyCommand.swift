//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitHost
import GodwitKeys

/// The `godwit key` command: contains the subcommands for key files.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Create key files, and change their passphrases.",
        discussion: """
            A key file contains the key of databases, which each of its passphrases unlocks. --encryption-key-file \
            names it. Changes of passphrases do not change the key, so no database is rewritten. Set a passphrase of \
            the file in GODWIT_ENCRYPTION_PASSPHRASE and a new one in GODWIT_NEW_ENCRYPTION_PASSPHRASE. Passphrases \
            that are not set are asked for on a terminal.
            """,
        subcommands: [
            MakeKeyCommand.self, AddPassphraseCommand.self, ChangePassphraseCommand.self, RemovePassphraseCommand.self,
            ListPassphrasesCommand.self,
        ])
}

/// The `godwit key make` command: creates a key file.
struct MakeKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Create a key file with a new key and its first passphrase.",
        discussion: """
            The passphrase is in GODWIT_NEW_ENCRYPTION_PASSPHRASE, else in GODWIT_ENCRYPTION_PASSPHRASE, else it is \
            asked for on a terminal. Without the file or its passphrases the data cannot be decrypted: keep a copy of \
            the file elsewhere.
            """)

    @Argument(help: "The file to create.")
    var file: String

    @OptionGroup var label: LabelOption

    @Option(help: "A file whose key is stored in the new file too. Its passphrase is in GODWIT_ENCRYPTION_PASSPHRASE.")
    var from: String?

    @Flag(help: "64 hexadecimal digits without a passphrase: everyone who can read the file has the key.")
    var plain = false

    func run() async throws {
        do {
            var key = EncryptionKey.random()
            if let from { key = try await KeyOptions.key(in: from) }
            if plain {
                try key.write(toNewFile: file)
            } else {
                let settings = Settings()
                let configured = settings.secret("newEncryptionPassphrase") ?? settings.secret("encryptionPassphrase")
                guard let passphrase = try configured ?? TerminalPassphrase.ask(for: "The passphrase", isNew: true)
                else { throw CommandFailure.noPassphrase(in: "GODWIT_ENCRYPTION_PASSPHRASE") }
                try await KeyFile(path: file).create(passphrase: passphrase, label: label.text, key: key)
            }
        } catch {
            throw CommandFailure(error)
        }
        CommandText.printLine("Made \(file).")
    }
}

/// The `godwit key add` command: adds a passphrase to a key file.
struct AddPassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a passphrase to a key file.",
        discussion:
            "The new one is in GODWIT_NEW_ENCRYPTION_PASSPHRASE, one of the file's in GODWIT_ENCRYPTION_PASSPHRASE.")

    @Argument(help: "The key file.")
    var file: String

    @OptionGroup var label: LabelOption

    func run() async throws {
        let settings = Settings()
        do {
            try await KeyFile(path: file).addPassphrase(
                settings.newPassphrase(), label: label.text, openedBy: settings.passphrase())
        } catch {
            throw CommandFailure(error)
        }
        CommandText.printLine("Added the passphrase \(label.text).")
    }
}

/// The `godwit key change` command: replaces a passphrase of a key file.
struct ChangePassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Replace a passphrase of a key file.",
        discussion: """
            The old one is in GODWIT_ENCRYPTION_PASSPHRASE, the new one in GODWIT_NEW_ENCRYPTION_PASSPHRASE. The old \
            one still opens older copies of the file: if there are such copies, `godwit rekey` gives the databases a \
            new key.
            """)

    @Argument(help: "The key file.")
    var file: String

    func run() async throws {
        let settings = Settings()
        do {
            try await KeyFile(path: file).changePassphrase(settings.passphrase(), to: settings.newPassphrase())
        } catch {
            throw CommandFailure(error)
        }
        CommandText.printLine("Changed the passphrase.")
    }
}

/// The `godwit key remove` command: removes a passphrase from a key file.
struct RemovePassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a passphrase from a key file.",
        discussion: """
            Another one, which remains, is in GODWIT_ENCRYPTION_PASSPHRASE. The removed one still opens older copies \
            of the file: if there are such copies, `godwit rekey` gives the databases a new key.
            """)

    @Argument(help: "The key file.")
    var file: String

    @OptionGroup var label: LabelOption

    func run() async throws {
        do {
            try await KeyFile(path: file).removePassphrase(label: label.text, openedBy: Settings().passphrase())
        } catch {
            throw CommandFailure(error)
        }
        CommandText.printLine("Removed the passphrase \(label.text).")
    }
}

/// The `godwit key list` command: prints the labels of a key file's passphrases.
struct ListPassphrasesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the labels of a key file's passphrases, the oldest first.")

    @Argument(help: "The key file.")
    var file: String

    func run() throws {
        do {
            for label in try KeyFile(path: file).labels() { CommandText.printLine(label) }
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// The label of a passphrase in a key file.
struct LabelOption: ParsableArguments {
    @Option(name: .customLong("label"), help: "The label of the passphrase; it is not secret.")
    var text = "default"
}

extension Settings {
    /// Returns an existing passphrase of a key file, from the environment or the terminal.
    fileprivate func passphrase() throws(CommandFailure) -> String {
        if let text = secret("encryptionPassphrase") { return text }
        guard let text = try TerminalPassphrase.ask(for: "A passphrase of the key file") else {
            throw .noPassphrase(in: "GODWIT_ENCRYPTION_PASSPHRASE")
        }
        return text
    }

    /// Returns a new passphrase for a key file, from the environment or the terminal.
    fileprivate func newPassphrase() throws(CommandFailure) -> String {
        if let text = secret("newEncryptionPassphrase") { return text }
        guard let text = try TerminalPassphrase.ask(for: "The new passphrase", isNew: true) else {
            throw .noPassphrase(in: "GODWIT_NEW_ENCRYPTION_PASSPHRASE")
        }
        return text
    }
}

extension CommandFailure {
    fileprivate static func noPassphrase(in variable: String) -> CommandFailure {
        CommandFailure(message: "\(variable) has no passphrase. Set it, or enter the passphrase on a terminal.")
    }
}
