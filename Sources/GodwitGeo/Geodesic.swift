//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPROJ

/// Shortest ways on the ellipsoid of WGS 84, by PROJ's routines, which are exact to some nanometres.
public enum Geodesic {
    /// Half of the way round the Earth over the poles, in metres: no two points are farther from each other.
    public static let distanceMax = 20_003_931.458_625_5

    /// The metres between two positions.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/libraryMissing`` when PROJ is not installed.
    public static func metres(from first: Position, to second: Position) throws(GeometryError) -> Double {
        try load()
        return way(from: first, to: second).metres
    }

    /// Where one comes who goes so many metres from a position in a direction, in degrees clockwise from north.
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

    /// The way to a position and the direction in which it comes in, once PROJ is loaded.
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
