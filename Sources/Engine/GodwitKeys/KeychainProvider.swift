//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A provider that stores a random key in the keychain of Apple's systems. The key is wrapped (encrypted) with a
/// password.
///
/// The item in the keychain is a generic password of the service `godwit-keys`. The item can be read after the
/// device has been unlocked for the first time since its start. The item has the same content as a ``KeyFile``,
/// with two consequences: a wrong password is detected, and a new password does not require a new key for the
/// databases. On systems without a keychain, the methods throw ``KeyError/Code/unavailable``; see
/// ``KeychainItem/isAvailable``.
public struct KeychainProvider: KeyProvider {
    private static let service = "godwit-keys"
    private static let label = "default"

    /// The account of the item.
    public let identifier: String

    private let password: Passphrase
    private let makesItem: Bool

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - identifier: The account of the item, for example the name of a database.
    ///   - password: The password that wraps the key. Its UTF-8 bytes are used without normalization.
    ///   - makesItem: Whether to create an item with a new random key if the item is absent.
    public init(identifier: String, password: String, makingItem makesItem: Bool = true) {
        self.identifier = identifier
        self.password = Passphrase(password)
        self.makesItem = makesItem
    }

    /// The account of the item.
    public var name: String { "keychain item \(identifier)" }

    /// Reads the key. If the item is absent and the provider may create it, creates the item with a new key. Takes
    /// about 0.3 s.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/wrongPassphrase``, ``KeyError/Code/noKey`` if the item is absent and
    ///   must not be created, ``KeyError/Code/unavailable`` if the keychain refuses access, for example on a locked
    ///   device, ``KeyError/Code/damaged`` or ``KeyError/Code/formatTooNew`` if the item is not valid,
    ///   ``KeyError/Code/invalidPassphrase`` if an item is to be created and the password is empty or too long.
    public func key() async throws(KeyError) -> EncryptionKey {
        try await KeyWork.run { () throws(KeyError) in
            if let wrapped = try read() { return try wrapped.unlock(password) }
            guard makesItem else { throw noItem }
            let key = EncryptionKey.random()
            let wrapped = try WrappedKey(
                position: name, wrapping: key, for: password, label: KeychainProvider.label, cost: .standard)
            if try item.add(wrapped.serialized()) { return key }
            // In the meantime, another process has created the item.
            guard let theirs = try read() else { throw noItem }
            return try theirs.unlock(password)
        }
    }

    /// Wraps the key with another password. After that, providers with the old password throw
    /// ``KeyError/Code/wrongPassphrase``.
    ///
    /// - Returns: A provider with the new password.
    /// - Throws: ``KeyError``: ``KeyError/Code/wrongPassphrase``, ``KeyError/Code/noKey``,
    ///   ``KeyError/Code/invalidPassphrase`` if the new password is empty or too long, ``KeyError/Code/damaged`` or
    ///   ``KeyError/Code/formatTooNew`` if the item is not valid, ``KeyError/Code/unavailable``.
    public func changePassword(to new: String) async throws(KeyError) -> KeychainProvider {
        let newPassword = Passphrase(new)
        try await KeyWork.run { () throws(KeyError) in
            guard var wrapped = try read() else { throw noItem }
            try wrapped.change(password, to: newPassword, cost: .standard)
            guard try item.update(wrapped.serialized()) else { throw noItem }
        }
        return KeychainProvider(identifier: identifier, password: new, makingItem: makesItem)
    }

    /// Removes the item. Data that was encrypted with its key can no longer be read.
    ///
    /// - Throws: ``KeyError``: ``KeyError/Code/noKey`` if the item is absent, ``KeyError/Code/unavailable``.
    public func remove() throws(KeyError) {
        guard try item.remove() else { throw noItem }
    }
}

extension KeychainProvider {
    private var item: KeychainItem { KeychainItem(service: KeychainProvider.service, account: identifier) }

    private func read() throws(KeyError) -> WrappedKey? {
        guard let bytes = try item.read() else { return nil }
        guard bytes.count <= KeyLimits.keyFileBytesMax else {
            throw KeyError(.damaged, "The \(name) has more than \(KeyLimits.keyFileBytesMax) bytes.")
        }
        return try WrappedKey(parsing: bytes, position: name)
    }

    private var noItem: KeyError { KeyError(.noKey, "The \(name) does not exist.") }
}
