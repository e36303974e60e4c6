//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decides which readings of a position become locations: the Location Tracker's rule.
///
/// A reading is taken when it is accurate enough, far enough from the last one taken, and late enough after it. The first
/// one that is accurate enough is always taken.
public struct LocationFilter: Sendable {
    /// How strict a filter is.
    public struct Limits: Sendable {
        /// The worst accuracy that is taken, in metres.
        public var accuracyMetersMax: Double
        /// The least distance from the last location, in metres.
        public var distanceMetersMin: Double
        /// The time after the last location that must have passed, in milliseconds.
        public var intervalMilliseconds: Int64

        /// While the app is in the foreground.
        public static let foreground = Limits(
            accuracyMetersMax: 25, distanceMetersMin: 15, intervalMilliseconds: 15_000)
        /// While the app is in the background.
        public static let background = Limits(
            accuracyMetersMax: 100, distanceMetersMin: 100, intervalMilliseconds: 15_000)
    }

    /// The limits in force; an app changes them when it goes to the background.
    public var limits: Limits

    private var last: Fix?

    /// Creates a filter that has taken nothing yet.
    public init(_ limits: Limits = .foreground) { self.limits = limits }

    /// Whether a reading becomes a location.
    public mutating func takes(_ fix: Fix) -> Bool {
        guard 0...limits.accuracyMetersMax ~= fix.accuracyMeters else { return false }
        if let last {
            guard fix.distanceMeters(to: last) >= limits.distanceMetersMin,
                fix.timeMilliseconds - last.timeMilliseconds > limits.intervalMilliseconds
            else { return false }
        }
        last = fix
        return true
    }
}
