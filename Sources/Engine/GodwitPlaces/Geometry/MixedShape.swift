//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Tests relations of collections of several dimensions, which GEOS before 3.13 does not support.
///
/// As in newer versions of GEOS, a collection is the set of all its points. Areas have priority over lines, and lines
/// over points. Therefore, a part of a line that is within an area of the same collection is ignored. If a line leaves
/// the area, its remaining part begins on the boundary of the area. The remaining areas, lines and points are three
/// disjoint layers. For the dimensions 1 and 2, the matrix is computed from pairs of layers. Single points are tested
/// one by one, because a point in the interior of a line may also be on the boundary of an area.
struct MixedShape {
    private typealias Part = IntersectionMatrix.Part

    /// The three layers: first the union of the areas, then the lines outside the areas, then the points outside the
    /// areas and the lines.
    private var layers: [GEOSShape] = []
    /// The layers, but with the original lines. They are needed because splitting a line may also round other points of
    /// the line.
    private var uncut: [GEOSShape] = []
    private var boundaries: [GEOSShape] = []
    /// The parts without area: lines, points, and the boundary of areas.
    private var partsWithoutArea: [(shape: GEOSShape, part: Part)] = []
    /// The ends of lines, and their intersections with the boundary of areas.
    private var ends: Set<Position> = []
    private var points: [Position] = []
    /// The maximum topological dimension of its parts.
    let dimension: Int

    init(_ geometry: Geometry) throws(GeometryError) {
        dimension = geometry.topologicalDimension
        let leaves = geometry.leaves
        for dimension in [2, 1, 0] {
            let parts = leaves.filter { $0.topologicalDimension == dimension }
            if parts.isEmpty { continue }
            let joined = try GEOSShape(Geometry(joining: parts))
            let uncutShape = dimension == 2 ? try joined.union() : joined
            let layer = try outside(uncutShape)
            if layer.dimension >= 0 { try append(layer, uncutShape) }
        }
    }

    private mutating func append(_ layer: GEOSShape, _ uncutShape: GEOSShape) throws(GeometryError) {
        switch layer.dimension {
        case 2:
            let boundary = try uncutShape.boundary()
            partsWithoutArea.append((boundary, .boundary))
            boundaries.append(boundary)
        case 1:
            let boundary = try outside(try uncutShape.boundary())
            ends.formUnion(try boundary.points())
            if let area = partsWithoutArea.first { ends.formUnion(try layer.intersection(area.shape).points()) }
            partsWithoutArea.append((layer, .interior))
            if boundary.dimension >= 0 { boundaries.append(boundary) }
        default:
            points = try layer.points()
            partsWithoutArea.append((layer, .interior))
        }
        layers.append(layer)
        uncut.append(uncutShape)
    }

    func holds(_ relation: Relation, _ other: MixedShape) throws(GeometryError) -> Bool {
        try matrix(with: other).holds(relation, dimensions: dimension, other.dimension)
    }

    private func matrix(with other: MixedShape) throws(GeometryError) -> IntersectionMatrix {
        var matrix = IntersectionMatrix()
        for first in layers {
            for second in other.layers {
                let pair = try first.matrix(with: second)
                let areAreas = first.dimension == 2 && second.dimension == 2
                for (row, column) in Self.inner where pair[row, column] > 0 || areAreas {
                    matrix.raise(row, column, to: pair[row, column])
                }
            }
        }
        try raiseForPoints(&matrix, other)
        for layer in layers { matrix.raise(.interior, .exterior, to: try other.outside(layer).dimension) }
        for boundary in boundaries { matrix.raise(.boundary, .exterior, to: try other.outside(boundary).dimension) }
        for layer in other.layers { matrix.raise(.exterior, .interior, to: try outside(layer).dimension) }
        for boundary in other.boundaries { matrix.raise(.exterior, .boundary, to: try outside(boundary).dimension) }
        return matrix
    }

    private static let inner: [(Part, Part)] = [
        (.interior, .interior), (.interior, .boundary), (.boundary, .interior), (.boundary, .boundary),
    ]

    /// Returns the part of a shape outside all layers.
    private func outside(_ shape: GEOSShape) throws(GeometryError) -> GEOSShape {
        var remaining = shape
        for layer in shape.dimension == 0 ? uncut : layers where remaining.dimension >= 0 {
            remaining = try remaining.difference(layer)
        }
        return remaining
    }

    // MARK: Single points

    /// Raises the dimension of the intersection of two parts from -1 to 0 if the intersection contains a single point.
    /// The first points that are tested are the intersections of lines, points and boundaries, which may be rounded.
    /// After them, the ends of lines and the points of the collection are tested. These points are exact.
    private func raiseForPoints(_ matrix: inout IntersectionMatrix, _ other: MixedShape) throws(GeometryError) {
        for first in partsWithoutArea {
            for second in other.partsWithoutArea {
                for point in try first.shape.intersection(second.shape).points() {
                    let part = ends.contains(point) ? .boundary : first.part
                    matrix.raise(part, other.ends.contains(point) ? .boundary : second.part, to: 0)
                }
            }
        }
        let start = ProcessorTime.ofThread
        for point in points + ends {
            matrix.raise(ends.contains(point) ? .boundary : .interior, try other.part(at: point), to: 0)
            try Self.checkTime(start)
        }
        for point in other.points + other.ends {
            matrix.raise(try part(at: point), other.ends.contains(point) ? .boundary : .interior, to: 0)
            try Self.checkTime(start)
        }
    }

    private static func checkTime(_ start: Duration) throws(GeometryError) {
        guard ProcessorTime.ofThread - start < .seconds(GeometryLimits.operationSecondsMax) else {
            throw GeometryError(.tooCostly, "the collections have too many points")
        }
    }

    /// Returns the part of the collection (interior, boundary or exterior) that contains a point. The first layer that
    /// contains the point determines the result.
    private func part(at point: Position) throws(GeometryError) -> Part {
        if ends.contains(point) { return .boundary }
        let shape = try GEOSShape(Geometry(.point, dimension: 2, coordinates: [point.x, point.y]))
        for layer in uncut {
            let matrix = try shape.matrix(with: layer)
            if matrix[.interior, .interior] >= 0 { return .interior }
            // The point is not an end of a line, because ends were tested above.
            if matrix[.interior, .boundary] >= 0 { return layer.dimension == 2 ? .boundary : .interior }
        }
        return .exterior
    }
}

extension GEOSShape {
    /// Returns the single points of the shape.
    fileprivate func points() throws(GeometryError) -> [Position] {
        guard let geometry = try geometry() else { return [] }
        return geometry.leaves.filter { $0.topologicalDimension == 0 }.flatMap { $0.paths[0].map($0.position) }
    }
}
