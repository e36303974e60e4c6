//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A point of a GPX file.
public struct GPXPoint: Equatable, Sendable {
    /// The element that contains a point.
    public enum Kind: String, Sendable {
        /// A point of a track (`trkpt`): a recorded position.
        case track
        /// A point of a route (`rtept`): a planned position.
        case route
        /// A waypoint (`wpt`), which does not belong to a track or a route.
        case waypoint
    }

    /// The kind of element that contains the point.
    public let kind: Kind
    /// Degrees north, -90 to 90.
    public let latitude: Double
    /// Degrees east, -180 to 180.
    public internal(set) var longitude: Double
    /// Meters above sea level; `nil` if the file does not contain it as a number.
    public internal(set) var elevation: Double?
    /// The time as written in the file, usually in ISO 8601; `nil` if it is missing.
    public internal(set) var time: String?
    /// The horizontal dilution of precision; `nil` if the file does not contain it as a number.
    public internal(set) var hdop: Double?
    /// The name of the point, not of its track; `nil` if the point has no name.
    public internal(set) var name: String?
    /// The point's description, `desc`; `nil` if it is missing.
    public internal(set) var detail: String?
    /// The data of the point that has no property here.
    var details = GPXDetails()
    /// The data of the point's track or route that has no property here.
    var trackDetails = GPXDetails()
    /// The name of the point's track or route. `nil` for a waypoint. Also `nil` if the file contains no name of the
    /// track or route before the point.
    public let trackName: String?
    /// The number of the point's track or route, or of the waypoint, from 1. Tracks, routes and waypoints are numbered
    /// separately.
    public let track: Int
    /// The number of the point's segment in the track, from 1; 1 for routes and waypoints.
    public let segment: Int
    /// The number of the point in its segment or route, from 1; 1 for waypoints.
    public let number: Int
    /// The line at which the point starts, from 1.
    public let line: Int
}
