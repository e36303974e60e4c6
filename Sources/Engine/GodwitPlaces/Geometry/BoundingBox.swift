//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A range of longitudes and latitudes, in degrees, from west to east and from south to north. A box must not cross the
/// antimeridian: `west` is at most `east`. The initializer does not check this.
public struct BoundingBox: Sendable, Hashable {
    /// The minimum longitude.
    public var west: Double
    /// The minimum latitude.
    public var south: Double
    /// The maximum longitude.
    public var east: Double
    /// The maximum latitude.
    public var north: Double

    /// Creates a box from its sides, in degrees.
    public init(west: Double, south: Double, east: Double, north: Double) {
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }

    /// The box of all longitudes and latitudes.
    public static let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)

    init(_ position: Position) {
        self.init(west: position.x, south: position.y, east: position.x, north: position.y)
    }

    /// Whether the boxes have a point in common.
    public func meets(_ other: BoundingBox) -> Bool {
        west <= other.east && other.west <= east && south <= other.north && other.south <= north
    }

    mutating func formUnion(_ other: BoundingBox) {
        west = min(west, other.west)
        south = min(south, other.south)
        east = max(east, other.east)
        north = max(north, other.north)
    }
}
