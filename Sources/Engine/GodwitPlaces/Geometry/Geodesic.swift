//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPlaces

/// Computes geodesics on the ellipsoid of WGS 84 with PROJ, whose results are exact to some nanometers.
public enum Geodesic {
    /// The length of half a meridian ellipse in meters, which is the maximum distance between two points.
    public static let distanceMax = 20_003_931.458_625_5

    /// Returns the distance between two positions in meters.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/libraryMissing`` when PROJ is not installed.
    public static func metres(from first: Position, to second: Position) throws(GeometryError) -> Double {
        try load()
        return way(from: first, to: second).metres
    }

    /// Returns the position at a distance in meters from a position, in a direction in degrees clockwise from north.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/libraryMissing`` when PROJ is not installed.
    public static func position(
        from start: Position, azimuth: Double, metres: Double
    ) throws(GeometryError) -> Position {
        try load()
        return end(from: start, azimuth: azimuth, metres: metres)
    }

    static func load() throws(GeometryError) {
        if let failure = godwit_proj_load() { throw GeometryError(.libraryMissing, String(cString: failure)) }
    }

    /// Returns the length of the geodesic from one position to another, and the direction of the geodesic at its end.
    /// PROJ must be loaded.
    @inline(__always)
    static func way(from first: Position, to second: Position) -> (metres: Double, arrival: Double) {
        var metres = 0.0
        var departure = 0.0
        var arrival = 0.0
        godwit_proj_inverse(
            first.latitude, first.longitude, second.latitude, second.longitude, &metres, &departure, &arrival)
        return (metres, arrival)
    }

    static func end(from start: Position, azimuth: Double, metres: Double) -> Position {
        var end = Position(0, 0)
        godwit_proj_direct(start.latitude, start.longitude, azimuth, metres, &end.latitude, &end.longitude)
        return end
    }
}
