//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import LocationTrackerClient
import ProgramKit

/// A journey that the demo records.
struct Journey: Sendable {
    /// The name, which the locations of the journey contain as `session_id`.
    let name: String
    /// Whether the journey is invented. In the output of the demo, an invented journey is marked as made up.
    let isMadeUp: Bool

    /// The two journeys that come with the example.
    static let all = [
        Journey(name: "drive-past-the-places", isMadeUp: true),
        Journey(name: "around-visnjan-with-car", isMadeUp: false),
    ]

    /// Returns the track of the journey.
    func track() throws(GPXError) -> GPXTrack {
        try GPXTrack(parsing: EmbeddedFiles.locationTracker.data("\(name).gpx") ?? [])
    }

    /// Returns the fixes that become locations when the app is in the foreground.
    func locations() throws(GPXError) -> [Fix] {
        var filter = LocationFilter()
        return try track().fixes.filter { filter.takes($0) }
    }
}
