//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A coordinate reference system, by its EPSG code.
public struct CoordinateSystem: Sendable, Hashable, CustomStringConvertible {
    /// The EPSG code; 4326 is the system of GeoJSON and GPS.
    public let code: Int

    /// Longitude and latitude on WGS 84: what GeoJSON, GPS and the indexes have.
    public static let wgs84 = CoordinateSystem(code: 4326)

    /// Coordinates that are held to no limits.
    static let plane = CoordinateSystem(code: 0)

    /// The system of an EPSG code; whether there is one shows when it is used.
    public init(code: Int) {
        self.code = code
    }

    /// Reads `4326` or `urn:ogc:def:crs:EPSG::4326`.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/unknownCoordinateSystem`` for anything else.
    public init(parsing text: String) throws(GeometryError) {
        let prefix = "urn:ogc:def:crs:EPSG::"
        let isName = text.lowercased().hasPrefix(prefix.lowercased())
        guard let code = Int(isName ? text.dropFirst(prefix.count) : text[...]), code > 0 else {
            throw GeometryError(
                .unknownCoordinateSystem,
                "a coordinate system is an EPSG code, or urn:ogc:def:crs:EPSG:: and such a code")
        }
        self.init(code: code)
    }

    /// For example `EPSG:4326`.
    public var description: String { "EPSG:\(code)" }
}
