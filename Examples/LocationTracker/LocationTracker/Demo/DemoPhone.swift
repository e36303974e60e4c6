//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitKeys
import GodwitSync
import LocationTrackerClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A new phone: nothing is stored on it, and the key of what will be is in this process alone.
struct DemoPhone: Sendable {
    let user: DemoUser
    let account: TrackerAccount

    private let store: TrackerStore
    private let server: TrackerServer

    /// How long a journey takes, in seconds.
    private static let journeySeconds = 6.0

    /// Takes a phone and logs its user in.
    ///
    /// - Parameters:
    ///   - user: Whose it is.
    ///   - password: Their password.
    ///   - url: The server's address, as this phone reaches it.
    ///   - folder: The phone's; what another phone left there goes.
    ///   - registering: Whether the user is registered first.
    init(of user: DemoUser, password: String, at url: String, folder: String, registering: Bool) async throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let key = PhoneKey()
        let session = TrackerSession(
            credentials: FileCredentialStore(path: "\(folder)/credentials", key: key), folder: folder, key: key)
        self.user = user
        server = try TrackerServer(url)
        account =
            registering
            ? try await session.register(user.name, password: password, at: server)
            : try await session.logIn(user.name, password: password, at: server)
        store = try await session.openStore(of: account)
    }

    private struct PhoneKey: KeyProvider {
        let name = "the phone's key"
        let random = EncryptionKey.random()

        func key() async throws(KeyError) -> EncryptionKey { random }
    }

    /// Finishes what is under way.
    func close() async { await store.close() }

    /// Drives the user's journey, with the app in hand.
    ///
    /// - Parameter onFix: Run before each reading, with how the journey stands.
    func drive(
        onFix: @escaping @Sendable (Fix, TrackerStatus) async throws -> Void = { _, _ in }
    ) async throws -> TrackerStatus {
        let track = try user.journey.track()
        let milliseconds = (track.fixes.last?.timeMilliseconds ?? 0) - (track.fixes.first?.timeMilliseconds ?? 0)
        let playback = GPXPlayback(track, speed: max(1, Double(milliseconds) / 1_000 / DemoPhone.journeySeconds))
        let tracker = Tracker(store: store, account: account, server: server)
        let source = WatchedSource(source: playback) { fix in try await onFix(fix, tracker.status) }
        try await tracker.run(source, on: LocationMonitor(), session: user.journey.name)
        return tracker.status
    }

    /// Brings what is on the server, and pushes what is not.
    ///
    /// - Returns: How many locations came and went.
    func sync() async throws -> (pulled: Int, pushed: Int) {
        (pulled: try await written(.pull), pushed: try await written(.push))
    }

    private func written(_ direction: TrackerStore.Direction) async throws -> Int {
        let lane = try store.lane(direction, account: account, agent: server.agent)
        await lane.request()
        return try await lane.settled()?.get().counts.documentsWritten ?? 0
    }

    /// Whether the server can be reached: asks it for places, as the app does.
    func reachesServer(around fix: Fix) async throws -> Bool {
        do {
            _ = try await server.places(around: fix.position, account: account)
            return true
        } catch {
            guard error.code == .unreachable else { throw error }
            return false
        }
    }
}

/// The readings of another source, with something that happens before each.
private struct WatchedSource: LocationSource {
    let source: GPXPlayback
    let onFix: @Sendable (Fix) async throws -> Void

    func fixes() -> AsyncThrowingMapSequence<GPXPlayback.Fixes, Fix> {
        source.fixes().map { [onFix] fix in
            try await onFix(fix)
            return fix
        }
    }
}
