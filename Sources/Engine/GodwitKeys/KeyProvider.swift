//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A source of the key of a database.
///
/// ``KeyFileProvider`` uses a key file and a passphrase, ``KernelKeyringProvider`` uses the kernel of Linux, and
/// ``EnvironmentKeyProvider`` uses a variable. On Apple's systems, `KeychainProvider` uses the keychain. You can also
/// write your own provider. It must return the same key at each call.
public protocol KeyProvider: Sendable {
    /// A description for messages, for example a path or a variable's name. It must not contain a secret.
    var name: String { get }

    /// Returns the key.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` if the key is absent, ``KeyError/Code/wrongPassphrase`` if the
    ///   passphrase is wrong, or another code.
    func key() async throws(KeyError) -> EncryptionKey
}
