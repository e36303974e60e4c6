//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CLocationTrackerAssets

/// A page or a data file that was embedded when the program was built.
enum Asset {
    case page, style, common, map, script, places, driveTrack, visnjanTrack

    /// The file's bytes.
    var bytes: [UInt8] {
        var size = 0
        let start = location_tracker_asset(number, &size)
        return Array(UnsafeBufferPointer(start: start, count: size))
    }

    private var number: location_tracker_asset {
        switch self {
        case .page: LOCATION_TRACKER_PAGE
        case .style: LOCATION_TRACKER_STYLE
        case .common: LOCATION_TRACKER_COMMON
        case .map: LOCATION_TRACKER_MAP
        case .script: LOCATION_TRACKER_SCRIPT
        case .places: LOCATION_TRACKER_PLACES
        case .driveTrack: LOCATION_TRACKER_TRACK_DRIVE
        case .visnjanTrack: LOCATION_TRACKER_TRACK_VISNJAN
        }
    }
}
