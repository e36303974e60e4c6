//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
import GodwitDatabase

extension BluelistModel {
    private var dataFolder: String { "\(configuration.folder)/data" }

    /// Opens the list if its password is configured, or if the stored list is not encrypted. On a new device with a
    /// configured password, creates the list. In other cases, ``stage`` is `new` or `locked`, and ``unlock(_:)`` opens
    /// the list. A user who was signed in when the app was closed is signed in again, even without a network.
    ///
    /// If the configured password is wrong, no error is thrown: ``stage`` is `locked`, and ``unlockFailure`` has the
    /// reason.
    public func start() async throws(DeviceError) {
        try DeviceHome(folder: configuration.folder, provider: nil, application: BluelistModel.application).create()
        if let password = configuration.encryptionPassword {
            do throws(DeviceError) {
                try await open(password)
            } catch {
                guard error.code == .input else { throw error }
                session.waitForPassphrase(isNew: false)
                unlockFailure = error.message
            }
            return
        }
        switch try await TodoStore.protection(in: dataFolder) {
        case .none: session.waitForPassphrase(isNew: true)
        case .plain: try await open("")
        case .encrypted: session.waitForPassphrase(isNew: false)
        }
    }

    /// Opens the list with its password. Does nothing if the list is open. On a new device, this call sets the
    /// password; with an empty password, the list is not encrypted.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `input` if the password is wrong, or is empty and the device
    ///   is not new.
    public func unlock(_ password: String) async throws(DeviceError) {
        guard store == nil else { return }
        guard stage == .new || !password.isEmpty else { throw DeviceError(.input, "The encryption password is wrong.") }
        session.busy = "unlocking"
        defer { session.busy = nil }
        try await open(password)
    }

    private func open(_ password: String) async throws(DeviceError) {
        let store = try await TodoStore(folder: dataFolder, encryptionPassword: password)
        do throws(DeviceError) {
            try await show(store)
        } catch {
            session.end()
            (self.store, list) = (nil, nil)
            await store.close()
            throw error
        }
    }

    private func show(_ store: TodoStore) async throws(DeviceError) {
        let list = TodoList(store)
        try await list.reload()
        try await session.open(key: store.key, wiping: store.wipeable, isGuest: store.storedState().isLater) {
            [weak self] notice in self?.take(notice)
        }
        (self.store, self.list) = (store, list)
        (isEncrypted, unlockFailure) = (store.key != nil, nil)
        if user != nil { startReplication() }
    }

    /// Ends the replication, completes the other operations in progress, and closes the files.
    public func close() async {
        session.close()
        await stopReplication()
        await store?.close()
        (store, list) = (nil, nil)
    }

    // MARK: Signing in

    /// Skips the sign-in: the list is shown although no user is signed in.
    public func signInLater() async throws(DeviceError) {
        let store = try opened()
        var state = store.storedState()
        state.isLater = true
        try await store.store(state)
        session.enterAsGuest()
    }

    /// Shows the screen to sign in.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `input` if a user is signed in, or `locked` if the list is
    ///   not open.
    public func showSignIn() throws(DeviceError) {
        _ = try opened()
        try session.showSignIn()
    }

    /// Signs a user in with a name and a password. The items that were added before the login become part of the user's
    /// list.
    ///
    /// - Parameter registering: Whether the account is created.
    /// - Throws: ``DeviceKit/DeviceError`` with code `refused` for a wrong password, or if the device has the
    ///   list of another user; `unreachable` if the server cannot be reached; `input` if a user is signed in.
    public func signIn(_ name: String, password: String, registering: Bool = false) async throws(DeviceError) {
        let store = try opened()
        try session.checkIsSignedOut()
        var state = store.storedState()
        // Without this check, the list of one user would be replicated to the database of another user.
        if let owner = state.owner, owner != name {
            throw DeviceError(
                .refused, "This device has the list of \(owner). Sign in as \(owner), or remove the list first.")
        }
        try await session.signIn(name, password: password, registering: registering) { (user) throws(DeviceError) in
            state.owner = user
            try await store.store(state)
        }
        trouble = nil
        startReplication()
    }

    /// Signs the user out, and removes the list from this device. Changes that the server does not have are lost. If
    /// the session cannot be removed from this device, the list remains and the error is thrown. An error of the server
    /// is ignored.
    public func signOut() async throws(DeviceError) {
        _ = try opened()
        await stopReplication()
        do throws(DeviceError) {
            try await session.signOut()
        } catch {
            startReplication()
            throw error
        }
        try await removeList()
    }

    /// Removes the list from this device. The server keeps its copy. For a user who is signed in, call ``signOut()``:
    /// this method does not end the session on the server.
    public func removeList() async throws(DeviceError) {
        let store = try opened()
        await stopReplication()
        try await store.remove()
        try await begin()
    }

    /// Closes the removed list, and begins as on a new device.
    private func begin() async throws(DeviceError) {
        await close()
        session.end()
        (trouble, isSent) = (nil, false)
        try await start()
    }

    private func opened() throws(DeviceError) -> TodoStore {
        guard let store else { throw DeviceError(.locked, "Unlock the list first.") }
        return store
    }

    private func take(_ notice: AccessNotice) {
        switch notice {
        case .loggedOut: loopTask?.cancel()
        // A new task is needed, because closing the session cancels the task that reads the notices.
        case .wiped: Task { try? await begin() }
        default: break
        }
    }
}
