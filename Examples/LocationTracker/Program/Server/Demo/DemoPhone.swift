//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitClientNIO
import GodwitKeys
import GodwitSync
import LocationTrackerClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A simulated phone that begins without data. Its key exists only in this process.
struct DemoPhone: Sendable {
    let user: DemoUser
    let account: TrackerAccount

    private let store: TrackerStore
    private let server: TrackerServer

    /// The duration of a journey in seconds.
    private static let journeySeconds = 6.0
    /// The maximum number of locations that a phone records after its journey. They take about six hours.
    static let furtherLocationsMax = 10_000
    /// The time between two locations after the journey, in milliseconds.
    private static let furtherLocationMilliseconds = 2_000

    /// Creates a phone and logs its user in.
    ///
    /// - Parameters:
    ///   - user: The user of the phone.
    ///   - password: The user's password.
    ///   - url: The server's URL for this phone.
    ///   - folder: The phone's folder. If the folder contains data of an earlier phone, this data is removed.
    ///   - registering: Whether the user is registered first.
    init(of user: DemoUser, password: String, at url: String, folder: String, registering: Bool) async throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let key = PhoneKey()
        let session = TrackerSession(
            credentials: FileCredentialStore(path: "\(folder)/credentials", key: key), folder: folder, key: key)
        self.user = user
        server = try TrackerServer(url, transport: AsyncHTTPTransport())
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

    /// Completes the operations in progress.
    func close() async { await store.close() }

    /// Plays the user's journey, with the app in the foreground.
    ///
    /// - Parameter onFix: A closure that is called before each fix, with the status of the journey.
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

    /// Drives the route of the journey back and forth, faster than a car. The fixes have the current time. Ends when
    /// the task is cancelled or ``furtherLocationsMax`` locations are recorded.
    func driveOn() async throws {
        let way = try user.journey.locations()
        let lap = way.dropLast().reversed() + way.dropFirst()
        let push = try store.lane(.push, account: account, server: server)
        let session = "driving-on-\(DemoPhone.now / 1_000)"
        for number in 0..<DemoPhone.furtherLocationsMax {
            try await Task.sleep(for: .milliseconds(DemoPhone.furtherLocationMilliseconds))
            let fix = lap[number % lap.count]
            let current = Fix(
                latitude: fix.latitude, longitude: fix.longitude, timeMilliseconds: DemoPhone.now,
                accuracyMeters: fix.accuracyMeters)
            try await store.record(Location(current), session: session)
            await push.request()
        }
        await push.settled()
    }

    /// The current time, in milliseconds since 1970.
    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970 * 1_000) }

    /// Pulls the locations of the server, and pushes the locations that the server does not have.
    ///
    /// - Returns: The numbers of locations that were pulled and pushed.
    func sync() async throws -> (pulled: Int, pushed: Int) {
        (pulled: try await replicate(.pull), pushed: try await replicate(.push))
    }

    private func replicate(_ direction: TrackerStore.Direction) async throws -> Int {
        let lane = try store.lane(direction, account: account, server: server)
        await lane.request()
        return try await lane.settled()?.get().counts.documentsWritten ?? 0
    }

    /// Sends a request for places, and returns whether the server can be reached.
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

/// A source that calls a closure before each fix of another source.
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
