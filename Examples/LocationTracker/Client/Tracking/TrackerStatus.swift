//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a journey that is being tracked stands.
public struct TrackerStatus: Sendable {
    /// The last reading; `nil` before the first.
    public var fix: Fix?
    /// Readings, and those that became locations.
    public var counts = LocationMonitor.Counts()
    /// Locations of this journey that the server has.
    public var pushed = 0
    /// Whether the server answered the last time that something was asked; `nil` before that.
    public var isOnline: Bool?
    /// The nearest place within ``Place/radiusMeters`` of the last location, of those that are known here.
    public var nearest: NearbyPlace?
    /// What went wrong last with the server, in words; `nil` while all is well.
    public var trouble: String?

    /// Creates the status before the first reading.
    public init() {}
}
