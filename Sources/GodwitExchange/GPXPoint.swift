//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A point of a GPX file as it stands there.
public struct GPXPoint: Equatable, Sendable {
    /// What a point belongs to.
    public enum Kind: String, Sendable {
        /// A point of a track (`trkpt`): a recorded position.
        case track
        /// A point of a route (`rtept`): a planned position.
        case route
        /// A waypoint (`wpt`), which belongs to no track or route.
        case waypoint
    }

    /// What the point belongs to.
    public let kind: Kind
    /// Degrees north, -90 to 90.
    public let latitude: Double
    /// Degrees east, -180 to 180.
    public let longitude: Double
    /// Metres above the sea.
    public internal(set) var elevation: Double?
    /// The time as the file has it, in ISO 8601.
    public internal(set) var time: String?
    /// The horizontal dilution of precision.
    public internal(set) var hdop: Double?
    /// The point's own name.
    public internal(set) var name: String?
    /// The point's description, `desc`.
    public internal(set) var detail: String?
    /// The name of its track or route, when it stands before the point.
    public let trackName: String?
    /// Which track, route or waypoint of the file it is in, from 1.
    public let track: Int
    /// Which segment of the track it is in, from 1.
    public let segment: Int
    /// Which point of the segment it is, from 1.
    public let number: Int
    /// The line at which it begins, from 1.
    public let line: Int
}
