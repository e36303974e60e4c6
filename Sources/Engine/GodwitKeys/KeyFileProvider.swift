//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A provider that reads the key from a key file with a passphrase; see ``KeyFile``.
///
/// ```swift
/// let provider = KeyFileProvider(path: "trips.keyfile", passphrase: "correct horse", makingFile: true)
/// ```
public struct KeyFileProvider: KeyProvider {
    /// The file. Use it to add, change and remove passphrases.
    public let file: KeyFile

    private let passphrase: Passphrase
    private let makesFile: Bool

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - passphrase: A passphrase of the file.
    ///   - makesFile: Whether to create a file with a new random key if the file is absent. This also happens if the
    ///     file was lost. The new key then cannot open the databases that were encrypted with the lost key.
    public init(path: String, passphrase: String, makingFile makesFile: Bool = false) {
        self.init(file: KeyFile(path: path), passphrase: passphrase, makingFile: makesFile)
    }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - file: The file with the key.
    ///   - passphrase: A passphrase of the file.
    ///   - makesFile: Whether to create a file with a new random key if the file is absent.
    package init(file: KeyFile, passphrase: String, makingFile makesFile: Bool) {
        self.file = file
        self.passphrase = Passphrase(passphrase)
        self.makesFile = makesFile
    }

    /// The path of the file.
    public var name: String { file.path }

    /// Reads the key. If the file is absent and the provider may create it, creates the file with a new key. The
    /// passphrase is tried with each stored form of the key, one after the other, until it matches one. Each attempt
    /// takes about 0.3 s.
    ///
    /// - Throws: The errors of ``KeyFile/unlock(passphrase:)``. If the file is created, also the errors of
    ///   ``KeyFile/create(passphrase:label:key:)``.
    public func key() async throws(KeyError) -> EncryptionKey {
        do throws(KeyError) {
            return try await file.unlock(passphrase)
        } catch {
            guard makesFile, error.code == .noKey else { throw error }
        }
        do throws(KeyError) {
            return try await file.create(passphrase, label: "default", key: .random())
        } catch {
            guard error.code == .keyExists else { throw error }
            // In the meantime, another process has created the file.
            return try await file.unlock(passphrase)
        }
    }
}
