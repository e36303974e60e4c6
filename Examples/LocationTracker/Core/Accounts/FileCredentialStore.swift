//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import DeviceKit
import GodwitJSON
public import GodwitKeys

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores an account in a file, encrypted with a provider's key; see ``GodwitKeys/KeyProvider``.
///
/// The file starts with a line that names its format. The nonce, the ciphertext and the tag of AES-256-GCM follow. The
/// tag authenticates the ciphertext and the first line. The encryption key is derived from the provider's key (HKDF
/// with SHA-256). Because the derived key is different, the provider's key can also be used to encrypt databases. Only
/// the owner can read the file. It is replaced atomically.
public struct FileCredentialStore: CredentialStore {
    /// The path of the file.
    public let path: String

    private let provider: any KeyProvider

    private var file: DeviceFile { DeviceFile(path: path) }

    private static let formatLine = Array("location-tracker-credentials 1\n".utf8)
    private static let derivationInfo = Data("location-tracker-credentials".utf8)

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - path: The path of the file, in an existing folder.
    ///   - key: The provider of the key.
    public init(path: String, key: any KeyProvider) {
        self.path = path
        provider = key
    }

    /// See ``CredentialStore/load()``. The code is also ``TrackerError/Code/locked`` if the encrypted part of the file
    /// is damaged, because this cannot be distinguished from a wrong key.
    public func load() async throws(TrackerError) -> TrackerAccount? {
        guard file.exists else { return nil }
        guard let bytes = file.contents else {
            throw TrackerError(.storage, "\(path) cannot be read. Check its permissions.")
        }
        return try FileCredentialStore.account(in: bytes, at: path, key: try await key())
    }

    private static func account(
        in bytes: Data, at path: String, key: SymmetricKey
    ) throws(TrackerError) -> TrackerAccount {
        guard bytes.starts(with: formatLine),
            let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(formatLine.count))
        else {
            throw TrackerError(.damaged, "\(path) contains no credentials. Log out, and log in again.")
        }
        guard let text = try? AES.GCM.open(box, using: key, authenticating: formatLine) else {
            throw TrackerError(
                .locked,
                "\(path) cannot be decrypted: the device's key is another one, or the file is damaged. "
                    + "If the key is lost, log out and log in again.")
        }
        guard let json = try? JSONValue(parsing: Array(text)), let username = json["username"]?.stringValue,
            let account = TrackerAccount(json, username: username)
        else { throw TrackerError(.damaged, "\(path) contains incomplete credentials. Log out, and log in again.") }
        return account
    }

    /// See ``CredentialStore/save(_:)``.
    public func save(_ account: TrackerAccount) async throws(TrackerError) {
        let key = try await key()
        let text = JSONValue.object(account.json).jsonBytes()
        guard let sealed = try? AES.GCM.seal(text, using: key, authenticating: FileCredentialStore.formatLine).combined
        else {
            throw TrackerError(.storage, "The credentials cannot be encrypted: AES-GCM failed.")
        }
        try mappingErrors { () throws(DeviceError) in try file.write(FileCredentialStore.formatLine + sealed) }
    }

    /// See ``CredentialStore/remove()``. It does not need the key.
    public func remove() async throws(TrackerError) {
        try mappingErrors { () throws(DeviceError) in try file.remove() }
    }

    private func mappingErrors(_ change: () throws(DeviceError) -> Void) throws(TrackerError) {
        do throws(DeviceError) {
            try change()
        } catch {
            throw TrackerError(.storage, error.message, cause: error)
        }
    }

    private func key() async throws(TrackerError) -> SymmetricKey {
        do throws(KeyError) {
            return try await provider.key().withBytes { bytes in
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: bytes), info: FileCredentialStore.derivationInfo,
                    outputByteCount: EncryptionKey.byteCount)
            }
        } catch {
            throw TrackerError(error)
        }
    }
}

extension TrackerError {
    /// Creates the tracker's error for an error of a key or of a private file.
    init(_ error: KeyError) {
        switch error.code {
        case .storage: self.init(.storage, error.message, cause: error)
        case .damaged, .formatTooNew: self.init(.damaged, error.message, cause: error)
        case .busy: self.init(.inUse, error.message, cause: error)
        default: self.init(.locked, error.message, cause: error)
        }
    }
}
