//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitDatabase
import GodwitFoundation
import GodwitHost
import GodwitKeys
import GodwitObjects

/// The `godwit encrypt` command: encrypts a directory of databases, or a backup, in place.
struct EncryptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt", abstract: "Encrypt a directory of databases, or a backup, in place.",
        discussion: """
            Each file is written to a new file, which replaces it when it is complete, so the disk needs space for the \
            largest file twice. No server may have the directory open. After an interruption, run the same command \
            again. Traces of the deleted plain files may stay on the disk. `godwit key make` creates a new key.
            """)

    @Argument(help: "A directory of databases, as used by `godwit serve --data`, or a file that `godwit backup` wrote.")
    var path: String

    @OptionGroup var options: KeyOptions

    func run() async throws {
        guard let key = try await options.key() else { throw ValidationError("Specify --encryption-key-file.") }
        try await Conversion(path: path, done: "Encrypted").run(from: nil, to: key)
    }
}

/// The `godwit decrypt` command: decrypts a directory of databases, or a backup, in place.
struct DecryptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt", abstract: "Decrypt a directory of databases, or a backup, in place.",
        discussion: "The reverse of `godwit encrypt`.")

    @Argument(help: "A directory of databases, or a file that `godwit backup` wrote.")
    var path: String

    @OptionGroup var options: KeyOptions

    func run() async throws {
        guard let key = try await options.key() else { throw ValidationError("Specify --encryption-key-file.") }
        try await Conversion(path: path, done: "Decrypted").run(from: key, to: nil)
    }
}

/// The `godwit rekey` command: encrypts a directory of databases, or a backup, with a new key.
struct RekeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Encrypt a directory of databases, or a backup, with a new key.",
        discussion: """
            Like `godwit encrypt`. `godwit key change` changes only the passphrase of a key file: the key and the \
            databases stay.
            """)

    @Argument(help: "A directory of databases, or a file that `godwit backup` wrote.")
    var path: String

    @OptionGroup var options: KeyOptions

    @Option(help: "A file with the new key. Its passphrase may be in GODWIT_NEW_ENCRYPTION_PASSPHRASE.")
    var newEncryptionKeyFile: String

    func run() async throws {
        guard let key = try await options.key() else { throw ValidationError("Specify --encryption-key-file.") }
        let newKey = try await KeyOptions.key(in: newEncryptionKeyFile, passphrase: "newEncryptionPassphrase")
        try await Conversion(path: path, done: "Re-encrypted").run(from: key, to: newKey)
    }
}

/// Changes the key of the files at a path.
private struct Conversion {
    let path: String
    /// The start of the final message.
    let done: String

    func run(from oldKey: EncryptionKey?, to newKey: EncryptionKey?) async throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            throw CommandFailure(message: "\(path) does not exist.")
        }
        let progress = ProgressLine(.pages)
        do {
            if attributes[.type] as? FileAttributeType == .typeDirectory {
                let unchangedFiles = try await DatastoreManager.changeKey(
                    ofDirectory: path, from: oldKey, to: newKey, parts: [ObjectPart()]
                ) { progress.show($0, of: $1) }
                progress.end()
                for file in unchangedFiles {
                    CommandText.complain(
                        "\(path)/\(file) matches neither key and was not changed: it has a separate key, or is damaged."
                    )
                }
            } else {
                try await DatastoreManager.changeKey(ofBackup: path, from: oldKey, to: newKey) {
                    progress.show($0, of: $1)
                }
            }
        } catch {
            progress.end()
            throw CommandFailure(error)
        }
        progress.end()
        CommandText.printLine("\(done): \(path).")
    }
}
