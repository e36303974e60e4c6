//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A place on the map: longitude and latitude, in degrees.
public struct Position: Sendable, Hashable {
    /// Degrees east.
    public var longitude: Double
    /// Degrees north.
    public var latitude: Double

    /// Makes a position of longitude and latitude, in degrees.
    public init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }

    init(_ x: Double, _ y: Double) {
        self.init(longitude: x, latitude: y)
    }

    var x: Double { longitude }
    var y: Double { latitude }
}
