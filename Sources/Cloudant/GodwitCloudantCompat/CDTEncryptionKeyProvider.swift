//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Godwit

/// A key of 32 bytes.
///
/// Origin: `CDTEncryptionKey`. New: ``GodwitKeys/EncryptionKey``.
@available(*, deprecated, message: "Use EncryptionKey.")
public final class CDTEncryptionKey {
    /// The number of bytes of a key.
    ///
    /// Origin: `CDTENCRYPTIONKEY_KEYSIZE`. New: ``GodwitKeys/EncryptionKey/byteCount``.
    public static let keySize = EncryptionKey.byteCount

    let key: EncryptionKey

    /// Creates a key; `nil` if the number of bytes is not ``keySize``.
    ///
    /// Origin: `initWithData:`. New: ``GodwitKeys/EncryptionKey/init(bytes:)``.
    public init?(data: Data) {
        guard let key = try? EncryptionKey(bytes: Array(data)) else { return nil }
        self.key = key
    }
}

/// Provides the key of a datastore.
///
/// Origin: `CDTEncryptionKeyProvider`. New: ``GodwitKeys/KeyProvider``.
@available(*, deprecated, message: "Use KeyProvider.")
public protocol CDTEncryptionKeyProvider {
    /// Returns the key; `nil` if there is no key. In this case, the datastore is opened only if the provider is a
    /// ``CDTEncryptionKeyNilProvider``. With any other provider, the datastore is not opened; Cloudant Sync would
    /// create it without encryption.
    ///
    /// Origin: `encryptionKey`. New: ``GodwitKeys/KeyProvider/key()``.
    func encryptionKey() throws -> CDTEncryptionKey?
}

/// Provides a key that the app itself stores.
///
/// Origin: `CDTEncryptionKeySimpleProvider`. New: ``GodwitStore/Encryption/key(_:)``.
@available(*, deprecated, message: "Use Encryption.key(_:).")
public struct CDTEncryptionKeySimpleProvider: CDTEncryptionKeyProvider {
    private let key: CDTEncryptionKey?

    /// Creates a provider from the bytes of a key. If the number of bytes is not ``CDTEncryptionKey/keySize``, the
    /// provider has no key.
    ///
    /// Origin: `initWithKey:`. New: ``GodwitStore/Encryption/key(_:)``.
    public init(key: Data) { self.key = CDTEncryptionKey(data: key) }

    /// See ``CDTEncryptionKeyProvider/encryptionKey()``.
    ///
    /// Origin: `encryptionKey`. New: ``GodwitStore/Encryption/key(_:)``.
    public func encryptionKey() throws -> CDTEncryptionKey? { key }
}

/// Provides no key, so the datastore is not encrypted.
///
/// Origin: `CDTEncryptionKeyNilProvider`. New: open the datastore without encryption.
@available(*, deprecated, message: "Open the datastore without encryption.")
public struct CDTEncryptionKeyNilProvider: CDTEncryptionKeyProvider {
    /// Creates the provider.
    ///
    /// Origin: `provider`. New: open the datastore without encryption.
    public init() {}

    /// See ``CDTEncryptionKeyProvider/encryptionKey()``.
    ///
    /// Origin: `encryptionKey`. New: open the datastore without encryption.
    public func encryptionKey() throws -> CDTEncryptionKey? { nil }
}

/// Provides a random key that is stored encrypted with a password: on Apple's systems in the keychain, on other systems
/// in a file in the folder ``folder``. The first use creates the key. A wrong password is an error.
///
/// This provider does not read the key that an old app stored in the keychain. For such data, use `godwit import-cdt`
/// or ``CloudantImporter``, which accept the key as bytes or as the values of the keychain item (`CloudantWrappedKey`).
///
/// Origin: `CDTEncryptionKeychainProvider`. New: `KeychainProvider`, or ``GodwitKeys/KeyFileProvider`` on Linux.
@available(*, deprecated, message: "Use KeychainProvider or KeyFileProvider.")
public struct CDTEncryptionKeychainProvider: CDTEncryptionKeyProvider {
    /// The folder of the key files on systems without a keychain. Set it before the first use. By default,
    /// `~/.local/share/godwit-keys`.
    ///
    /// Origin: none. New: the path of ``GodwitKeys/KeyFileProvider``.
    public var folder = NSHomeDirectory() + "/.local/share/godwit-keys"
    private let password: String
    private let identifier: String

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - identifier: The name of the stored key.
    ///
    /// Origin: `initWithPassword:forIdentifier:`. New: `KeychainProvider(identifier:password:)`.
    public init(password: String, forIdentifier identifier: String) {
        (self.password, self.identifier) = (password, identifier)
    }

    /// See ``CDTEncryptionKeyProvider/encryptionKey()``.
    ///
    /// - Throws: ``CDTError`` with the code 400 if the password is wrong or the stored key cannot be used, or 500 if
    ///   the folder cannot be created.
    ///
    /// Origin: `encryptionKey`. New: ``GodwitKeys/KeyProvider/key()``.
    public func encryptionKey() throws -> CDTEncryptionKey? {
        let provider = try provider()
        let key = try CDTError.waiting { try await provider.key() }
        return CDTEncryptionKey(data: key.withBytes { Data($0) })
    }

    /// Changes the password that protects the stored key, and returns a provider with the new password. The key and the
    /// datastore are not changed. Cloudant Sync could not do this.
    ///
    /// - Throws: ``CDTError`` with the code 400 if the password of this provider is wrong or no key is stored.
    ///
    /// Origin: none. New: `KeychainProvider.changePassword(to:)`, ``GodwitKeys/KeyFile/changePassphrase(_:to:)``.
    public func changePassword(to newPassword: String) throws -> CDTEncryptionKeychainProvider {
        let password = password
        let (item, file) = (KeychainProvider(identifier: identifier, password: password), KeyFile(path: path))
        try CDTError.waiting {
            if KeychainItem.isAvailable {
                _ = try await item.changePassword(to: newPassword)
            } else {
                try await file.changePassphrase(password, to: newPassword)
            }
        }
        var changed = CDTEncryptionKeychainProvider(password: newPassword, forIdentifier: identifier)
        changed.folder = folder
        return changed
    }

    private func provider() throws -> any KeyProvider {
        if KeychainItem.isAvailable { return KeychainProvider(identifier: identifier, password: password) }
        try CDTError.converting {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        return KeyFileProvider(path: path, passphrase: password, makingFile: true)
    }

    /// The path of the key file. The identifier is encoded, so that it cannot refer to another folder.
    private var path: String {
        let name = identifier.utf8.map { String($0, radix: 16) }.joined(separator: "-")
        return "\(folder)/\(name).key"
    }
}

@available(*, deprecated)
extension CDTEncryptionKeyProvider {
    /// Returns the encryption of a datastore; `nil` for a datastore without encryption.
    func encryption() throws -> Encryption? {
        if self is CDTEncryptionKeyNilProvider { return nil }
        guard let key = try encryptionKey() else {
            throw CDTError(400, "The key provider has no key. The datastore is not opened without encryption instead.")
        }
        return .key(key.key)
    }
}
