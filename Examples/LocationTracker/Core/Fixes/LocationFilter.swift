//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit

/// Decides which fixes become locations. A fix is a position that the device measured.
///
/// A fix is accepted when its accuracy is sufficient, and when it is far enough from the last accepted fix, in distance
/// and in time. The first fix with sufficient accuracy is always accepted.
public struct LocationFilter: Sendable {
    /// The limits of a filter.
    public struct Limits: Sendable {
        /// The worst accuracy that is accepted, in meters. A fix with a negative accuracy is refused.
        public var accuracyMetersMax: Double
        /// The minimum distance from the last accepted fix, in meters.
        public var distanceMetersMin: Double
        /// A time in milliseconds. A fix is accepted only if more than this time has passed since the last accepted
        /// fix.
        public var intervalMilliseconds: Int64

        /// The limits while the app is in the foreground.
        public static let foreground = Limits(
            accuracyMetersMax: 25, distanceMetersMin: 15, intervalMilliseconds: 15_000)
        /// The limits while the app is in the background.
        public static let background = Limits(
            accuracyMetersMax: 100, distanceMetersMin: 100, intervalMilliseconds: 15_000)
    }

    /// The current limits; an app changes them when it enters the background.
    public var limits: Limits

    private var lastAccepted: Fix?

    /// Creates a filter that has accepted no fix yet.
    public init(_ limits: Limits = .foreground) { self.limits = limits }

    /// Returns whether a fix becomes a location. If it does, stores it as the last accepted fix.
    public mutating func takes(_ fix: Fix) -> Bool {
        guard 0...limits.accuracyMetersMax ~= fix.accuracyMeters else { return false }
        if let lastAccepted {
            guard fix.distanceMeters(to: lastAccepted) >= limits.distanceMetersMin,
                fix.timeMilliseconds - lastAccepted.timeMilliseconds > limits.intervalMilliseconds
            else { return false }
        }
        lastAccepted = fix
        return true
    }
}
