//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Takes the key from a key file that a passphrase opens; see ``KeyFile``.
///
/// ```swift
/// let provider = KeyFileProvider(path: "trips.keyfile", passphrase: "correct horse", makingFile: true)
/// ```
public struct KeyFileProvider: KeyProvider {
    /// The file. Passphrases are added, changed and removed there.
    public let file: KeyFile

    private let passphrase: Passphrase
    private let makesFile: Bool

    /// - Parameters:
    ///   - path: Where the file is.
    ///   - passphrase: One of its passphrases.
    ///   - makesFile: Whether a file with a new random key is made when there is none. A file that got lost is then
    ///     replaced too, by one whose key opens no database that was encrypted before.
    public init(path: String, passphrase: String, makingFile makesFile: Bool = false) {
        self.init(file: KeyFile(path: path), passphrase: passphrase, makingFile: makesFile)
    }

    package init(file: KeyFile, passphrase: String, makingFile makesFile: Bool) {
        self.file = file
        self.passphrase = Passphrase(passphrase)
        self.makesFile = makesFile
    }

    /// The path of the file.
    public var name: String { file.path }

    /// The key. Costs about 0.3 s for each passphrase of the file up to the right one.
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
            // Another process made it first.
            return try await file.unlock(passphrase)
        }
    }
}
