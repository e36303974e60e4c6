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
        commandName: "key", abstract: "Make the files that keys are in, and change their passphrases.",
        discussion: """
            A key file holds the key of databases behind each of several passphrases, and is what --encryption-key-file \
            takes. Its key stays, whatever becomes of its passphrases, so no database is written anew. A passphrase that the \
            file has is in GODWIT_ENCRYPTION_PASSPHRASE, a new one in GODWIT_NEW_ENCRYPTION_PASSPHRASE; what is in neither is \
            asked for on a terminal.
            """,
        subcommands: [
            MakeKeyCommand.self, AddPassphraseCommand.self, ChangePassphraseCommand.self, RemovePassphraseCommand.self,
            ListPassphrasesCommand.self,
        ])
}

/// The `godwit key make` command: creates a key file.
struct MakeKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make a key file with a new key and its first passphrase.",
        discussion: """
            The passphrase is in GODWIT_NEW_ENCRYPTION_PASSPHRASE, else in GODWIT_ENCRYPTION_PASSPHRASE, else it is asked for on \
            a terminal. Without the file or its passphrases nobody can read what it encrypts: keep a copy of the file elsewhere.
            """)

    @Argument(help: "The file to make.")
    var file: String

    @OptionGroup var label: LabelOption

    @Option(help: "A file whose key is kept in the new one too. Its passphrase is in GODWIT_ENCRYPTION_PASSPHRASE.")
    var from: String?

    @Flag(help: "64 hexadecimal digits without a passphrase: whoever reads the file has the key.")
    var plain = false

    func run() async throws {
        do {
            var key = EncryptionKey.random()
            if let from { key = try await KeyOptions.key(in: from) }
            if plain {
                try key.write(toNewFile: file)
            } else {
                let settings = Settings()
                let given = settings.secret("newEncryptionPassphrase") ?? settings.secret("encryptionPassphrase")
                guard let first = try given ?? TerminalPassphrase.ask(for: "The passphrase", isNew: true)
                else { throw CommandFailure.noPassphrase(in: "GODWIT_ENCRYPTION_PASSPHRASE") }
                try await KeyFile(path: file).create(passphrase: first, label: label.text, key: key)
            }
        } catch {
            throw CommandFailure(error)
        }
        CommandText.say("Made \(file).")
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
        CommandText.say("Added the passphrase \(label.text).")
    }
}

/// The `godwit key change` command: replaces a passphrase of a key file.
struct ChangePassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Put a new passphrase in the place of one that a key file has.",
        discussion: """
            The old one is in GODWIT_ENCRYPTION_PASSPHRASE, the new one in GODWIT_NEW_ENCRYPTION_PASSPHRASE. The old one \
            still opens older copies of the file: if somebody has one, `godwit rekey` gives the databases a new key.
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
        CommandText.say("Changed the passphrase.")
    }
}

/// The `godwit key remove` command: removes a passphrase from a key file.
struct RemovePassphraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a passphrase from a key file.",
        discussion: """
            Another one, which stays, is in GODWIT_ENCRYPTION_PASSPHRASE. The one that goes still opens older copies of the \
            file: if somebody has one, `godwit rekey` gives the databases a new key.
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
        CommandText.say("Removed the passphrase \(label.text).")
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
            for label in try KeyFile(path: file).labels() { CommandText.say(label) }
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// The label of a passphrase in a key file.
struct LabelOption: ParsableArguments {
    @Option(name: .customLong("label"), help: "What the passphrase is called; it is no secret.")
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
        CommandFailure(message: "There is no passphrase in \(variable). Give it there, or on a terminal.")
    }
}
