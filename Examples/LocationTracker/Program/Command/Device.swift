//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitDatabase
import LocationTrackerClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The data on this machine: the key, the account, and the user's databases.
struct Device {
    private let folder: String

    init(_ options: DataOption) throws(TrackerError) {
        folder = options.folder
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw TrackerError(.storage, "\(folder) cannot be created: \(error)", cause: error)
        }
    }

    /// Returns the provider of the key. If the environment variable ``Settings/keyVariable`` is set, its value is the
    /// key. If it is not set, the key is read from the key file.
    private func key(_ password: String?) -> any KeyProvider {
        Settings.hasKey
            ? EnvironmentKeyProvider(variable: Settings.keyVariable) : deviceKey(password)
    }

    private func deviceKey(_ password: String?) -> DeviceKey {
        DeviceKey(path: "\(folder)/device.key", password: password, application: "location-tracker")
    }

    private func session(_ password: String?) -> TrackerSession {
        let key = key(password)
        return TrackerSession(
            credentials: FileCredentialStore(path: "\(folder)/credentials", key: key), folder: folder, key: key)
    }

    /// Logs a user in, and registers the user first if requested.
    func logIn(
        _ username: String, password: String, at server: TrackerServer, registering: Bool
    ) async throws -> TrackerAccount {
        let session = session(password)
        let account =
            registering
            ? try await session.register(username, password: password, at: server)
            : try await session.logIn(username, password: password, at: server)
        if !Settings.hasKey { try await deviceKey(password).adoptPassword() }
        return account
    }

    /// Returns the account that is logged in, and its session. Asks for the password if the environment has neither the
    /// key nor the password, and the kernel does not have the key.
    ///
    /// - Throws: ``TrackerError`` with code `notLoggedIn` if no user is logged in, and the errors of the session.
    func resume() async throws -> (session: TrackerSession, account: TrackerAccount) {
        let session = session(Settings.password)
        do {
            return (session, try requireAccount(await session.resume()))
        } catch let error as TrackerError {
            guard (error.cause as? KeyError)?.code == .passphraseNeeded else { throw error }
        }
        let unlocked = self.session(try Terminal.password("Password (to unlock the data on this device): "))
        return (unlocked, try requireAccount(await unlocked.resume()))
    }

    private func requireAccount(_ account: TrackerAccount?) throws -> TrackerAccount {
        guard let account else {
            throw TrackerError(
                .notLoggedIn, "No user is logged in. Log in with `location-tracker login NAME`, or `register`.")
        }
        return account
    }

    /// Removes the databases, the account and the key file.
    func logOut() async throws {
        try await session(nil).logOut()
        try await deviceKey(nil).remove()
    }
}
