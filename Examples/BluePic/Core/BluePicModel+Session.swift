//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitDatabase
public import GodwitDeviceKit

extension BluePicModel {
    private var home: DeviceHome {
        DeviceHome(
            folder: configuration.folder, provider: configuration.key, application: BluePicModel.application)
    }

    /// Opens the data if the key is available. Otherwise, ``stage`` becomes `new` or `locked`, and the data must be
    /// opened with ``unlock(_:)``. A user who was signed in stays signed in, even without a network.
    public func start() async throws(DeviceError) {
        try home.create()
        switch try await home.keyState() {
        case .open(let key): try await open(with: key)
        case .locked: stage = .locked
        case .new: stage = .new
        }
    }

    /// Opens the data with the user's passphrase. On a new device, this sets the passphrase. Does nothing if the data
    /// is open.
    ///
    /// - Throws: ``GodwitDeviceKit/DeviceError`` with code `locked` if the passphrase is wrong, or `input` if a new
    ///   passphrase is too short.
    public func unlock(_ passphrase: String) async throws(DeviceError) {
        guard store == nil else { return }
        busy = "unlocking"
        defer { busy = nil }
        try await open(with: try await home.key(passphrase: passphrase))
    }

    private func open(with key: EncryptionKey) async throws(DeviceError) {
        let store = try await BluePicStore(folder: "\(configuration.folder)/data", key: key)
        let access: AccessManager
        do throws(DeviceError) {
            (access, user) = try await AccessManager.opened(
                server: server, application: BluePicModel.application, device: configuration.device,
                version: configuration.version, folder: configuration.folder, key: key, wiping: [store.manager],
                transport: configuration.transport)
        } catch {
            await store.close()
            throw error
        }
        (self.store, self.access) = (store, access)
        await watchNotices(of: access)
        stage = user != nil || store.storedState().isLater ? .ready : .signedOut
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
        let running = tasks + [feedTask, queueTask].compactMap { $0 }
        for task in running { task.cancel() }
        for task in running { await task.value }
        (feedTask, queueTask, tasks, queue) = (nil, nil, [], nil)
    }

    // MARK: Signing in

    /// Shows the feed without a login. The user can sign in later.
    public func signInLater() async throws(DeviceError) {
        let store = try opened()
        var state = store.storedState()
        state.isLater = true
        try await store.store(state)
        stage = .ready
    }

    /// Shows the screen to sign in.
    public func showSignIn() throws(DeviceError) {
        _ = try opened()
        guard user == nil else { throw DeviceError(.input, "Sign out first.") }
        stage = .signedOut
    }

    /// Signs a user in with a name and a password.
    ///
    /// - Parameters:
    ///   - registering: Whether to create the account before the login.
    ///   - fullName: The full name for the profile of a user who has no profile yet. If it is `nil` or empty, the name
    ///     of the account is used.
    /// - Throws: ``GodwitDeviceKit/DeviceError`` with code `refused` or `unreachable`; `locked` before the data is
    ///   open; `input` if a user is signed in.
    public func signIn(
        _ name: String, password: String, registering: Bool = false, fullName: String? = nil
    ) async throws(DeviceError) {
        _ = try opened()
        guard let access, user == nil else { throw DeviceError(.input, "Sign out first.") }
        busy = "signing in"
        defer { busy = nil }
        user = try await access.signIn(name, password: password, registering: registering).user
        notice = nil
        // An error is ignored, because the next login creates the profile if it could not be created now.
        try? await client(access).createProfile(named: fullName.flatMap { $0.isEmpty ? nil : $0 } ?? name)
        stage = .ready
        await refresh()
        await startFeed()
        await startQueue()
    }

    /// Signs the user out, and removes the data from this device. Posts that the server does not have are lost. If the
    /// session cannot be removed from this device, the data remains.
    public func signOut() async throws(DeviceError) {
        let store = try signedIn().store
        await stopWork()
        do throws(DeviceError) {
            try await access?.signOut()
        } catch {
            if let access { await watchNotices(of: access) }
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
        (store, access, user, posts) = (nil, nil, nil, [])
        (profileName, profilePicture, imageCount, isComplete, trouble) = (nil, nil, 0, false, nil)
        portraitTimes = [:]
        try await start()
    }

    private func watchNotices(of access: AccessManager) async {
        let notices = await access.notices
        tasks.append(
            Task { [weak self] in
                for await notice in notices { await self?.take(notice) }
            })
    }

    private func take(_ newNotice: AccessNotice) async {
        notice = newNotice
        switch newNotice {
        case .loggedOut:
            (user, stage) = (nil, .signedOut)
            await refresh()
            await startFeed()
        case .wiped: Task { try? await begin() }
        default: break
        }
    }
}
