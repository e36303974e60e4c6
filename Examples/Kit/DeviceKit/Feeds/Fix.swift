//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitPlaces

#if canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One reading of a position.
public struct Fix: Equatable, Sendable {
    /// Degrees north.
    public let latitude: Double
    /// Degrees east.
    public let longitude: Double
    /// The time of the fix, in milliseconds since 1970.
    public let timeMilliseconds: Int64
    /// The accuracy in meters: the true position is probably in a circle with this radius around the position. Negative
    /// if the source has no valid position.
    public let accuracyMeters: Double
    /// The altitude in meters; `nil` when the source does not report it.
    public let altitudeMeters: Double?
    /// The direction of the movement in degrees from north; `nil` when the source does not report it.
    public let courseDegrees: Double?

    /// Creates a fix.
    public init(
        latitude: Double, longitude: Double, timeMilliseconds: Int64, accuracyMeters: Double,
        altitudeMeters: Double? = nil, courseDegrees: Double? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.timeMilliseconds = timeMilliseconds
        self.accuracyMeters = accuracyMeters
        self.altitudeMeters = altitudeMeters
        self.courseDegrees = courseDegrees
    }

    /// Whether a position is the latitude 0 and the longitude 0, which receivers without a fix report. A position in the
    /// Atlantic Ocean that is exact to the last digit is less probable than such a receiver.
    static func isPlaceholder(latitude: Double, longitude: Double) -> Bool { latitude == 0 && longitude == 0 }

    /// The position of the fix.
    public var position: Position { Position(longitude: longitude, latitude: latitude) }

    /// The mean radius of the Earth in meters (IUGG).
    private static let earthRadiusMeters = 6_371_008.8

    /// Returns the distance to another fix on a sphere in meters, by the haversine formula.
    public func distanceMeters(to other: Fix) -> Double {
        let radians = Double.pi / 180
        let differences = ((other.latitude - latitude) * radians, (other.longitude - longitude) * radians)
        let sines = (sin(differences.0 / 2), sin(differences.1 / 2))
        let chord =
            sines.0 * sines.0 + cos(latitude * radians) * cos(other.latitude * radians) * sines.1 * sines.1
        return 2 * Fix.earthRadiusMeters * asin(min(1, chord.squareRoot()))
    }
}
