//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A geometry as it lies on the map: in two dimensions, within ±180 degrees, cut at the antimeridian, its polygons
/// valid.
///
/// This is what relations and distances are asked of, and what an index keeps (``wellKnownBinary``).
package struct Shape: Sendable, Hashable {
    /// The parts; every edge is a straight line between its longitudes and latitudes.
    package let geometry: Geometry
    /// Why a polygon had to be made valid, in GEOS's words; `nil` when all were, or when it came from an index.
    package let repair: String?

    /// Lays a geometry on the map. Polygons whose rings cross are made valid: what lies within an odd or even number of
    /// turns of one ring is kept, and holes are taken out. Real maps have such polygons, and the documents should be
    /// found.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/empty`` when a polygon has no area,
    ///   ``GeometryError/Code/tooCostly`` when the work takes too long, ``GeometryError/Code/libraryMissing`` for
    ///   polygons when GEOS is not installed.
    package init(_ geometry: Geometry) throws(GeometryError) {
        var placement = Placement()
        self.geometry = try placement.position(geometry)
        repair = placement.repair
    }

    /// Takes a shape from the index that kept it.
    package init(wellKnownBinary bytes: [UInt8]) throws(GeometryError) {
        geometry = try Geometry(wellKnownBinary: bytes)
        repair = nil
    }

    init(placed geometry: Geometry, repair: String? = nil) {
        self.geometry = geometry
        self.repair = repair
    }

    /// The boxes of a shape as an index keeps it. A point is read off the bytes.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidBinary`` when the bytes are none.
    package static func boxes(ofWellKnownBinary bytes: UnsafeRawBufferPointer) throws(GeometryError) -> [BoundingBox] {
        if let position = Position(wellKnownBinary: bytes) { return [BoundingBox(position)] }
        return Shape(placed: try Geometry(wellKnownBinary: bytes)).boxes
    }

    /// The shape as an index keeps it.
    package var wellKnownBinary: [UInt8] { geometry.wellKnownBinary }

    /// The boxes that hold the shape: two when it lies across the antimeridian, the one that ends there first; else
    /// one.
    package var boxes: [BoundingBox] {
        if geometry.kind == .point { return [BoundingBox(geometry.position(0))] }
        let parts = geometry.partBoxes
        let east = parts.filter { $0.east == 180 && $0.west > -180 }
        let west = parts.filter { $0.west == -180 && $0.east < 180 }
        if east.isEmpty || west.isEmpty { return [parts.joined()] }
        let halves = [parts.filter { $0.west + $0.east >= 0 }, parts.filter { $0.west + $0.east < 0 }]
        return halves.map { $0.joined() }
    }
}

extension Geometry {
    /// The boxes of all points, lines and polygons in it.
    var partBoxes: [BoundingBox] {
        switch kind {
        case .geometryCollection: members.flatMap(\.partBoxes)
        case .point, .lineString: [box(of: paths[0])]
        case .multiPoint: paths[0].map { BoundingBox(position($0)) }
        case .multiLineString: paths.map(box)
        case .polygon, .multiPolygon: polygons.map { box(of: $0[$0.startIndex]) }
        }
    }

    private func box(of positions: Range<Int>) -> BoundingBox {
        var box = BoundingBox(position(positions.lowerBound))
        for index in positions { box.formUnion(BoundingBox(position(index))) }
        return box
    }
}

extension Collection<BoundingBox> {
    /// The box around all of them.
    func joined() -> BoundingBox {
        var all = first ?? .world
        for box in self { all.formUnion(box) }
        return all
    }
}
