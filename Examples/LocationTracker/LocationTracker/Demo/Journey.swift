//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitDeviceKit
import LocationTrackerClient

/// A journey that the demo records.
public struct Journey: Sendable {
    /// The name, which the locations of the journey contain as `session_id`.
    public let name: String
    /// Whether the journey is invented. In the output of the demo, an invented journey is marked as made up.
    public let isMadeUp: Bool

    private let asset: Asset

    /// The two journeys that come with the example.
    public static let all = [
        Journey(name: "drive-past-the-places", isMadeUp: true, asset: .driveTrack),
        Journey(name: "around-visnjan-with-car", isMadeUp: false, asset: .visnjanTrack),
    ]

    /// Returns the track of the journey.
    public func track() throws(GPXError) -> GPXTrack { try GPXTrack(parsing: asset.bytes) }

    /// Returns the fixes that become locations when the app is in the foreground.
    public func locations() throws(GPXError) -> [Fix] {
        var filter = LocationFilter()
        return try track().fixes.filter { filter.takes($0) }
    }
}
