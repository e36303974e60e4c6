//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitKeys

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The directory of an app's data on a device, and the key that protects this data. The key comes from a provider.
/// Without a provider, it is in a key file that the user's passphrase protects.
public struct DeviceHome: Sendable {
    /// The minimum length of a passphrase, in characters.
    public static let passphraseLengthMin = 8

    /// The state of the key.
    public enum KeyState: Sendable {
        /// The key is available.
        case open(EncryptionKey)
        /// The key file needs its passphrase.
        case locked
        /// There is no key file yet. The user must choose a passphrase.
        case new
    }

    /// The path of the directory.
    public let folder: String
    private let provider: (any KeyProvider)?
    private let application: String

    /// Creates an object for a directory, which may not exist yet.
    ///
    /// - Parameters:
    ///   - provider: The provider of the key; `nil` for a key file with a passphrase.
    ///   - application: The name of the application.
    public init(folder: String, provider: (any KeyProvider)?, application: String) {
        (self.folder, self.provider, self.application) = (folder, provider, application)
    }

    private var keyPath: String { "\(folder)/device.key" }

    /// Creates the directory, which only its owner can read. If the directory exists, this method does nothing, and the
    /// permissions of the directory remain unchanged.
    public func create() throws(DeviceError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DeviceError(.storage, "\(folder) cannot be created: \(error)", cause: error)
        }
    }

    /// Returns the key if it is available without a passphrase. Otherwise, returns whether the user must enter or
    /// choose a passphrase.
    ///
    /// - Throws: ``DeviceError`` with code ``DeviceError/Code/locked`` if the provider has no key.
    public func keyState() async throws(DeviceError) -> KeyState {
        if let provider { return .open(try await key(of: provider)) }
        let deviceKey = DeviceKey(path: keyPath, application: application)
        guard deviceKey.exists else { return .new }
        // No passphrase is given here. Therefore the key can only come from the kernel, which loses it when the
        // computer restarts.
        guard let key = try? await deviceKey.key() else { return .locked }
        return .open(key)
    }

    /// Returns the key of the key file, which a passphrase protects. If there is no key file, creates one. If the
    /// kernel already has the key, the passphrase is not checked.
    ///
    /// - Throws: ``DeviceError`` with code ``DeviceError/Code/input`` if a new passphrase is too short, or
    ///   ``DeviceError/Code/locked`` if the passphrase is wrong or the key file cannot be used.
    public func key(passphrase: String) async throws(DeviceError) -> EncryptionKey {
        let deviceKey = DeviceKey(path: keyPath, password: passphrase, application: application)
        guard deviceKey.exists || passphrase.count >= DeviceHome.passphraseLengthMin else {
            throw DeviceError(.input, "The passphrase needs at least \(DeviceHome.passphraseLengthMin) characters.")
        }
        return try await key(of: deviceKey)
    }

    private func key(of provider: any KeyProvider) async throws(DeviceError) -> EncryptionKey {
        do throws(KeyError) {
            return try await provider.key()
        } catch {
            throw DeviceError(
                .locked, error.code == .wrongPassphrase ? "The passphrase is wrong." : error.message, cause: error)
        }
    }
}

/// A provider of a key that is in memory.
public struct KnownKey: KeyProvider {
    /// The description of the key.
    public let name = "the key of the device"
    private let known: EncryptionKey

    /// Creates a provider.
    public init(_ key: EncryptionKey) { known = key }

    /// Returns the key.
    public func key() async throws(KeyError) -> EncryptionKey { known }
}
