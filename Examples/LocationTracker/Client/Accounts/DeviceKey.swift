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

/// The key of all that is stored on a device without a keychain: random, in a key file behind the user's password.
///
/// On Linux the kernel keeps it once it was unlocked, until the machine starts anew: so the next launch needs no password.
/// Where a container forbids the kernel's rings, and after a start of the machine, the password unlocks it, without a network.
public struct DeviceKey: KeyProvider {
    private let file: KeyFile
    private let password: String?

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - path: Where the key file is or will be.
    ///   - password: The user's password, or `nil` if it is not known yet.
    public init(path: String, password: String? = nil) {
        self.init(file: KeyFile(path: path), password: password)
    }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - file: The key file, which may be absent.
    ///   - password: The user's password, or `nil` if it is not known yet.
    public init(file: KeyFile, password: String?) {
        self.file = file
        self.password = password
    }

    /// The path of the key file.
    public var name: String { file.path }

    /// Whether there is a key, locked or not.
    public var exists: Bool { place.exists }

    private var place: DeviceFile { DeviceFile(path: file.path) }

    /// The key; a new one behind the password when there is none.
    ///
    /// - Throws: ``GodwitKeys/KeyError`` with code `passphraseNeeded` when no password was given and the kernel does not
    ///   keep it, `wrongPassphrase` when it is another than that which locked it.
    public func key() async throws(KeyError) -> EncryptionKey {
        if let key = await remembered() { return key }
        guard let password else {
            throw KeyError(
                .passphraseNeeded,
                "The data on this device is locked. Enter the password with which its user logged in.")
        }
        let key = try await exists ? file.unlock(passphrase: password) : file.create(passphrase: password)
        await remember(key)
        return key
    }

    /// Puts the key behind the password that was given, where it lies behind an earlier one: after a login that the
    /// server took. The kernel must still keep the key, else the earlier password is needed.
    ///
    /// - Throws: ``GodwitKeys/KeyError`` as ``key()`` does.
    public func adoptPassword() async throws(KeyError) {
        guard let password, exists else { return }
        do throws(KeyError) {
            _ = try await file.unlock(passphrase: password)
            return
        } catch {
            guard error.code == .wrongPassphrase else { throw error }
        }
        let key = try await key()
        let next = DeviceFile(path: "\(file.path).next")
        try stored { () throws(TrackerError) in try next.remove() }
        try await KeyFile(path: next.path).create(passphrase: password, key: key)
        await forget()
        try stored { () throws(TrackerError) in try place.replace(by: next) }
        await remember(key)
    }

    /// Removes the key, from the kernel too. What was encrypted with it cannot be read any more.
    public func remove() async throws(KeyError) {
        await forget()
        try stored { () throws(TrackerError) in try place.remove() }
    }

    private func stored(_ change: () throws(TrackerError) -> Void) throws(KeyError) {
        do throws(TrackerError) {
            try change()
        } catch {
            throw KeyError(.storage, error.message, cause: error)
        }
    }
}

// MARK: Kernel keyring

extension DeviceKey {
    #if os(Linux)
        /// The ring's entry for the file as it is: another file, or another password, is another entry.
        private var ring: KernelKeyringProvider? {
            guard let contents = place.contents else { return nil }
            let digits = SHA256.hash(data: contents).prefix(DeviceKey.digestBytes).map {
                ($0 < 16 ? "0" : "") + String($0, radix: 16)
            }
            return KernelKeyringProvider(keyName: "location-tracker-\(digits.joined())")
        }

        private static let digestBytes = 16

        private func remembered() async -> EncryptionKey? { try? await ring?.key() }

        // A kernel that keeps nothing costs the user the password at the next launch, and nothing else.
        private func remember(_ key: EncryptionKey) async { try? await ring?.put(key) }

        private func forget() async { try? await ring?.remove() }
    #else
        private func remembered() async -> EncryptionKey? { nil }

        private func remember(_ key: EncryptionKey) async {}

        private func forget() async {}
    #endif
}
