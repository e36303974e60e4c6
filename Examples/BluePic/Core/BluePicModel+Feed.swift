//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation
import GodwitDatabase

extension BluePicModel {
    private static let attemptsMax = 2
    private static let retrySecondsMax = 2.0
    private static let requestSecondsMax = 60
    /// The time, in seconds, after which the device requests the portrait of a user again instead of using the stored
    /// one.
    private static let portraitSeconds = 600.0
    /// The maximum number of users whose portraits are remembered.
    private static let portraitsMax = 2_000

    // MARK: Replication

    /// Begins to pull the documents of the feed's window, see ``FeedWindow``.
    func startFeed() async {
        feedTask?.cancel()
        await feedTask?.value
        feedTask = Task { [weak self] in
            var retry = RetryDelay()
            while !Task.isCancelled {
                guard let self else { return }
                if await self.pull() { retry = RetryDelay() }
                guard !Task.isCancelled else { return }
                try? await Task.sleep(for: .seconds(retry.next()))
            }
        }
    }

    /// Pulls documents until one of three events: the window must move, another user logs in, or the replication fails.
    ///
    /// - Returns: Whether the server was reached.
    private func pull() async -> Bool {
        guard let store, let access, let window = await window(store, access) else { return false }
        var (limits, wasReached) = (ReplicationLimits(), false)
        limits.attemptsMax = Self.attemptsMax
        limits.retrySecondsMax = Self.retrySecondsMax
        limits.requestSecondsMax = Self.requestSecondsMax
        do {
            let remote = RemoteEndpoint(
                try RemoteURL("\(server)/\(BluePicModel.application)"),
                credentials: user == nil ? Credentials.none : .tokens(access), limits: limits,
                transport: configuration.transport)
            var replicator = Replicator(
                .pull, store.feed.datastore, with: remote, selection: try .matching(window.selector), limits: limits)
            replicator.isContinuous = true
            replicator.onUnmatched = .purge
            // The run must be kept in a variable, because it is cancelled when nothing references it.
            let run = replicator.start()
            defer { run.stop() }
            for try await event in run {
                guard !Task.isCancelled else { return wasReached }
                switch event {
                case .trouble(let error): note(error.code == .network ? "The server cannot be reached." : error.message)
                case .state(.idle):
                    wasReached = true
                    await noteComplete()
                    if await moveWindow(store, window) { return true }
                case .progress: await refresh()
                default: break
                }
            }
        } catch {
            note((error as? ReplicationError)?.message ?? "\(error)")
        }
        return wasReached
    }

    private func note(_ reason: String) { (isOnline, trouble) = (false, reason) }

    /// Records that the device has all changes of the server.
    private func noteComplete() async {
        (isOnline, isComplete, trouble) = (true, true, nil)
        await removeFinishedPosts()
        await refresh()
        await queue?.wake()
    }

    /// Returns the window of the device. If no window is stored, requests the start of a window with the newest images
    /// from the server. This window is stored and returned. The result is `nil` if the server cannot be reached.
    private func window(_ store: BluePicStore, _ access: AccessManager) async -> FeedWindow? {
        var state = store.storedState()
        if state.windowBegin == nil {
            do throws(DeviceError) {
                state.windowBegin = try await client(access).windowBegin(count: FeedWindow.imagesCount)
                try await store.store(state)
            } catch {
                note(error.message)
            }
        }
        return state.windowBegin.map { FeedWindow(begin: $0, user: user) }
    }

    /// Moves the start of the window forward if the window has too many images.
    ///
    /// - Returns: Whether the window was moved.
    private func moveWindow(_ store: BluePicStore, _ window: FeedWindow) async -> Bool {
        let count = await store.feed.count(since: window.begin, limit: FeedWindow.imagesMax)
        guard count >= FeedWindow.imagesMax,
            let begin = await store.feed.uploadTime(at: FeedWindow.imagesCount - 1), begin > window.begin
        else { return false }
        var state = store.storedState()
        state.windowBegin = begin
        return (try? await store.store(state)) != nil
    }

    /// Tries again at once to reach the server.
    public func retryNow() async {
        await queue?.wake()
        if !isOnline { await startFeed() }
    }

    // MARK: Pictures

    /// Returns the picture of an image, or its thumbnail. If the device has stored it, it comes from the device.
    /// Otherwise, it comes from the server. If the server does not send it, the other size is returned if the device
    /// has it. For a post that is not finished, this method always returns the picture that the user chose.
    ///
    /// - Returns: The picture, and whether it has the requested size. If it has another size, caches must not keep it.
    /// - Throws: ``DeviceKit/DeviceError`` with code `notFound`, `unreachable` or `refused`, or `locked` before
    ///   the data is open.
    public func picture(_ id: String, isThumbnail: Bool) async throws(DeviceError) -> (jpeg: [UInt8], isFinal: Bool) {
        let store = try opened()
        if let post = store.posts.post(id), !post.isRemoval {
            return (try await store.posts.picture(of: id), !isThumbnail)
        }
        let key = isThumbnail ? "\(id):thumbnail" : id
        if let known = await store.pictures.picture(key) { return (known, true) }
        guard store.feed.photo(id) != nil || isThumbnail, let access else {
            throw DeviceError(.notFound, "The photo does not exist on this device.")
        }
        do throws(DeviceError) {
            let jpeg = try await client(access).picture(id, isThumbnail: isThumbnail)
            try? await store.pictures.keep(jpeg, as: key)
            return (jpeg, true)
        } catch {
            // The device may have the picture in the other size.
            if let other = await store.pictures.picture(isThumbnail ? id : "\(id):thumbnail") { return (other, false) }
            throw error
        }
    }

    /// Returns the picture of a user. The result is `nil` if the user has no picture. It is also `nil` if the picture
    /// is not on the device and the server cannot be reached.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` before the data is open.
    public func portrait(of user: String) async throws(DeviceError) -> [UInt8]? {
        let store = try opened()
        let (key, now) = ("portrait:\(user)", configuration.now())
        let known = await store.pictures.picture(key)
        if let time = portraitTimes[user], now.timeIntervalSince(time) < Self.portraitSeconds { return known }
        guard let access else { return known }
        if portraitTimes.count >= Self.portraitsMax { portraitTimes = [:] }
        portraitTimes[user] = now
        do throws(DeviceError) {
            guard let id = try await client(access).picture(of: user) else {
                await store.pictures.remove(key)
                return nil
            }
            let jpeg = try await client(access).picture(id, isThumbnail: true)
            await store.pictures.remove(key)
            try? await store.pictures.keep(jpeg, as: key)
            return jpeg
        } catch {
            portraitTimes[user] = nil
            return known
        }
    }
}
