//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A query's area on a map, prepared for tests of relations.
protocol AreaTest {
    /// Whether the relation holds between the area and a shape.
    func holds(_ relation: Relation, _ other: Shape) throws(GeometryError) -> Bool
}

/// A query's area, with Godwit's own tests of relations.
struct PlaneArea: AreaTest {
    private let frame: MapFrame
    private let parts: [PlaneShape]

    init(_ frame: MapFrame) {
        self.frame = frame
        parts = Self.parts(of: frame.geometry)
    }

    func holds(_ relation: Relation, _ other: Shape) throws(GeometryError) -> Bool {
        let document = Self.parts(of: try frame.geometry(of: other))
        let work = PlaneWork()
        return switch relation {
        case .intersects, .none: try Self.intersect(parts, document, work)
        case .disjoint: try !Self.intersect(parts, document, work)
        case .covers: try Self.covers(parts, document, work)
        case .coveredBy: try Self.covers(document, parts, work)
        case .contains: try Self.contains(parts, document, work)
        case .within: try Self.contains(document, parts, work)
        case .containsProperly, .crosses, .overlaps, .touches:
            throw GeometryLibrary.needsGEOS("The relation \(relation)")
        }
    }

    /// The geometry, or the members of a collection.
    private static func parts(of geometry: Geometry) -> [PlaneShape] {
        geometry.kind == .geometryCollection ? geometry.leaves.map { PlaneShape($0) } : [PlaneShape(geometry)]
    }

    private static func intersect(
        _ parts: [PlaneShape], _ others: [PlaneShape], _ work: PlaneWork
    ) throws(GeometryError) -> Bool {
        for part in parts {
            for other in others {
                try work.step()
                if try part.intersects(other, work) { return true }
            }
        }
        return false
    }

    private static func covers(
        _ parts: [PlaneShape], _ others: [PlaneShape], _ work: PlaneWork
    ) throws(GeometryError) -> Bool {
        let whole = try whole(parts)
        for other in others where try !whole.covers(other, work) { return false }
        return true
    }

    private static func contains(
        _ parts: [PlaneShape], _ others: [PlaneShape], _ work: PlaneWork
    ) throws(GeometryError) -> Bool {
        let whole = try whole(parts)
        guard try covers(parts, others, work) else { return false }
        for other in others where try whole.contains(other, work) { return true }
        return false
    }

    /// The only part. What a collection contains depends on the union of its members.
    private static func whole(_ parts: [PlaneShape]) throws(GeometryError) -> PlaneShape {
        guard parts.count == 1 else { throw GeometryLibrary.needsGEOS("What a collection of geometries contains") }
        return parts[0]
    }
}
