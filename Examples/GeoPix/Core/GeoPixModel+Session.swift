//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
public import GodwitDatabase

extension GeoPixModel {
    /// The id of the application on the server.
    public static let application = "geopix"

    private var home: DeviceHome {
        DeviceHome(
            folder: configuration.folder, provider: configuration.key, application: GeoPixModel.application)
    }

    /// Opens the data if the key is available. If not, ``stage`` is `new` or `locked`, and ``unlock(_:)`` opens the
    /// data. A user who was signed in when the app was closed is signed in again, even without a network.
    public func start() async throws(DeviceError) { try await session.start(home, open: open) }

    /// Opens the data with the user's passphrase. On a new device, this call sets the passphrase. Does nothing if the
    /// data is open.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` if the passphrase is wrong, or `input` if a new
    ///   passphrase is too short.
    public func unlock(_ passphrase: String) async throws(DeviceError) {
        guard library == nil else { return }
        try await session.unlock(home, passphrase: passphrase, open: open)
    }

    private func open(_ key: EncryptionKey) async throws(DeviceError) {
        let library = try await PhotoLibrary(folder: "\(configuration.folder)/photos", key: key)
        do throws(DeviceError) {
            try await session.open(key: key, wiping: [library.manager], isGuest: false) { [weak self] notice in
                self?.take(notice)
            }
        } catch {
            await library.close()
            throw error
        }
        self.library = library
        stored = library.storedState()
        settings = stored.settings
        await registerRealms()
        await refresh()
        guard user != nil else {
            tasks.append(Task { await readLogins() })
            return
        }
        try await startReplication()
    }

    /// Ends the work in the background, completes the operations in progress and closes the files.
    public func close() async {
        session.close()
        for task in tasks { task.cancel() }
        retryTask?.cancel()
        await library?.close()
        library = nil
    }

    // MARK: Signing in

    /// Signs a user in with a name and a password. The user's photos are then pulled from the server.
    ///
    /// - Parameter registering: Whether the account is created.
    /// - Throws: ``DeviceKit/DeviceError`` with code `refused` or `unreachable`; `locked` if the photos are
    ///   locked; `input` if a user is signed in.
    public func signIn(_ name: String, password: String, registering: Bool = false) async throws(DeviceError) {
        try await signIn { (access) throws(AccessError) in
            registering
                ? try await access.register(name: name, password: password)
                : try await access.logIn(name: name, password: password)
        }
    }

    /// Signs a user in at a realm. The questions of the realm are in ``challenge``; ``answer(_:)`` answers them.
    public func signIn(realm: String) async throws(DeviceError) {
        guard logins.contains(where: { $0.id == realm && $0.kind == .custom }) else {
            throw DeviceError(.input, "There is no login \(realm).")
        }
        self.realm = realm
        defer { self.realm = nil }
        try await signIn { (access) throws(AccessError) in try await access.logIn(realm: realm) }
    }

    /// Answers the question of the realm.
    public func answer(_ values: JSONObject) {
        realmDelegate?.answer(values)
        challenge = nil
    }

    /// Cancels the login at a realm.
    public func cancelSignIn() {
        realmDelegate?.cancel()
        challenge = nil
    }

    func signIn(
        _ logIn: @Sendable (AccessManager) async throws(AccessError) -> AccessLogin
    ) async throws(DeviceError) {
        guard library != nil else { throw DeviceError(.locked, "Unlock the photos first.") }
        loginFailure = nil
        defer { challenge = nil }
        try await session.signIn(logIn)
        try await startReplication()
        tasks.append(Task { await pullOwnPhotos() })
    }

    /// Signs the user out, and removes the photos from this device. Photos that the server does not have are lost.
    /// Waits for a push in progress. If the session cannot be removed from this device, the photos remain.
    public func signOut() async throws(DeviceError) {
        let library = try ready().library
        retryTask?.cancel()
        await lane?.settled()
        try await session.signOut()
        do {
            try await library.manager.wipe()
        } catch {
            throw DeviceError(.storage, "The photos cannot be removed from this device.", cause: error)
        }
        try await begin()
    }

    /// Closes the library whose photos were removed, and opens an empty library.
    private func begin() async throws(DeviceError) {
        lane = nil
        await library?.close()
        session.end()
        (library, last) = (nil, nil)
        (count, waiting, unsentCount, replication) = (0, [], 0, ReplicationStatus())
        try await start()
    }

    private func registerRealms() async {
        let delegate = RealmDelegate { [weak self] challenge in
            Task { @MainActor in self?.challenge = challenge }
        }
        realmDelegate = delegate
        for login in logins where login.kind == .custom { await access?.register(delegate, for: login.id) }
    }

    private func take(_ notice: AccessNotice) {
        // A new task is needed, because closing the session cancels the task that reads the notices.
        if case .wiped = notice { Task { try? await begin() } }
    }
}
