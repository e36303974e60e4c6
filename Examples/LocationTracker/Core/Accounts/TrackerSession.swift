//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase
public import GodwitKeys

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Manages the user of the app on this device. A session registers users, logs a user in and out, and restores the
/// login of a user without a network.
///
/// ```swift
/// let session = TrackerSession(credentials: store, folder: folder, key: key)
/// let account = try await session.resume() ?? session.logIn("ana", password: secret, at: server)
/// let tracks = try await session.openStore(of: account)
/// ```
public struct TrackerSession: Sendable {
    private let credentials: any CredentialStore
    private let folder: String
    private let key: any KeyProvider

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - credentials: The store of the account.
    ///   - folder: The app's folder; its databases are in the subfolder ``TrackerStore/folderName``.
    ///   - key: The provider of the databases' key.
    public init(credentials: any CredentialStore, folder: String, key: any KeyProvider) {
        self.credentials = credentials
        self.folder = folder
        self.key = key
    }

    /// Registers a user and logs the user in.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/userExists``, and the errors of
    ///   ``logIn(_:password:at:)``. If the registration succeeds but the login fails, the user remains registered.
    public func register(
        _ username: String, password: String, at server: TrackerServer
    ) async throws(TrackerError) -> TrackerAccount {
        try await checkNobodyElse(than: username)
        try await server.register(username, password: password)
        return try await logIn(username, password: password, at: server)
    }

    /// Logs a user in and stores the account on the device. The call needs a network.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/wrongCredentials``, ``TrackerError/Code/unreachable``,
    ///   ``TrackerError/Code/otherUser`` while another user is logged in here, and other errors of the server and the
    ///   store.
    public func logIn(
        _ username: String, password: String, at server: TrackerServer
    ) async throws(TrackerError) -> TrackerAccount {
        try await checkNobodyElse(than: username)
        let account = try await server.logIn(username, password: password)
        try await credentials.save(account)
        return account
    }

    /// Returns the account of the user who is logged in on this device, without a network; `nil` when no user is logged
    /// in.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/locked`` when the store cannot be opened now, and the
    ///   other errors of ``CredentialStore/load()``.
    public func resume() async throws(TrackerError) -> TrackerAccount? { try await credentials.load() }

    /// Logs the user out and removes databases and credentials from this device. Locations that were not pushed are
    /// lost.
    ///
    /// This method works even if the credentials cannot be decrypted. If the process crashes during the call, the
    /// method can be called again.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/inUse`` while another process uses the databases; in
    ///   this case, nothing is removed. The code is ``TrackerError/Code/storage`` when the files cannot be removed.
    public func logOut() async throws(TrackerError) {
        try await removeDatabases()
        try await credentials.remove()
    }

    /// Opens the databases of the user who is logged in. If they do not exist, they are created.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/inUse`` while another process uses the databases,
    ///   ``TrackerError/Code/locked`` when the key is not available, and the errors of ``TrackerStore``.
    public func openStore(of account: TrackerAccount) async throws(TrackerError) -> TrackerStore {
        let key: EncryptionKey
        do throws(KeyError) {
            key = try await self.key.key()
        } catch {
            throw TrackerError(error)
        }
        return try await TrackerStore(folder: databasesFolder, key: key, username: account.username)
    }

    private var databasesFolder: String { "\(folder)/\(TrackerStore.folderName)" }

    private func checkNobodyElse(than username: String) async throws(TrackerError) {
        guard let account = try await credentials.load(), account.username != username else { return }
        throw TrackerError(
            .otherUser,
            "\(account.username) is logged in on this device. Log out first; locations that were not pushed are lost.")
    }

    private func removeDatabases() async throws(TrackerError) {
        guard FileManager.default.fileExists(atPath: databasesFolder) else { return }
        do throws(StoreError) {
            // The manager is opened only to check that no other process uses the directory. No key is passed, so the
            // encrypted databases are not opened.
            await (try DatastoreManager(directory: databasesFolder)).close()
        } catch {
            if error.code == .directoryInUse { throw TrackerError(error) }
        }
        do {
            try FileManager.default.removeItem(atPath: databasesFolder)
        } catch {
            throw TrackerError(.storage, "\(databasesFolder) cannot be removed: \(error)", cause: error)
        }
    }
}

extension TrackerError {
    /// Creates the tracker's error for an error of the datastore.
    init(_ error: StoreError) {
        switch error.code {
        case .directoryInUse:
            self.init(
                .inUse, "Another location-tracker process uses the data on this device. Stop it first.", cause: error)
        case .encrypted, .notEncrypted, .wrongKey, .noKey:
            self.init(
                .locked, "The data on this device cannot be opened with its key: \(error.message)", cause: error)
        case .corrupt: self.init(.damaged, error.message, cause: error)
        default: self.init(.storage, error.message, cause: error)
        }
    }
}
