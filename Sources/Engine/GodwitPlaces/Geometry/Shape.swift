//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A geometry that is projected onto the map. It is two-dimensional, its longitudes are within ±180 degrees, it is
/// split at the antimeridian, and its polygons are valid.
///
/// Relations and distances are computed from shapes, and indexes store shapes (``wellKnownBinary``).
package struct Shape: Sendable, Hashable {
    /// The projected geometry. Every edge is straight in longitude and latitude.
    package let geometry: Geometry
    /// GEOS's reason why a polygon had to be repaired; `nil` when all polygons were valid, or when the shape came from
    /// an index.
    package let repair: String?

    /// Projects a geometry onto the map. Polygons whose rings cross are repaired: the result consists of all areas that
    /// the outer ring encloses, also areas that it encloses several times. The areas of the holes are then removed.
    /// Such polygons are not refused, because they occur in real data, and a query should find their documents.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/empty`` when a polygon has no area,
    ///   ``GeometryError/Code/tooCostly`` when the operation takes too long, ``GeometryError/Code/libraryMissing`` for
    ///   polygons when GEOS is not installed.
    package init(_ geometry: Geometry) throws(GeometryError) {
        var placement = Placement()
        self.geometry = try placement.placed(geometry)
        repair = placement.repair
    }

    /// Parses a shape in an index's format. It is not checked whether the geometry is really projected onto the map.
    package init(wellKnownBinary bytes: [UInt8]) throws(GeometryError) {
        geometry = try Geometry(wellKnownBinary: bytes)
        repair = nil
    }

    init(placed geometry: Geometry, repair: String? = nil) {
        self.geometry = geometry
        self.repair = repair
    }

    /// Returns the bounding boxes of a shape in an index's format. A point is read directly from the bytes.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidBinary`` when the bytes are not well-known
    ///   binary.
    package static func boxes(ofWellKnownBinary bytes: UnsafeRawBufferPointer) throws(GeometryError) -> [BoundingBox] {
        if let position = Position(wellKnownBinary: bytes) { return [BoundingBox(position)] }
        return Shape(placed: try Geometry(wellKnownBinary: bytes)).boxes
    }

    /// The shape in an index's format.
    package var wellKnownBinary: [UInt8] { geometry.wellKnownBinary }

    /// The bounding boxes of the shape: one box or, if the shape crosses the antimeridian, two boxes. If there are two
    /// boxes, the first of them ends at the antimeridian.
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
    /// The bounding boxes of all points, lines and polygons.
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
    /// Returns the bounding box of all boxes.
    func joined() -> BoundingBox {
        var all = first ?? .world
        for box in self { all.formUnion(box) }
        return all
    }
}
