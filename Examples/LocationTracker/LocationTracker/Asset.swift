//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CLocationTrackerAssets

/// A page or a data file that was embedded at build time.
enum Asset {
    case page, style, places, driveTrack, visnjanTrack

    /// The file's bytes.
    var bytes: [UInt8] {
        var size = 0
        let start = location_tracker_asset(number, &size)
        return Array(UnsafeBufferPointer(start: start, count: size))
    }

    /// Returns a script of the page by its file name; `nil` when it does not exist.
    static func script(_ name: String) -> [UInt8]? {
        var size = 0
        return location_tracker_script(name, &size).map { Array(UnsafeBufferPointer(start: $0, count: size)) }
    }

    private var number: location_tracker_asset {
        switch self {
        case .page: LOCATION_TRACKER_PAGE
        case .style: LOCATION_TRACKER_STYLE
        case .places: LOCATION_TRACKER_PLACES
        case .driveTrack: LOCATION_TRACKER_TRACK_DRIVE
        case .visnjanTrack: LOCATION_TRACKER_TRACK_VISNJAN
        }
    }
}
