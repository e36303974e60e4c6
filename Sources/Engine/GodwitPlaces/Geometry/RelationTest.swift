//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Tests one relation between a query's area and many documents' shapes.
///
/// The area is prepared once. A circle is approximated by a polygon, which is created when it is first needed. However,
/// two questions are answered by distances and not by the polygon: which shapes the circle intersects, and which points
/// it contains. Therefore, these two results do not depend on the corners of the polygon. A test is not thread-safe.
package final class RelationTest {
    /// The relation.
    package let relation: Relation
    /// The boxes that contain all points that the area may intersect.
    package let searchBoxes: [BoundingBox]

    private let searchArea: SearchArea
    private let circle: (measure: DistanceMeasure, radius: Double)?
    private lazy var prepared: Result<AreaOnMaps, GeometryError> = Self.captured {
        [searchArea] () throws(GeometryError) in
        try AreaOnMaps(searchArea)
    }

    /// Prepares an area.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/selfCrossing`` when the area is an invalid polygon,
    ///   ``GeometryError/Code/tooCostly`` when the preparation takes too long, ``GeometryError/Code/libraryMissing``
    ///   when GEOS is needed and not installed. If the area is a circle, it may be prepared later. In this case,
    ///   ``holds(for:)`` throws these errors.
    package init(_ searchArea: SearchArea, _ relation: Relation) throws(GeometryError) {
        self.relation = relation
        self.searchArea = searchArea
        guard case .ellipse(let ellipse) = searchArea, ellipse.isCircle else {
            circle = nil
            let area = try AreaOnMaps(searchArea)
            searchBoxes = area.shape.searchBoxes
            prepared = .success(area)
            return
        }
        circle = (DistanceMeasure(from: ellipse.center), ellipse.rangeX)
        if relation != .none, let box = ellipse.boxAround {
            searchBoxes = [box]
        } else {
            let area = try AreaOnMaps(searchArea)
            searchBoxes = area.shape.searchBoxes
            prepared = .success(area)
        }
    }

    /// Returns the position from which a query measures distances.
    package func center() throws(GeometryError) -> Position {
        guard case .geometry = searchArea else { return try searchArea.center() }
        return try searchArea.center(of: prepared.get().shape)
    }

    /// Whether the relation holds between the area and a shape.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/tooCostly`` when the test takes longer than
    ///   ``GeometryLimits/operationSecondsMax``, ``GeometryError/Code/operationFailed`` when GEOS fails, and the errors
    ///   of the initializer for a circle.
    package func holds(for other: Shape) throws(GeometryError) -> Bool {
        if relation == .none { return meetsBoxes(of: other) }
        if let answer = try answerByDistance(other) { return answer }
        return try prepared.get().holds(relation, other)
    }

    /// Whether the relation holds between the area and a shape in the format of an index. If possible, GEOS reads the
    /// shape directly from the bytes.
    ///
    /// - Parameters:
    ///   - bytes: The shape as well-known binary.
    ///   - metres: The distance of the shape from the center of the area, if it is known.
    /// - Throws: ``GeometryError`` as ``holds(for:)``.
    package func holds(
        forWellKnownBinary bytes: UnsafeRawBufferPointer, metres: Double? = nil
    ) throws(GeometryError) -> Bool {
        if let circle, let metres {
            let isPoint = bytes.count > 1 && bytes[1] == Geometry.Kind.point.rawValue
            if let answer = answer(at: metres, from: circle.radius, isPoint: isPoint) { return answer }
        }
        let isCollection = bytes.count > 1 && bytes[1] == Geometry.Kind.geometryCollection.rawValue
        guard relation != .none, circle == nil, !isCollection, let area = try prepared.get().acceptingStoredShapes
        else {
            return try holds(for: Shape(placed: try Geometry(wellKnownBinary: bytes)))
        }
        return try area.holds(relation, try GEOSShape(wellKnownBinary: Array(bytes)))
    }

    private static func captured(
        _ body: () throws(GeometryError) -> AreaOnMaps
    ) -> Result<AreaOnMaps, GeometryError> {
        do { return .success(try body()) } catch { return .failure(error) }
    }

    private func meetsBoxes(of other: Shape) -> Bool {
        let boxes = other.boxes
        return searchBoxes.contains { box in boxes.contains { $0.meets(box) } }
    }

    private func answerByDistance(_ other: Shape) throws(GeometryError) -> Bool? {
        guard let circle, answer(at: 0, from: circle.radius, isPoint: other.geometry.kind == .point) != nil else {
            return nil
        }
        let metres = circle.measure.metres(to: other)
        return answer(at: metres, from: circle.radius, isPoint: other.geometry.kind == .point)
    }

    /// Returns whether the relation holds between a circle and a shape at a known distance from the circle's center;
    /// `nil` when the distance does not determine the result.
    private func answer(at metres: Double, from radius: Double, isPoint: Bool) -> Bool? {
        switch relation {
        case .intersects: metres <= radius
        case .disjoint: metres > radius
        case .covers where isPoint: metres <= radius
        case .contains where isPoint, .containsProperly where isPoint: radius == 0 ? nil : metres < radius
        default: nil
        }
    }
}
