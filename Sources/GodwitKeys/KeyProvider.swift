//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where the key of a database comes from.
///
/// ``KeyFileProvider`` asks a key file and a passphrase, ``KernelKeyringProvider`` the kernel of Linux,
/// ``EnvironmentKeyProvider`` a variable, and on Apple's systems `KeychainProvider` the keychain. One of your own has a
/// name and gives the same key each time.
public protocol KeyProvider: Sendable {
    /// What it is, for messages: a path, a variable's name. Never a secret.
    var name: String { get }

    /// The key.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` when there is none, ``KeyError/Code/wrongPassphrase`` when there is
    ///   one that the passphrase does not open, and what else can stand in the way.
    func key() async throws(KeyError) -> EncryptionKey
}
