//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
public import GodwitDatabase
public import Observation

/// Bluelist on a device: the user, the list, and its replication.
///
/// A view binds to the properties and calls the methods. The list works without a network and without an account.
@MainActor @Observable
public final class BluelistModel: DeviceModel {
    /// The parts of the app that depend on the system.
    public struct Configuration: Sendable {
        /// The directory of the app's data.
        public var folder: String
        /// The password that encrypts the list. If it is empty, the list is not encrypted. If it is `nil`, the user is
        /// asked.
        public var encryptionPassword: String?
        /// The transport that sends the requests.
        public var transport: any Transport
        /// The description of the device for the list of the user's devices.
        public var device: AppDevice
        /// The version of the app.
        public var version: String

        /// Creates a configuration.
        public init(
            folder: String, encryptionPassword: String? = nil, transport: any Transport, device: AppDevice,
            version: String
        ) {
            (self.folder, self.encryptionPassword) = (folder, encryptionPassword)
            (self.transport, self.device, self.version) = (transport, device, version)
        }
    }

    /// The id of the application on the server.
    public static let application = "bluelist"

    /// The list; `nil` while it is not open.
    public internal(set) var list: TodoList?
    /// Whether the list is encrypted.
    public internal(set) var isEncrypted = false
    /// The reason why ``start()`` could not open the list with the configured password. It is `nil` if the list was
    /// opened, if no password is configured, or after the list was unlocked.
    public internal(set) var unlockFailure: String?
    /// Whether a replication is running.
    public internal(set) var isReplicating = false
    /// Whether the server has all changes of this device, as far as the app knows.
    public internal(set) var isSent = false
    /// The reason why the last replication failed; `nil` if it succeeded, or if there was none since the login.
    public internal(set) var trouble: String?

    /// The screen that the app shows, and the user.
    public let session: DeviceSession
    let configuration: Configuration
    @ObservationIgnored var store: TodoStore?
    /// The user's database. It is `nil` until the server has sent the name of the database, and again after
    /// ``stopReplication()``.
    @ObservationIgnored var remote: RemoteEndpoint?
    @ObservationIgnored var loopTask: Task<Void, Never>?
    /// The task that waits for changes of the user's database; `nil` until the first replication has succeeded.
    @ObservationIgnored private var feedTask: Task<Void, Never>?
    /// The replication in progress.
    @ObservationIgnored var replication: Task<Result<Void, DeviceError>, Never>?
    @ObservationIgnored let pause = LoopPause()
    /// The number of changes of the list since the app was opened.
    @ObservationIgnored private var changesCount = 0

    /// Creates the app. ``start()`` opens its data.
    ///
    /// - Parameters:
    ///   - server: The URL of the server.
    ///   - configuration: The parts that depend on the system.
    public init(server: String, configuration: Configuration) {
        self.configuration = configuration
        session = DeviceSession(
            server: server, application: BluelistModel.application, folder: configuration.folder,
            transport: configuration.transport, device: configuration.device, version: configuration.version)
    }

    /// Changes the list. If a user is signed in, the change is replicated when there is a network.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` if the list is not open, and the errors of
    ///   `change`.
    public func edit(_ change: (TodoList) async throws(DeviceError) -> Void) async throws(DeviceError) {
        guard let list else { throw DeviceError(.locked, "Unlock the list first.") }
        try await change(list)
        changesCount += 1
        isSent = false
        await pause.wake()
    }

    // MARK: Replication

    /// The interval, in seconds, at which the list is replicated even if nothing has changed on this device.
    private static let intervalSeconds = 60.0
    private static let requestSecondsMax = 60
    /// The maximum number of changes that one request for the feed returns.
    private static let feedChangesMax = 500

    /// Begins to replicate after each change on this device or on the server, and at regular intervals.
    func startReplication() {
        loopTask?.cancel()
        loopTask = Task { [weak self] in
            var retry = RetryDelay()
            while !Task.isCancelled {
                guard let self else { return }
                var seconds = Self.intervalSeconds
                do throws(DeviceError) {
                    try await self.refresh()
                    retry = RetryDelay()
                    self.followChanges()
                } catch {
                    seconds = retry.next()
                }
                await self.pause.wait(seconds: seconds)
            }
        }
    }

    /// Begins to wait for changes of the user's database. Each change ends the pause of the loop, so that changes of
    /// other devices arrive at once. Does nothing if the wait has begun already.
    private func followChanges() {
        guard feedTask == nil, let remote else { return }
        feedTask = Task { [pause] in
            var (retry, last) = (RetryDelay(), String?.none)
            while !Task.isCancelled {
                do throws(ReplicationError) {
                    // The first page has no wait: a change may have arrived after the last replication.
                    let page = try await remote.changes(
                        ChangesQuery(after: last, limit: Self.feedChangesMax, waits: last != nil))
                    (last, retry) = (page.lastSequence, RetryDelay())
                    if !page.changes.isEmpty { await pause.wake() }
                } catch {
                    try? await Task.sleep(for: .seconds(retry.next()))
                }
            }
        }
    }

    /// Ends the loop that replicates at intervals, ends the replication in progress, and sets ``remote`` to `nil`.
    func stopReplication() async {
        loopTask?.cancel()
        replication?.cancel()
        _ = await replication?.value
        await loopTask?.value
        // The loop has ended: it begins no other feed.
        feedTask?.cancel()
        await feedTask?.value
        (loopTask, feedTask, remote) = (nil, nil, nil)
    }

    /// Pulls the changes of the server, pushes the changes of this device, and reads the list. The gesture "pull to
    /// refresh" calls this method.
    ///
    /// - Throws: ``DeviceKit/DeviceError``: `locked` if no user is signed in, `unreachable` for each failure of
    ///   the replication, `storage` for a failure of the disk. Changes that were already replicated are kept.
    public func refresh() async throws(DeviceError) {
        // The replication in progress may have begun before the last change. Therefore, another replication must follow
        // it.
        _ = await replication?.value
        let task = replication ?? Task { await replicate() }
        replication = task
        try await task.value.get()
    }

    private func replicate() async -> Result<Void, DeviceError> {
        let changesBefore = changesCount
        isReplicating = true
        let result = await exchange()
        (isReplicating, replication) = (false, nil)
        switch result {
        case .success: (trouble, isSent) = (nil, changesCount == changesBefore)
        case .failure(let error): trouble = error.message
        }
        return result
    }

    private func exchange() async -> Result<Void, DeviceError> {
        guard let list, let access, user != nil else { return .failure(DeviceError(.locked, "Sign in first.")) }
        do {
            let remote = if let remote { remote } else { try await enroll(access) }
            self.remote = remote
            try await list.refresh(with: remote)
            return .success(())
        } catch let error as ReplicationError {
            let text = error.code == .network ? "The server cannot be reached." : error.message
            return .failure(DeviceError(.unreachable, text, cause: error))
        } catch {
            return .failure((error as? DeviceError) ?? DeviceError(.storage, "\(error)", cause: error))
        }
    }

    /// Sends the access token, and gets the user's database and a session cookie. The endpoint renews the cookie.
    private func enroll(_ access: AccessManager) async throws(ReplicationError) -> RemoteEndpoint {
        let session = try BluelistSession(
            adapter: "\(server)/bluelist", tokens: access, transport: configuration.transport)
        var limits = ReplicationLimits()
        limits.requestSecondsMax = Self.requestSecondsMax
        let database = try RemoteURL(try await session.enroll().url)
        return RemoteEndpoint(
            database, interceptor: session.interceptor, limits: limits, transport: configuration.transport)
    }
}
