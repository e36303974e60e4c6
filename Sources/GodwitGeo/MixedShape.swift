//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// Collections of several dimensions at once, which GEOS before 3.13 does not relate.
///
/// One is read as all of its points together, as newer versions of GEOS do it, where areas come before lines and lines
/// before points: a line within an area of the same collection adds nothing, and where it leaves the area it begins on
/// the area's boundary. What is left are layers that lie outside of each other. What is of dimension 1 and 2 in the
/// matrix comes from pairs of layers; single points are looked at one by one, for a point within a line may be one of
/// an area's boundary too.
struct MixedShape {
    private typealias Part = IntersectionMatrix.Part

    /// The union of the areas; the lines outside of them; the points outside of both.
    private var layers: [GEOSShape] = []
    /// The same with the lines as they came: where they were cut, others of their points may have been rounded away.
    private var uncut: [GEOSShape] = []
    private var boundaries: [GEOSShape] = []
    /// What has no area: lines and points, and the boundary of areas.
    private var thin: [(shape: GEOSShape, part: Part)] = []
    /// The ends of lines, and where they meet the boundary of areas.
    private var ends: Set<Position> = []
    private var points: [Position] = []
    /// The greatest dimension of its parts.
    let dimension: Int

    init(_ geometry: Geometry) throws(GeometryError) {
        dimension = geometry.topologicalDimension
        let leaves = geometry.leaves
        for dimension in [2, 1, 0] {
            let parts = leaves.filter { $0.topologicalDimension == dimension }
            if parts.isEmpty { continue }
            let joined = try GEOSShape(Geometry(joining: parts))
            let whole = dimension == 2 ? try joined.union() : joined
            let layer = try outside(whole)
            if layer.dimension >= 0 { try append(layer, whole) }
        }
    }

    private mutating func append(_ layer: GEOSShape, _ whole: GEOSShape) throws(GeometryError) {
        switch layer.dimension {
        case 2:
            let boundary = try whole.boundary()
            thin.append((boundary, .boundary))
            boundaries.append(boundary)
        case 1:
            let boundary = try outside(try whole.boundary())
            ends.formUnion(try boundary.points())
            if let area = thin.first { ends.formUnion(try layer.intersection(area.shape).points()) }
            thin.append((layer, .interior))
            if boundary.dimension >= 0 { boundaries.append(boundary) }
        default:
            points = try layer.points()
            thin.append((layer, .interior))
        }
        layers.append(layer)
        uncut.append(whole)
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

    /// What of a shape lies outside of all layers.
    private func outside(_ shape: GEOSShape) throws(GeometryError) -> GEOSShape {
        var rest = shape
        for layer in shape.dimension == 0 ? uncut : layers where rest.dimension >= 0 {
            rest = try rest.difference(layer)
        }
        return rest
    }

    // MARK: Single points

    /// Looks at the points in which lines, points and boundaries meet, which may be rounded; then at ends of lines and
    /// at points, which are exact.
    private func raiseForPoints(_ matrix: inout IntersectionMatrix, _ other: MixedShape) throws(GeometryError) {
        for first in thin {
            for second in other.thin {
                for point in try first.shape.intersection(second.shape).points() {
                    let part = ends.contains(point) ? .boundary : first.part
                    matrix.raise(part, other.ends.contains(point) ? .boundary : second.part, to: 0)
                }
            }
        }
        let start = ProcessorTime.ofThread
        for point in points + ends {
            matrix.raise(ends.contains(point) ? .boundary : .interior, try other.position(of: point), to: 0)
            try Self.check(start)
        }
        for point in other.points + other.ends {
            matrix.raise(try position(of: point), other.ends.contains(point) ? .boundary : .interior, to: 0)
            try Self.check(start)
        }
    }

    private static func check(_ start: Duration) throws(GeometryError) {
        guard ProcessorTime.ofThread - start < .seconds(GeometryLimits.operationSecondsMax) else {
            throw GeometryError(.tooCostly, "the collections have too many points")
        }
    }

    /// Where a point lies: the first layer that has it says.
    private func position(of point: Position) throws(GeometryError) -> Part {
        if ends.contains(point) { return .boundary }
        let shape = try GEOSShape(Geometry(.point, dimension: 2, coordinates: [point.x, point.y]))
        for layer in uncut {
            let matrix = try shape.matrix(with: layer)
            if matrix[.interior, .interior] >= 0 { return .interior }
            // The ends of lines were known before.
            if matrix[.interior, .boundary] >= 0 { return layer.dimension == 2 ? .boundary : .interior }
        }
        return .exterior
    }
}

extension GEOSShape {
    /// Its single points.
    fileprivate func points() throws(GeometryError) -> [Position] {
        guard let geometry = try geometry() else { return [] }
        return geometry.leaves.filter { $0.topologicalDimension == 0 }.flatMap { $0.paths[0].map($0.position) }
    }
}
