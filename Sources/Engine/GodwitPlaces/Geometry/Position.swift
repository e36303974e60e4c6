//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A position on the Earth: longitude and latitude, in degrees.
public struct Position: Sendable, Hashable {
    /// The longitude in degrees east.
    public var longitude: Double
    /// The latitude in degrees north.
    public var latitude: Double

    /// Creates a position from longitude and latitude, in degrees.
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
