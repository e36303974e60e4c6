//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Synchronization

/// Converts the fixes of a source to locations. A fix is a reading of the position; a location is a fix that
/// ``LocationFilter`` accepts. A monitor works in the foreground and in the background. It can run one source at a
/// time.
///
/// ```swift
/// let monitor = LocationMonitor()
/// try await monitor.run(GPXPlayback(track, speed: 60)) { fix, location in
///     if let location { try await store.record(location) }
/// }
/// ```
public final class LocationMonitor: Sendable {
    /// The numbers of fixes and of locations.
    public struct Counts: Equatable, Sendable {
        /// The number of fixes.
        public var fixes = 0
        /// The number of fixes that became locations.
        public var locations = 0
    }

    private struct State {
        var filter: LocationFilter
        var isInBackground: Bool
        var counts = Counts()
        /// Tells the current source whether the app is in the background.
        var tellSource: (@Sendable (Bool) -> Void)?
    }

    private let state: Mutex<State>

    /// Creates a monitor.
    ///
    /// - Parameter isInBackground: Whether the app starts in the background.
    public init(isInBackground: Bool = false) {
        state = Mutex(State(filter: LocationFilter(.limits(isInBackground)), isInBackground: isInBackground))
    }

    /// Whether the app is in the background. In the background, the minimum distance between locations is greater, and
    /// less accurate fixes are accepted. The value may change during a journey. The change does not reset the filter,
    /// so the next fix is still compared with the last location.
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

    /// The counts since ``start()``.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Resets the filter and the counts. After that, the next fix with sufficient accuracy is accepted, wherever it is.
    public func start() {
        state.withLock { state in
            state.filter = LocationFilter(state.filter.limits)
            state.counts = Counts()
        }
    }

    /// Processes a fix.
    ///
    /// - Returns: The location that the fix became; `nil` when the fix was not accepted.
    public func take(_ fix: Fix) -> Location? {
        state.withLock { state in
            state.counts.fixes += 1
            guard state.filter.takes(fix) else { return nil }
            state.counts.locations += 1
            return Location(fix, isInBackground: state.isInBackground)
        }
    }

    /// Resets the monitor, and processes the fixes of a source until the source ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - source: The source of fixes.
    ///   - body: A closure that is called with each fix. If the fix became a location, the closure also gets the
    ///     location.
    /// - Throws: The errors of the source and of `body`; `CancellationError`.
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
    /// Returns the limits for the background or the foreground.
    fileprivate static func limits(_ isInBackground: Bool) -> LocationFilter.Limits {
        isInBackground ? .background : .foreground
    }
}
