//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Tests relations of a query's area to shapes. The area is prepared on a map that contains it in one piece.
final class AreaOnMaps {
    /// The area on the map from -180 to 180 degrees.
    let shape: Shape
    private let area: any AreaTest
    /// The area on the map that starts at Greenwich. This map is used for shapes at the antimeridian if the area
    /// extends around the Earth, because no map contains such an area in one piece.
    private lazy var opposite: Result<any AreaTest, GeometryError> = {
        do throws(GeometryError) {
            return .success(try Self.test(try MapFrame(of: shape, west: 0)))
        } catch {
            return .failure(error)
        }
    }()
    private let extendsAroundEarth: Bool

    init(_ searchArea: SearchArea) throws(GeometryError) {
        shape = try searchArea.shape()
        let frame = try MapFrame(of: shape)
        extendsAroundEarth = frame.west == -180 && shape.geometry.partBoxes.contains { $0.east == 180 }
        area = try Self.test(frame)
    }

    private static func test(_ frame: MapFrame) throws(GeometryError) -> any AreaTest {
        GeometryLibrary.current == .geos ? try PreparedArea(frame) : PlaneArea(frame)
    }

    /// The area, if it may be tested with shapes of GEOS: GEOS can read them directly from the bytes in an index.
    var acceptingStoredShapes: PreparedArea? {
        guard !extendsAroundEarth, let area = area as? PreparedArea, area.acceptsStoredShapes else { return nil }
        return area
    }

    func holds(_ relation: Relation, _ other: Shape) throws(GeometryError) -> Bool {
        if extendsAroundEarth, other.boxes.contains(where: { $0.east == 180 || $0.west == -180 }) {
            return try opposite.get().holds(relation, other)
        }
        return try area.holds(relation, other)
    }
}
