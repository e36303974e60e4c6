//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
public import GodwitKeys

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key of all data on a device that has no keychain. It is a random key in a key file, which the user's password
/// protects.
///
/// On Linux, the kernel stores the unlocked key until the computer restarts, so that the next launch needs no password.
/// The password is needed after a restart, and in a container that forbids the use of the kernel's keyrings. No network
/// is needed for this.
public struct DeviceKey: KeyProvider {
    private let file: KeyFile
    private let password: String?
    private let application: String

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - path: The path of the key file, which may not exist yet.
    ///   - password: The user's password, or `nil` if it is not known yet.
    ///   - application: The name of the application, which the kernel's entry for the key contains.
    public init(path: String, password: String? = nil, application: String) {
        self.init(file: KeyFile(path: path), password: password, application: application)
    }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - file: The key file, which may not exist yet.
    ///   - password: The user's password, or `nil` if it is not known yet.
    ///   - application: The name of the application, which the kernel's entry for the key contains.
    public init(file: KeyFile, password: String?, application: String) {
        (self.file, self.password, self.application) = (file, password, application)
    }

    /// The path of the key file.
    public var name: String { file.path }

    /// Whether the key file exists.
    public var exists: Bool { deviceFile.exists }

    private var deviceFile: DeviceFile { DeviceFile(path: file.path) }

    /// Returns the key. If the key file does not exist, creates a new key that is protected by the password. If the
    /// kernel has the key, the password is not checked.
    ///
    /// - Throws: ``GodwitKeys/KeyError`` with code `passphraseNeeded` when no password is given and the kernel does not
    ///   have the key, `wrongPassphrase` when the key file has another password, and the errors of the key file.
    public func key() async throws(KeyError) -> EncryptionKey {
        if let key = await kernelKey() { return key }
        guard let password else {
            throw KeyError(
                .passphraseNeeded,
                "The data on this device is locked. Enter the password with which its user logged in.")
        }
        let key = try await exists ? file.unlock(passphrase: password) : file.create(passphrase: password)
        await storeInKernel(key)
        return key
    }

    /// If an earlier password protects the key file, protects it with the password of this provider instead. Does
    /// nothing when the provider has no password or the key file does not exist. Call this method after the server has
    /// accepted a login with the password.
    ///
    /// - Throws: ``GodwitKeys/KeyError`` as ``key()`` does; with code `wrongPassphrase` when the key file has an
    ///   earlier password and the kernel does not have the key.
    public func adoptPassword() async throws(KeyError) {
        guard let password, exists else { return }
        do throws(KeyError) {
            _ = try await file.unlock(passphrase: password)
            return
        } catch {
            guard error.code == .wrongPassphrase else { throw error }
        }
        let key = try await key()
        let newFile = DeviceFile(path: "\(file.path).next")
        try mappingErrors { () throws(DeviceError) in try newFile.remove() }
        try await KeyFile(path: newFile.path).create(passphrase: password, key: key)
        await removeFromKernel()
        try mappingErrors { () throws(DeviceError) in try deviceFile.replace(by: newFile) }
        await storeInKernel(key)
    }

    /// Removes the key file, and the key from the kernel. Data that was encrypted with the key cannot be read any more.
    public func remove() async throws(KeyError) {
        await removeFromKernel()
        try mappingErrors { () throws(DeviceError) in try deviceFile.remove() }
    }

    private func mappingErrors(_ change: () throws(DeviceError) -> Void) throws(KeyError) {
        do throws(DeviceError) {
            try change()
        } catch {
            throw KeyError(.storage, error.message, cause: error)
        }
    }
}

// MARK: Kernel keyring

extension DeviceKey {
    /// The kernel's entry for the current bytes of the file. Each file has its own entry. When the password
    /// changes, the bytes of the file change, and therefore also the entry.
    private var kernelEntry: KernelKeyringProvider? {
        guard let contents = deviceFile.contents else { return nil }
        let digits = SHA256.hash(data: contents).prefix(DeviceKey.digestBytes).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        return KernelKeyringProvider(keyName: "\(application)-\(digits.joined())")
    }

    private static let digestBytes = 16

    private func kernelKey() async -> EncryptionKey? { try? await kernelEntry?.key() }

    // An error is ignored, because the only effect is that the next launch needs the password.
    private func storeInKernel(_ key: EncryptionKey) async { try? await kernelEntry?.put(key) }

    private func removeFromKernel() async { try? await kernelEntry?.remove() }
}
