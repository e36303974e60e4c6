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

/// Who uses the app on this device: registers, logs in, finds who is logged in without a network, and logs out.
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
    ///   - credentials: Where it is kept who is logged in.
    ///   - folder: The app's folder; its databases are in ``TrackerStore/folderName`` below it.
    ///   - key: What the databases are encrypted with.
    public init(credentials: any CredentialStore, folder: String, key: any KeyProvider) {
        self.credentials = credentials
        self.folder = folder
        self.key = key
    }

    /// Registers a user, who is logged in then.
    ///
    /// - Throws: ``TrackerError``: ``TrackerError/Code/userExists``, and what ``logIn(_:password:at:)`` throws. When the login
    ///   fails the user is registered all the same.
    public func register(
        _ username: String, password: String, at server: TrackerServer
    ) async throws(TrackerError) -> TrackerAccount {
        try await checkNobodyElse(than: username)
        try await server.register(username, password: password)
        return try await logIn(username, password: password, at: server)
    }

    /// Logs a user in, and keeps that on the device. Takes a network.
    ///
    /// - Throws: ``TrackerError``: ``TrackerError/Code/wrongCredentials``, ``TrackerError/Code/unreachable``,
    ///   ``TrackerError/Code/otherUser`` while somebody else is logged in here.
    public func logIn(
        _ username: String, password: String, at server: TrackerServer
    ) async throws(TrackerError) -> TrackerAccount {
        try await checkNobodyElse(than: username)
        let account = try await server.logIn(username, password: password)
        try await credentials.save(account)
        return account
    }

    /// Who is logged in on this device, without a network; `nil` for nobody.
    ///
    /// - Throws: ``TrackerError``: ``TrackerError/Code/locked`` when the credentials cannot be opened now.
    public func resume() async throws(TrackerError) -> TrackerAccount? { try await credentials.load() }

    /// Forgets the user: databases and credentials of this device are gone then. What was not pushed is lost.
    ///
    /// Works when the credentials cannot be opened any more, too. Repeated after a crash, it goes on.
    ///
    /// - Throws: ``TrackerError`` with code ``TrackerError/Code/inUse`` while another process uses the databases; nothing
    ///   is removed then.
    public func logOut() async throws(TrackerError) {
        try await removeDatabases()
        try await credentials.remove()
    }

    /// Opens the databases of the user who is logged in.
    ///
    /// - Throws: ``TrackerError``: ``TrackerError/Code/inUse`` while another process has them,
    ///   ``TrackerError/Code/locked``.
    public func openStore(of account: TrackerAccount) async throws(TrackerError) -> TrackerStore {
        let key: EncryptionKey
        do throws(KeyError) {
            key = try await self.key.key()
        } catch {
            throw TrackerError(error)
        }
        return try await TrackerStore(folder: databases, key: key, username: account.username)
    }

    private var databases: String { "\(folder)/\(TrackerStore.folderName)" }

    private func checkNobodyElse(than username: String) async throws(TrackerError) {
        guard let known = try await credentials.load(), known.username != username else { return }
        throw TrackerError(
            .otherUser,
            "\(known.username) is logged in on this device. Log out first; locations that were not pushed are lost.")
    }

    private func removeDatabases() async throws(TrackerError) {
        guard FileManager.default.fileExists(atPath: databases) else { return }
        do throws(StoreError) {
            // Only to see that nobody has them: the key is not asked for, and what is encrypted does not open.
            await (try DatastoreManager(directory: databases)).close()
        } catch {
            if error.code == .directoryInUse { throw TrackerError(error) }
        }
        do {
            try FileManager.default.removeItem(atPath: databases)
        } catch {
            throw TrackerError(.storage, "\(databases) cannot be removed: \(error)", cause: error)
        }
    }
}

extension TrackerError {
    /// The tracker's error for a failure of the datastore.
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
