//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit

/// The status of a journey that is being tracked.
public struct TrackerStatus: Sendable {
    /// The last fix; `nil` before the first fix.
    public var fix: Fix?
    /// The numbers of fixes and of locations.
    public var counts = LocationMonitor.Counts()
    /// The number of locations of this journey that the server has.
    public var pushed = 0
    /// Whether the last request was answered; `nil` before the first request.
    public var isOnline: Bool?
    /// The nearest stored place within ``Place/radiusMeters`` of the last location; `nil` when there is no such place.
    public var nearest: NearbyPlace?
    /// The message of the last error; `nil` before the first error, and after a push without failures.
    public var trouble: String?

    /// Creates the status before the first fix.
    public init() {}
}
