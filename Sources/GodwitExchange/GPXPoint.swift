//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A point of a GPX file as it stands there.
package struct GPXPoint: Equatable, Sendable {
    /// What a point is one of.
    package enum Kind: String, Sendable {
        case track, route, waypoint
    }

    package let kind: Kind
    /// Degrees north and east.
    package let latitude: Double
    package let longitude: Double
    /// Metres above the sea.
    package internal(set) var elevation: Double?
    /// The time as the file has it, in ISO 8601.
    package internal(set) var time: String?
    /// The horizontal dilution of precision.
    package internal(set) var hdop: Double?
    /// The point's own name and description.
    package internal(set) var name: String?
    package internal(set) var detail: String?
    /// The name of its track or route, when it stands before the point.
    package let trackName: String?
    /// Which track, route or waypoint of the file it is in, which segment of that, and which point of that; from 1.
    package let track: Int
    package let segment: Int
    package let number: Int
    /// The line at which it begins, from 1.
    package let line: Int
}
