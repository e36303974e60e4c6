//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitDatabase
import GodwitHost
import GodwitKeys

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The `godwit encrypt` command: encrypts a directory of databases, or a backup, in place.
struct EncryptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt", abstract: "Encrypt a directory of databases, or a backup, in place.",
        discussion: """
            Each file is written anew beside the old one and takes its name when it is whole, so there must be room for \
            the largest twice. No server may have the directory open. After an interruption the same command goes on. What \
            the disk keeps of the plain files that are gone is out of reach. `godwit \
            key make` makes a new key.
            """)

    @Argument(help: "A directory of databases, as `godwit serve --data` has it, or a file that `godwit backup` wrote.")
    var path: String

    @OptionGroup var options: KeyOptions

    func run() async throws {
        guard let key = try await options.key() else { throw ValidationError("Give --encryption-key-file.") }
        try await Conversion(path: path, done: "Encrypted").run(from: nil, to: key)
    }
}

/// The `godwit decrypt` command: decrypts a directory of databases, or a backup, in place.
struct DecryptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt", abstract: "Decrypt a directory of databases, or a backup, in place.",
        discussion: "As `godwit encrypt`, the other way round.")

    @Argument(help: "A directory of databases, or a file that `godwit backup` wrote.")
    var path: String

    @OptionGroup var options: KeyOptions

    func run() async throws {
        guard let key = try await options.key() else { throw ValidationError("Give --encryption-key-file.") }
        try await Conversion(path: path, done: "Decrypted").run(from: key, to: nil)
    }
}

/// The `godwit rekey` command: encrypts a directory of databases, or a backup, with a new key.
struct RekeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Encrypt a directory of databases, or a backup, with a new key.",
        discussion: """
            As `godwit encrypt`. `godwit key change` changes the passphrase of a key file and writes no database: the key stays.
            """)

    @Argument(help: "A directory of databases, or a file that `godwit backup` wrote.")
    var path: String

    @OptionGroup var options: KeyOptions

    @Option(help: "A file with the new key. Its passphrase may be in GODWIT_NEW_ENCRYPTION_PASSPHRASE.")
    var newEncryptionKeyFile: String

    func run() async throws {
        guard let key = try await options.key() else { throw ValidationError("Give --encryption-key-file.") }
        let new = try await KeyOptions.key(in: newEncryptionKeyFile, passphrase: "newEncryptionPassphrase")
        try await Conversion(path: path, done: "Encrypted anew").run(from: key, to: new)
    }
}

/// Changes the key of the files at a path.
private struct Conversion {
    let path: String
    /// The start of the final message.
    let done: String

    func run(from old: EncryptionKey?, to new: EncryptionKey?) async throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            throw CommandFailure(message: "There is nothing at \(path).")
        }
        let progress = ProgressLine(.pages)
        do {
            if attributes[.type] as? FileAttributeType == .typeDirectory {
                let others = try await DatastoreManager.changeKey(ofDirectory: path, from: old, to: new) {
                    progress.show($0, of: $1)
                }
                progress.end()
                for file in others {
                    CommandText.complain(
                        "\(path)/\(file) answers to neither key and was left as it is: it has an encryption of its own, or is damaged."
                    )
                }
            } else {
                try await DatastoreManager.changeKey(ofBackup: path, from: old, to: new) {
                    progress.show($0, of: $1)
                }
            }
        } catch {
            progress.end()
            throw CommandFailure(error)
        }
        progress.end()
        CommandText.say("\(done): \(path).")
    }
}
