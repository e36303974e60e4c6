//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Computes geodesics, the shortest paths on the ellipsoid of WGS 84, with errors of some nanometers.
public enum Geodesic {
    /// The length of half a meridian ellipse in meters, which is the maximum distance between two points.
    public static let distanceMax = 20_003_931.458_625_5

    /// Returns the distance between two positions in meters.
    public static func metres(from first: Position, to second: Position) -> Double {
        max(0, GeodesicInverse(from: first, to: second).metres)
    }

    /// Returns the position at a distance in meters from a position, in a direction in degrees clockwise from north.
    public static func position(from start: Position, azimuth: Double, metres: Double) -> Position {
        GeodesicLine(from: start, azimuth: azimuth).position(metres: metres)
    }
}
