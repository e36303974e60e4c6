//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
import GodwitDatabase

extension ConversationModel {
    private var home: DeviceHome {
        DeviceHome(
            folder: configuration.folder, provider: configuration.key, application: ConversationModel.application)
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
        guard store == nil else { return }
        try await session.unlock(home, passphrase: passphrase, open: open)
    }

    private func open(_ key: EncryptionKey) async throws(DeviceError) {
        let store = try await ConversationStore(folder: "\(configuration.folder)/data", key: key)
        do throws(DeviceError) {
            try await session.open(key: key, wiping: [store.manager], isGuest: store.storedState().isLater) {
                [weak self] notice in self?.take(notice)
            }
        } catch {
            await store.close()
            throw error
        }
        self.store = store
        if user != nil { startHistory() }
        try await startCorpus()
    }

    /// Ends the replications, completes the other operations in progress and closes the files.
    public func close() async {
        session.close()
        historyTask?.cancel()
        await historyTask?.value
        await stopCorpus()
        await store?.close()
        store = nil
    }

    // MARK: Signing in

    /// Skips the sign-in: the app answers questions although no user is signed in.
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

    /// Signs a user in with a name and a password. The questions that were asked before the login become part of the
    /// user's history.
    ///
    /// - Parameter registering: Whether the account is created.
    /// - Throws: ``DeviceKit/DeviceError`` with code `refused` for a wrong password, or if the device has the
    ///   history of another user; `unreachable` if the server cannot be reached; `input` if a user is signed in.
    public func signIn(_ name: String, password: String, registering: Bool = false) async throws(DeviceError) {
        let store = try opened()
        try session.checkIsSignedOut()
        var state = store.storedState()
        // Without this check, the questions of one user would be sent to the database of another user.
        if let owner = state.owner, owner != name {
            throw DeviceError(.refused, "This device has the questions of \(owner). Sign in as \(owner).")
        }
        try await session.signIn(name, password: password, registering: registering) { (user) throws(DeviceError) in
            state.owner = user
            try await store.store(state)
        }
        trouble = nil
        startHistory()
    }

    /// Signs the user out, and removes the data of this device. Questions that the server does not have are lost. If
    /// the session cannot be removed from this device, the data remains and the error is thrown. An error of the server
    /// is ignored.
    public func signOut() async throws(DeviceError) {
        _ = try opened()
        historyTask?.cancel()
        await historyTask?.value
        do throws(DeviceError) {
            try await session.signOut()
        } catch {
            startHistory()
            throw error
        }
        try await begin(removing: true)
    }

    /// Closes the data, and then opens empty data, as on a new device.
    ///
    /// - Parameter removing: Whether this method removes the data; `false` if the data was already removed.
    private func begin(removing: Bool) async throws(DeviceError) {
        await stopCorpus()
        if removing {
            do {
                try await store?.manager.wipe()
            } catch {
                throw DeviceError(.storage, "The data cannot be removed: \(error)", cause: error)
            }
        }
        await close()
        session.end()
        (trouble, isSent, corpusCount) = (nil, false, 0)
        historyVersion += 1
        try await start()
    }

    private func take(_ notice: AccessNotice) {
        switch notice {
        case .loggedOut: historyTask?.cancel()
        // A new task is needed, because closing the session cancels the task that reads the notices.
        case .wiped: Task { try? await begin(removing: false) }
        default: break
        }
    }
}
