//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A map that contains a shape in one piece.
///
/// The usual map ends at the antimeridian, where shapes are split. On this map, a shape at the antimeridian does not
/// touch the shapes on the other side, although it touches them on the Earth. Therefore, this map ends elsewhere: in
/// the middle of the widest range of longitudes that contains no part of the shape.
struct MapFrame {
    /// The shape on this map.
    let geometry: Geometry
    /// The meridian where the map starts.
    let west: Double

    init(of shape: Shape) throws(GeometryError) {
        try self.init(of: shape, west: Self.west(for: shape))
    }

    /// Creates the map that starts at a meridian.
    init(of shape: Shape, west: Double) throws(GeometryError) {
        self.west = west
        geometry = try west == -180 ? shape.geometry : Placement(west: west).move(shape.geometry)
    }

    /// Returns another shape on this map.
    func geometry(of shape: Shape) throws(GeometryError) -> Geometry {
        try west == -180 ? shape.geometry : Placement(west: west).move(shape.geometry)
    }

    func centroid() throws(GeometryError) -> Position {
        let maxDimension = geometry.topologicalDimension
        let parts = geometry.leaves.filter { $0.topologicalDimension == maxDimension }
        let joined = Geometry(joining: parts)
        let centroid =
            GeometryLibrary.current == .geos
            ? try GEOSShape(joined).centroid() : PlanePolygons.centroid(of: joined)
        return Position(centroid.x > 180 ? centroid.x - 360 : centroid.x, centroid.y)
    }

    private static func west(for shape: Shape) -> Double {
        let boxes = shape.geometry.partBoxes.sorted { $0.west < $1.west }
        guard boxes.contains(where: { $0.west == -180 || $0.east == 180 }) else { return -180 }
        var widest = (width: 0.0, west: -180.0)
        var reachedEast = -180.0
        for box in boxes {
            if box.west - reachedEast > widest.width { widest = (box.west - reachedEast, (box.west + reachedEast) / 2) }
            reachedEast = max(reachedEast, box.east)
        }
        if 180 - reachedEast > widest.width { widest = (180 - reachedEast, (180 + reachedEast) / 2) }
        return widest.west
    }
}
