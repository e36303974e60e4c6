//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CPlaces

/// A query's area on a map, with an index by GEOS for testing many relations. It is not thread-safe.
final class PreparedArea: AreaTest {
    private let frame: MapFrame
    private let query: GEOSShape
    private let prepared: OpaquePointer
    /// The area as a mixed shape. It is created when it is needed: if the area or a tested shape is a collection of
    /// several dimensions.
    private var mixed: MixedShape?
    private let isMixed: Bool

    init(_ frame: MapFrame) throws(GeometryError) {
        self.frame = frame
        if let uniform = try Self.uniform(frame.geometry) {
            query = uniform
            isMixed = false
        } else {
            query = try GEOSShape(frame.geometry)
            isMixed = true
        }
        prepared = try query.prepared()
    }

    deinit { godwit_geos_prepared_free(prepared) }

    /// Whether GEOS can read shapes directly from an index's bytes.
    var acceptsStoredShapes: Bool { frame.west == -180 && !isMixed }

    func holds(_ relation: Relation, _ other: Shape) throws(GeometryError) -> Bool {
        let geometry = try frame.geometry(of: other)
        if !isMixed, let document = try Self.uniform(geometry) { return try holds(relation, document) }
        if mixed == nil { mixed = try MixedShape(frame.geometry) }
        guard let mixed else { return false }
        return try mixed.holds(relation, try MixedShape(geometry))
    }

    /// GEOS can test only some relations with its index of the area, which is fast. The tests of the other relations
    /// are slow. Before such a test, this method tests a fast relation. Often, its result is already sufficient.
    func holds(_ relation: Relation, _ document: GEOSShape) throws(GeometryError) -> Bool {
        switch relation {
        case .within, .coveredBy:
            guard try answer(.intersects, document) else { return false }
        case .touches, .crosses, .overlaps:
            guard try answer(.intersects, document) else { return false }
            if query.dimension == 2, try answer(.containsProperly, document) { return false }
        default: break
        }
        return try answer(relation, document)
    }

    private func answer(_ relation: Relation, _ document: GEOSShape) throws(GeometryError) -> Bool {
        let answer = GEOSShape.timed { godwit_geos_holds(prepared, relation.code, document.pointer) }
        guard answer >= 0 else { throw GEOSShape.failure }
        return answer == 1
    }

    /// Returns a geometry as a shape for which GEOS supports relations. A collection whose members have the same
    /// dimension becomes a multi-geometry. Returns `nil` for a collection with several dimensions.
    private static func uniform(_ geometry: Geometry) throws(GeometryError) -> GEOSShape? {
        guard geometry.kind == .geometryCollection else { return try GEOSShape(geometry) }
        let leaves = geometry.leaves
        let dimension = leaves[0].topologicalDimension
        guard leaves.allSatisfy({ $0.topologicalDimension == dimension }) else { return nil }
        let joined = try GEOSShape(Geometry(joining: leaves))
        return dimension == 2 ? try joined.union() : joined
    }
}

extension Relation {
    /// The code of GEOS's predicate.
    fileprivate var code: Int32 {
        switch self {
        case .contains: Int32(godwit_geos_contains.rawValue)
        case .containsProperly: Int32(godwit_geos_contains_properly.rawValue)
        case .coveredBy: Int32(godwit_geos_covered_by.rawValue)
        case .covers: Int32(godwit_geos_covers.rawValue)
        case .crosses: Int32(godwit_geos_crosses.rawValue)
        case .disjoint: Int32(godwit_geos_disjoint.rawValue)
        case .none, .intersects: Int32(godwit_geos_intersects.rawValue)
        case .overlaps: Int32(godwit_geos_overlaps.rawValue)
        case .touches: Int32(godwit_geos_touches.rawValue)
        case .within: Int32(godwit_geos_within.rawValue)
        }
    }
}
