//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Tests one relation between a query's area and many documents' shapes.
///
/// The area is prepared once. What a circle intersects and contains among points is told by their distances, so that it
/// does not depend on the corners of a polygon. One thread at a time may use a test.
package final class RelationTest {
    /// What is tested.
    package let relation: Relation
    /// The area on the map.
    package let shape: Shape
    /// The boxes in which everything lies that the area may meet.
    package let searchBoxes: [BoundingBox]

    private let circle: (measure: DistanceMeasure, radius: Double)?
    private let area: PreparedArea
    /// The area on the map that begins at Greenwich, for shapes at the antimeridian when the area reaches all round the
    /// Earth and no map has it in one piece.
    private lazy var opposite: Result<PreparedArea, GeometryError> = Self.prepared { () throws(GeometryError) in
        try PreparedArea(try MapFrame(of: shape, west: 0))
    }
    private let reachesAllRound: Bool

    /// Prepares an area.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/selfCrossing`` when it is a polygon that is not
    ///   valid, ``GeometryError/Code/tooCostly`` when it takes too long, ``GeometryError/Code/libraryMissing`` when
    ///   GEOS or PROJ is not installed.
    package init(_ searchArea: SearchArea, _ relation: Relation) throws(GeometryError) {
        self.relation = relation
        let shape = try searchArea.shape()
        self.shape = shape
        searchBoxes = shape.searchBoxes
        let frame = try MapFrame(of: shape)
        reachesAllRound = frame.west == -180 && shape.geometry.partBoxes.contains { $0.east == 180 }
        area = try PreparedArea(frame)
        if case .ellipse(let ellipse) = searchArea, ellipse.isCircle {
            circle = (try DistanceMeasure(from: ellipse.center), ellipse.rangeX)
        } else {
            circle = nil
        }
    }

    /// Whether the relation holds between the area and a shape.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/tooCostly`` when it takes longer than
    ///   ``GeometryLimits/operationSecondsMax``, ``GeometryError/Code/operationFailed`` when GEOS fails.
    package func holds(for other: Shape) throws(GeometryError) -> Bool {
        if relation == .none { return meetsBoxes(of: other) }
        if let answer = try answerByDistance(other) { return answer }
        if reachesAllRound, other.boxes.contains(where: { $0.east == 180 || $0.west == -180 }) {
            return try opposite.get().holds(relation, other)
        }
        return try area.holds(relation, other)
    }

    /// Whether the relation holds between the area and a shape as an index keeps it, which GEOS reads itself.
    ///
    /// - Throws: As ``holds(for:)``.
    package func holds(forWellKnownBinary bytes: UnsafeRawBufferPointer) throws(GeometryError) -> Bool {
        let isCollection = bytes.count > 1 && bytes[1] == Geometry.Kind.geometryCollection.rawValue
        if relation == .none || circle != nil || isCollection || reachesAllRound || !area.takesShapesAsKept {
            return try holds(for: Shape(placed: try Geometry(wellKnownBinary: bytes)))
        }
        return try area.holds(relation, try GEOSShape(wellKnownBinary: Array(bytes)))
    }

    private static func prepared(
        _ make: () throws(GeometryError) -> PreparedArea
    ) -> Result<PreparedArea, GeometryError> {
        do { return .success(try make()) } catch { return .failure(error) }
    }

    private func meetsBoxes(of other: Shape) -> Bool {
        let boxes = other.boxes
        return searchBoxes.contains { box in boxes.contains { $0.meets(box) } }
    }

    private func answerByDistance(_ other: Shape) throws(GeometryError) -> Bool? {
        guard let circle else { return nil }
        switch (relation, other.geometry.kind) {
        case (.intersects, _): return circle.measure.metres(to: other) <= circle.radius
        case (.disjoint, _): return circle.measure.metres(to: other) > circle.radius
        case (.covers, .point): return circle.measure.metres(to: other) <= circle.radius
        case (.contains, .point), (.containsProperly, .point):
            return circle.radius == 0 ? nil : circle.measure.metres(to: other) < circle.radius
        default: return nil
        }
    }
}
