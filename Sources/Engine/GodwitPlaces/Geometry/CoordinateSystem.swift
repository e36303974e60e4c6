//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A coordinate reference system, identified by its EPSG code.
public struct CoordinateSystem: Sendable, Hashable, CustomStringConvertible {
    /// The EPSG code. 4326 is the system of GeoJSON and GPS.
    public let code: Int

    /// Longitude and latitude on WGS 84: the system of GeoJSON, GPS and the indexes.
    public static let wgs84 = CoordinateSystem(code: 4326)

    /// A plane, whose coordinates have no limits.
    static let plane = CoordinateSystem(code: 0)

    /// Creates the system of an EPSG code. The code is not checked here. If the code is unknown,
    /// ``CoordinateTransformation/between(_:and:)`` throws an error.
    public init(code: Int) {
        self.code = code
    }

    /// Parses `4326` or `urn:ogc:def:crs:EPSG::4326`.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/unknownCoordinateSystem`` for any other text.
    public init(parsing text: String) throws(GeometryError) {
        let prefix = "urn:ogc:def:crs:EPSG::"
        let isName = text.lowercased().utf8.starts(with: prefix.lowercased().utf8)
        guard let code = Int(Substring(text.utf8.dropFirst(isName ? prefix.utf8.count : 0))), code > 0 else {
            throw GeometryError(
                .unknownCoordinateSystem,
                "a coordinate system must be an EPSG code, or urn:ogc:def:crs:EPSG:: and an EPSG code")
        }
        self.init(code: code)
    }

    /// The name of the system, for example `EPSG:4326`.
    public var description: String { "EPSG:\(code)" }
}
