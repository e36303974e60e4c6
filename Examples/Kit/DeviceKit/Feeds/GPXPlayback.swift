//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A source that plays a track in real time, or faster by a factor. The fixes have the times of the track.
public struct GPXPlayback: LocationSource {
    /// The maximum time of a playback in seconds: 100 years. Later fixes come at this time.
    private static let secondsMax = 100.0 * 365 * 86_400

    private let track: GPXTrack
    private let speed: Double

    /// Creates a playback.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - speed: The factor by which the track is played faster than in real time; greater than 0. With `.infinity`,
    ///     the fixes follow each other without delays.
    public init(_ track: GPXTrack, speed: Double = 1) {
        precondition(speed > 0, "the speed of a playback must be above 0")
        self.track = track
        self.speed = speed
    }

    /// See ``LocationSource/fixes()``.
    public func fixes() -> Fixes { Fixes(track: track, speed: speed) }

    /// The fixes of a track, delivered at their times.
    public struct Fixes: AsyncSequence, Sendable {
        /// A fix.
        public typealias Element = Fix
        /// The type of the error that is thrown when the task is cancelled.
        public typealias Failure = any Error

        fileprivate let track: GPXTrack
        fileprivate let speed: Double

        /// Starts to play.
        public func makeAsyncIterator() -> Iterator { Iterator(track: track, speed: speed) }

        /// Delivers one fix after the other.
        public struct Iterator: AsyncIteratorProtocol {
            private let fixes: [Fix]
            private let speed: Double
            private var next = 0
            private let clock = ContinuousClock()
            private let start: ContinuousClock.Instant

            fileprivate init(track: GPXTrack, speed: Double) {
                fixes = track.fixes
                self.speed = speed
                start = clock.now
            }

            /// Waits until the time of the next fix, and returns this fix.
            public mutating func next() async throws -> Fix? {
                guard next < fixes.count else { return nil }
                defer { next += 1 }
                let elapsed = Double(fixes[next].timeMilliseconds) - Double(fixes[0].timeMilliseconds)
                let wait = Swift.min(Swift.max(0, elapsed / 1_000 / speed), GPXPlayback.secondsMax)
                try await clock.sleep(until: start + .seconds(wait))
                return fixes[next]
            }
        }
    }
}
