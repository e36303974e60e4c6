//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys
import GodwitSQLite

/// What a database is encrypted with.
///
/// The format is SQLCipher 4's: every page of the file and of its logs is encrypted with AES-256 and has a code that tells
/// when it was changed.
///
/// ```swift
/// let diary = try await manager.datastore(named: "diary", encryption: .passphrase("correct horse"))
/// ```
public enum Encryption: Sendable {
    /// A passphrase of which the file's key is derived, as SQLCipher does: a fifth of a second of one core when the
    /// database is first opened. Its UTF-8 bytes count as they are.
    ///
    /// Another passphrase means another key, so that changing it writes the whole file anew
    /// (``DatastoreManager/rekey(named:from:to:)``). With a ``KeyFileProvider`` it takes a moment.
    case passphrase(String)
    /// A key of 32 bytes; SQLCipher's "raw key".
    case key(EncryptionKey)
    /// A key that is kept somewhere.
    case provider(any KeyProvider)
}

/// A key or a passphrase that is at hand.
enum Secret: Sendable {
    case passphrase(String)
    case key(EncryptionKey)

    /// Asks for the key when somebody else has it.
    init(_ encryption: Encryption) async throws(StoreError) {
        switch encryption {
        case .passphrase(""): throw StoreError(.noKey, "An empty passphrase encrypts nothing. Give another.")
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

    /// A disk whose files are encrypted with it.
    func disk(on disk: SQLiteDisk) throws -> SQLiteDisk { try withBytes { try disk.encrypted($0, $1) } }

    /// Whether a cipher was made with it.
    func isSecret(of cipher: PageCipher) -> Bool { withBytes { cipher.isMade($0, with: $1) } }

    private func withBytes<Result>(_ body: (PageCipher.Kind, UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        switch self {
        case .passphrase(var text): try text.withUTF8 { try body(.passphrase, UnsafeRawBufferPointer($0)) }
        case .key(let key): try key.withBytes { try body(.key, $0) }
        }
    }
}
