//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Turns the readings of a source into locations, in the foreground and in the background.
///
/// ```swift
/// let monitor = LocationMonitor()
/// try await monitor.run(GPXPlayback(track, speed: 60)) { fix, location in
///     if let location { try await store.record(location) }
/// }
/// ```
public final class LocationMonitor: Sendable {
    /// How many readings came, and how many of them became locations.
    public struct Counts: Equatable, Sendable {
        /// Readings.
        public var fixes = 0
        /// Readings that were taken.
        public var locations = 0
    }

    private struct State {
        var filter: LocationFilter
        var isInBackground: Bool
        var counts = Counts()
        /// Tells the source that runs now of the background.
        var tellSource: (@Sendable (Bool) -> Void)?
    }

    private let state: Mutex<State>

    /// Creates a monitor.
    ///
    /// - Parameter isInBackground: Where the app begins.
    public init(isInBackground: Bool = false) {
        state = Mutex(State(filter: LocationFilter(.limits(isInBackground)), isInBackground: isInBackground))
    }

    /// Whether the app is in the background, where locations lie further apart and may be less accurate. It may change
    /// in the middle of a journey; the last location taken stays the one that the next is compared with.
    public var isInBackground: Bool {
        get { state.withLock { $0.isInBackground } }
        set {
            let tell = state.withLock { state in
                state.isInBackground = newValue
                state.filter.limits = .limits(newValue)
                return state.tellSource
            }
            tell?(newValue)
        }
    }

    /// What came since ``start()``.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Begins anew: the next reading that is accurate enough is taken, wherever it is.
    public func start() {
        state.withLock { state in
            state.filter = LocationFilter(state.filter.limits)
            state.counts = Counts()
        }
    }

    /// Looks at a reading.
    ///
    /// - Returns: The location that it became; `nil` when it was not taken.
    public func take(_ fix: Fix) -> Location? {
        state.withLock { state in
            state.counts.fixes += 1
            guard state.filter.takes(fix) else { return nil }
            state.counts.locations += 1
            return Location(fix, isInBackground: state.isInBackground)
        }
    }

    /// Starts, and looks at the readings of a source until it ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - source: Where readings come from.
    ///   - body: Given each reading, with the location that it became.
    /// - Throws: What the source and `body` throw.
    public func run(
        _ source: some LocationSource, _ body: (Fix, Location?) async throws -> Void
    ) async throws {
        start()
        source.isInBackground(isInBackground)
        state.withLock { $0.tellSource = { source.isInBackground($0) } }
        defer { state.withLock { $0.tellSource = nil } }
        for try await fix in source.fixes() {
            try Task.checkCancellation()
            try await body(fix, take(fix))
        }
    }
}

extension LocationFilter.Limits {
    /// The limits of the background or of the foreground.
    fileprivate static func limits(_ isInBackground: Bool) -> LocationFilter.Limits {
        isInBackground ? .background : .foreground
    }
}
