//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The place at which a photo was taken.
public struct PhotoPlace: Equatable, Sendable {
    /// The latitude in degrees.
    public var latitude: Double
    /// The longitude in degrees.
    public var longitude: Double
    /// The altitude in meters; `nil` if it is not known.
    public var altitude: Double?
    /// The direction of the movement in degrees from north; `nil` if it is not known.
    public var course: Double?

    /// Creates a place; `nil` if the latitude or the longitude is not valid.
    public init?(latitude: Double, longitude: Double, altitude: Double? = nil, course: Double? = nil) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        (self.latitude, self.longitude, self.altitude, self.course) = (latitude, longitude, altitude, course)
    }

    /// Creates the place of a fix; `nil` if its latitude or longitude is not valid.
    public init?(_ fix: Fix) {
        self.init(
            latitude: fix.latitude, longitude: fix.longitude, altitude: fix.altitudeMeters, course: fix.courseDegrees)
    }
}
