//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
import GodwitSQLite

/// The encryption of a database.
///
/// The format is SQLCipher 4's: every page of the file and of its logs is encrypted with AES-256 and has an
/// authentication code that detects changes.
///
/// ```swift
/// let diary = try await manager.datastore(named: "diary", encryption: .passphrase("correct horse"))
/// ```
public enum Encryption: Sendable {
    /// A passphrase from which the file's key is derived, as in SQLCipher. The derivation takes a fifth of a second on
    /// one core, when the database is opened for the first time. The passphrase's UTF-8 bytes are used without
    /// normalization.
    ///
    /// A different passphrase results in a different key. Therefore, to change the passphrase, the complete file is
    /// written again (``DatastoreManager/rekey(named:from:to:)``). The passphrase of a key file (``KeyFileProvider``)
    /// can be changed without writing the database again.
    case passphrase(String)
    /// A key of 32 bytes, which SQLCipher calls a "raw key".
    case key(EncryptionKey)
    /// A key from a provider, for example a key file.
    case provider(any KeyProvider)
}

/// A resolved key or passphrase.
enum Secret: Sendable {
    case passphrase(String)
    case key(EncryptionKey)

    /// Resolves an encryption. If the encryption has a key provider, requests the key from the provider.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/wrongKey`` if the provider's passphrase is wrong;
    ///   ``StoreError/Code/noKey`` for an empty passphrase and for any other error of the provider.
    init(_ encryption: Encryption) async throws(StoreError) {
        switch encryption {
        case .passphrase(""): throw StoreError(.noKey, "The passphrase must not be empty.")
        case .passphrase(let text): self = .passphrase(text)
        case .key(let key): self = .key(key)
        case .provider(let provider):
            do {
                self = .key(try await provider.key())
            } catch {
                let code: StoreError.Code = error.code == .wrongPassphrase ? .wrongKey : .noKey
                throw StoreError(code, "\(provider.name): \(error.message)", cause: error)
            }
        }
    }

    /// A disk interface whose files are encrypted with this secret.
    func disk(on disk: SQLiteDisk) throws -> SQLiteDisk { try withBytes { try disk.encrypted($0, $1) } }

    /// Whether a cipher was created with this secret.
    func isSecret(of cipher: PageCipher) -> Bool { withBytes { cipher.isCreated($0, with: $1) } }

    private func withBytes<Result>(_ body: (PageCipher.Kind, UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        switch self {
        case .passphrase(var text): try text.withUTF8 { try body(.passphrase, UnsafeRawBufferPointer($0)) }
        case .key(let key): try key.withBytes { try body(.key, $0) }
        }
    }
}
