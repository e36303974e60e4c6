//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
import GodwitDatabase

extension BluePicModel {
    private var home: DeviceHome {
        DeviceHome(
            folder: configuration.folder, provider: configuration.key, application: BluePicModel.application)
    }

    /// Opens the data if the key is available. Otherwise, ``stage`` becomes `new` or `locked`, and the data must be
    /// opened with ``unlock(_:)``. A user who was signed in stays signed in, even without a network.
    public func start() async throws(DeviceError) { try await session.start(home, open: open) }

    /// Opens the data with the user's passphrase. On a new device, this sets the passphrase. Does nothing if the data
    /// is open.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` if the passphrase is wrong, or `input` if a new
    ///   passphrase is too short.
    public func unlock(_ passphrase: String) async throws(DeviceError) {
        guard store == nil else { return }
        try await session.unlock(home, passphrase: passphrase, open: open)
    }

    private func open(_ key: EncryptionKey) async throws(DeviceError) {
        let store = try await BluePicStore(folder: "\(configuration.folder)/data", key: key)
        do throws(DeviceError) {
            try await session.open(key: key, wiping: [store.manager], isGuest: store.storedState().isLater) {
                [weak self] notice in await self?.take(notice)
            }
        } catch {
            await store.close()
            throw error
        }
        self.store = store
        await refresh()
        await startFeed()
        if user != nil { await startQueue() }
    }

    /// Ends the work in the background, completes the operations in progress and closes the files.
    public func close() async {
        await stopWork()
        await store?.close()
        store = nil
    }

    private func stopWork() async {
        session.close()
        await stopTasks()
    }

    private func stopTasks() async {
        let running = [feedTask, queueTask].compactMap { $0 }
        for task in running { task.cancel() }
        for task in running { await task.value }
        (feedTask, queueTask, queue) = (nil, nil, nil)
    }

    // MARK: Signing in

    /// Shows the feed without a login. The user can sign in later.
    public func signInLater() async throws(DeviceError) {
        let store = try opened()
        var state = store.storedState()
        state.isLater = true
        try await store.store(state)
        session.enterAsGuest()
    }

    /// Shows the screen to sign in.
    public func showSignIn() throws(DeviceError) {
        _ = try opened()
        try session.showSignIn()
    }

    /// Signs a user in with a name and a password.
    ///
    /// - Parameters:
    ///   - registering: Whether to create the account before the login.
    ///   - fullName: The full name for the profile of a user who has no profile yet. If it is `nil` or empty, the name
    ///     of the account is used.
    /// - Throws: ``DeviceKit/DeviceError`` with code `refused` or `unreachable`; `locked` before the data is
    ///   open; `input` if a user is signed in.
    public func signIn(
        _ name: String, password: String, registering: Bool = false, fullName: String? = nil
    ) async throws(DeviceError) {
        _ = try opened()
        try await session.signIn(name, password: password, registering: registering) { _ in
            guard let access else { return }
            // An error is ignored, because the next login creates the profile if it could not be created now.
            try? await client(access).createProfile(named: fullName.flatMap { $0.isEmpty ? nil : $0 } ?? name)
        }
        await refresh()
        await startFeed()
        await startQueue()
    }

    /// Signs the user out, and removes the data from this device. Posts that the server does not have are lost. If the
    /// session cannot be removed from this device, the data remains.
    public func signOut() async throws(DeviceError) {
        let store = try signedIn().store
        await stopTasks()
        do throws(DeviceError) {
            try await session.signOut()
        } catch {
            await startFeed()
            await startQueue()
            throw error
        }
        do {
            try await store.manager.wipe()
        } catch {
            throw DeviceError(.storage, "The photos cannot be removed: \(error)", cause: error)
        }
        try await begin()
    }

    /// Closes the store whose data was removed, and opens an empty store.
    private func begin() async throws(DeviceError) {
        await stopWork()
        await store?.close()
        session.end()
        (store, posts) = (nil, [])
        (profileName, profilePicture, imageCount, isComplete, trouble) = (nil, nil, 0, false, nil)
        portraitTimes = [:]
        try await start()
    }

    private func take(_ notice: AccessNotice) async {
        switch notice {
        case .loggedOut:
            await refresh()
            await startFeed()
        // A new task is needed, because closing the session cancels the task that reads the notices.
        case .wiped: Task { try? await begin() }
        default: break
        }
    }
}
