//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ArgumentParser
package import GodwitKeys

/// The options for the key of encrypted files.
package struct KeyOptions: ParsableArguments {
    /// The path of a file with the key: 64 hexadecimal digits, or a key file of `GodwitKeys`. If it is `nil`, the
    /// environment variables define the key or its file.
    @Option(
        help: """
            A file with the key of the databases: 64 hexadecimal digits, or a key file of GodwitKeys, whose passphrase is \
            in GODWIT_ENCRYPTION_PASSPHRASE. GODWIT_ENCRYPTION_KEY may contain the digits themselves.
            """)
    package var encryptionKeyFile: String?

    /// Creates the options for ArgumentParser, which sets their values when it parses a command line.
    package init() {}

    /// Returns the key that the option or an environment variable defines; `nil` when neither of them defines a key.
    ///
    /// - Throws: ``CommandFailure`` when the key is not valid or cannot be read, or its passphrase is missing or wrong.
    package func key() async throws -> EncryptionKey? {
        let settings = Settings()
        if let file = encryptionKeyFile ?? settings.string("encryptionKeyFile") {
            return try await KeyOptions.key(in: file)
        }
        guard let digits = settings.secret("encryptionKey") else { return nil }
        do {
            return try EncryptionKey(hexadecimal: digits)
        } catch {
            throw CommandFailure(message: "GODWIT_ENCRYPTION_KEY: \(error.message)")
        }
    }

    /// Reads a key from a file, plain or protected by a passphrase.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - setting: The name of the setting that contains the passphrase. If no name is given, or the setting is
    ///     missing, the passphrase comes from `GODWIT_ENCRYPTION_PASSPHRASE`.
    /// - Throws: ``CommandFailure`` when the file cannot be read or contains no key, or its passphrase is missing or
    ///   wrong.
    package static func key(in file: String, passphrase setting: String? = nil) async throws -> EncryptionKey {
        do {
            return try EncryptionKey(file: file)
        } catch {
            guard error.code == .passphraseNeeded else { throw CommandFailure(message: error.message) }
        }
        let settings = Settings()
        guard
            let passphrase = setting.flatMap({ settings.secret($0) }) ?? settings.secret("encryptionPassphrase")
        else {
            throw CommandFailure(message: "\(file) needs a passphrase. Set it in GODWIT_ENCRYPTION_PASSPHRASE.")
        }
        do {
            return try await KeyFileProvider(path: file, passphrase: passphrase).key()
        } catch {
            throw CommandFailure(message: error.message)
        }
    }
}
