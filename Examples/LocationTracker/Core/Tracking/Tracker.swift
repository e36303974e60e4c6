//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import GodwitSync
import GodwitTransport
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tracks a journey: stores each location, pushes it, and finds the places around it, with or without a network.
///
/// ```swift
/// let tracker = Tracker(store: store, account: account, server: server) { status in show(status) }
/// try await tracker.run(source, on: LocationMonitor())
/// ```
public final class Tracker: Sendable {
    /// The maximum number of positions that wait for a search of places. If there are more, the oldest are dropped.
    private static let positionsWaitingMax = 256

    private struct State {
        var status = TrackerStatus()
        /// The number of locations that were stored when the current push began.
        var pushingCount = 0
    }

    private let store: TrackerStore
    private let account: TrackerAccount
    private let server: TrackerServer
    private let onStatus: @Sendable (TrackerStatus) -> Void
    private let state = Mutex(State())

    /// Creates a tracker.
    ///
    /// - Parameters:
    ///   - store: The store of locations and places.
    ///   - account: The account of the user.
    ///   - server: The server that is asked for places.
    ///   - onStatus: A closure that is called with the status after each change, on any thread. Calls may overlap.
    public init(
        store: TrackerStore, account: TrackerAccount, server: TrackerServer,
        onStatus: @escaping @Sendable (TrackerStatus) -> Void = { _ in }
    ) {
        self.store = store
        self.account = account
        self.server = server
        self.onStatus = onStatus
    }

    /// The status of the journey.
    public var status: TrackerStatus { state.withLock { $0.status } }

    /// Tracks until the source ends, the task is cancelled or an error occurs. After that, waits until all locations
    /// are pushed or the push has failed.
    ///
    /// - Parameters:
    ///   - source: The source of fixes.
    ///   - monitor: The monitor that decides which fixes become locations, depending on whether the app is in the
    ///     background.
    ///   - session: A text by which the locations of this journey are recognized. The default is a random text.
    /// - Throws: The errors of the source, and ``TrackerError`` when a location cannot be stored or the account's URL
    ///   is invalid; `CancellationError` when the task is cancelled. Errors of the server and the network are in
    ///   ``TrackerStatus/trouble``.
    public func run(
        _ source: some LocationSource, on monitor: LocationMonitor, session: String? = nil
    ) async throws {
        let session = session ?? UUID().uuidString
        let push = try store.lane(.push, account: account, server: server) { self.handle($0) }
        let (positions, positionContinuation) = AsyncStream<Fix>.makeStream(
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
                positionContinuation.yield(fix)
            }
        } catch {
            failure = error
        }
        positionContinuation.finish()
        if status.isOnline == false || failure != nil { places.cancel() }
        await places.value
        await push.settled()
        // A failed push is usually repeated when the next location is stored. After the last location, there is no next
        // one, so the push is repeated here.
        if failure == nil, status.pushed < status.counts.locations {
            await push.request()
            await push.settled()
        }
        if let failure { throw failure }
    }

    // MARK: The server

    private func handle(_ event: ReplicationLane.Event) {
        switch event {
        case .began: state.withLock { $0.pushingCount = $0.status.counts.locations }
        case .step(.trouble(let error)): noteTrouble(error.message, isOnline: error.code != .network)
        case .step: break
        case .ended(.success(let report)):
            let pushed = state.withLock { $0.pushingCount }
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
