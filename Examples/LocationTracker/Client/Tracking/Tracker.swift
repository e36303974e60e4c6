//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitSync
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tracks a journey: keeps each location, pushes it, and asks for the places around it, with or without a network.
///
/// ```swift
/// let tracker = Tracker(store: store, account: account, server: server) { status in show(status) }
/// try await tracker.run(source, on: LocationMonitor())
/// ```
public final class Tracker: Sendable {
    /// Positions whose places were not asked for yet; older ones go first.
    private static let positionsWaitingMax = 256

    private struct State {
        var status = TrackerStatus()
        /// Locations that were there when the push that runs began.
        var pushing = 0
    }

    private let store: TrackerStore
    private let account: TrackerAccount
    private let server: TrackerServer
    private let onStatus: @Sendable (TrackerStatus) -> Void
    private let state = Mutex(State())

    /// Creates a tracker.
    ///
    /// - Parameters:
    ///   - store: What locations and places are kept in.
    ///   - account: Who is tracked.
    ///   - server: Where places are asked for.
    ///   - onStatus: Told of each change, on any thread.
    public init(
        store: TrackerStore, account: TrackerAccount, server: TrackerServer,
        onStatus: @escaping @Sendable (TrackerStatus) -> Void = { _ in }
    ) {
        self.store = store
        self.account = account
        self.server = server
        self.onStatus = onStatus
    }

    /// How the journey stands.
    public var status: TrackerStatus { state.withLock { $0.status } }

    /// Tracks until the source ends or the task is cancelled, and then waits for the push that runs.
    ///
    /// - Parameters:
    ///   - source: Where readings come from.
    ///   - monitor: Which of them become locations; it knows of the background.
    ///   - session: What the locations of this journey have in common; made up when it is not given.
    /// - Throws: What the source throws, and ``TrackerError`` when a location cannot be kept. What the server refuses or a
    ///   network loses is in ``TrackerStatus/trouble``.
    public func run(
        _ source: some LocationSource, on monitor: LocationMonitor, session: String? = nil
    ) async throws {
        let session = session ?? UUID().uuidString
        let push = try store.lane(.push, account: account, agent: server.agent) { self.note($0) }
        let (positions, asked) = AsyncStream<Fix>.makeStream(
            bufferingPolicy: .bufferingNewest(Tracker.positionsWaitingMax))
        let places = Task { for await fix in positions { await findPlaces(around: fix) } }
        var failure: (any Error)?
        do {
            try await monitor.run(source) { fix, location in
                if let location { try await store.record(location, session: session) }
                change { status in
                    status.fix = fix
                    status.counts = monitor.counts
                }
                guard location != nil else { return }
                await push.request()
                asked.yield(fix)
            }
        } catch {
            failure = error
        }
        asked.finish()
        if status.isOnline == false || failure != nil { places.cancel() }
        await places.value
        await push.settled()
        // A push that failed is followed by none until the next location, and there is none.
        if failure == nil, status.pushed < status.counts.locations {
            await push.request()
            await push.settled()
        }
        if let failure { throw failure }
    }

    // MARK: The server

    private func note(_ event: ReplicationLane.Event) {
        switch event {
        case .began: state.withLock { $0.pushing = $0.status.counts.locations }
        case .step(.trouble(let error)): noteTrouble(error.message, isOnline: error.code != .network)
        case .step: break
        case .ended(.success(let report)):
            let pushed = state.withLock { $0.pushing }
            change { status in
                status.isOnline = true
                status.trouble = report.failures.first.map { "\($0.id) was not pushed: \($0.reason)" }
                if report.failures.isEmpty, !report.wasStopped { status.pushed = pushed }
            }
        case .ended(.failure(let error)): noteTrouble(error.message, isOnline: error.code != .network)
        }
    }

    private func findPlaces(around fix: Fix) async {
        let position = fix.position
        do throws(TrackerError) {
            if !Task.isCancelled {
                try await store.add(server.places(around: position, account: account))
                change { $0.isOnline = true }
            }
        } catch {
            noteTrouble(error.message, isOnline: error.code != .unreachable)
        }
        do throws(TrackerError) {
            let nearest = try await store.places(around: position, limit: 1).first
            change { $0.nearest = nearest }
        } catch {
            noteTrouble(error.message, isOnline: nil)
        }
    }

    private func noteTrouble(_ message: String, isOnline: Bool?) {
        change { status in
            status.trouble = message
            if let isOnline { status.isOnline = isOnline }
        }
    }

    private func change(_ body: (inout TrackerStatus) -> Void) {
        let status = state.withLock { state in
            body(&state.status)
            return state.status
        }
        onStatus(status)
    }
}
