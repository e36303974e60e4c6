//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The points, lines and polygons of a geometry on a map, prepared for tests of relations.
///
/// The parts are closed sets: a point on the edge of a polygon is a point of the polygon. The polygons do not overlap.
struct PlaneShape {
    let points: [Position]
    /// The positions of each line.
    let lines: [[Position]]
    /// The rings of each polygon, the outer one first. The last position of a ring is its first.
    let polygons: [[[Position]]]
    private let lineEdges: EdgeStrips
    private let rings: EdgeStrips
    /// The ends of lines that are the end of an odd number of them.
    private let lineEnds: Set<Position>

    init(_ geometry: Geometry) {
        var (points, lines, polygons): ([Position], [[Position]], [[[Position]]]) = ([], [], [])
        for leaf in geometry.leaves {
            func positions(_ path: Range<Int>) -> [Position] { path.map(leaf.position) }
            switch leaf.topologicalDimension {
            case 0: points += leaf.paths.flatMap(positions)
            case 1: lines += leaf.paths.map(positions)
            default: polygons += leaf.polygons.map { $0.map(positions) }
            }
        }
        (self.points, self.lines, self.polygons) = (points, lines, polygons)
        lineEdges = EdgeStrips(lines)
        rings = EdgeStrips(polygons.flatMap(\.self))
        var ends: Set<Position> = []
        for line in lines { for end in [line[0], line[line.count - 1]] { ends.formSymmetricDifference([end]) } }
        lineEnds = ends
    }

    /// Whether all parts have the same dimension.
    var isUniform: Bool { [points.isEmpty, lines.isEmpty, polygons.isEmpty].count { !$0 } == 1 }

    /// A position of each part.
    private var samples: [Position] { points + lines.map { $0[0] } + polygons.map { $0[0][0] } }

    private func contains(_ position: Position) -> Bool {
        points.contains(position) || lineEdges.contains(position) || rings.place(position) != .outside
    }

    // MARK: Relations

    /// Whether the shapes have a point in common.
    func intersects(_ other: PlaneShape, _ work: inout PlaneWork) throws(GeometryError) -> Bool {
        if other.samples.contains(where: contains) || samples.contains(where: other.contains) { return true }
        if other.points.contains(where: contains) || points.contains(where: other.contains) { return true }
        for edges in [other.lineEdges, other.rings] {
            for entry in edges.entries where try meets(entry.edge, &work) { return true }
        }
        return false
    }

    private func meets(_ edge: PlaneEdge, _ work: inout PlaneWork) throws(GeometryError) -> Bool {
        var steps = work
        defer { work = steps }
        var isMet = false
        for edges in [lineEdges, rings] {
            try edges.forEach(near: edge) { (entry) throws(GeometryError) in
                try steps.step()
                if case .apart = entry.edge.meeting(edge) { return true }
                isMet = true
                return false
            }
        }
        return isMet
    }

    /// Whether every point of another shape is a point of this one.
    func covers(_ other: PlaneShape, _ work: inout PlaneWork) throws(GeometryError) -> Bool {
        guard other.points.allSatisfy(contains) else { return false }
        for entry in other.lineEdges.entries where try !coversEdge(entry.edge, &work) { return false }
        return try coversPolygons(of: other, &work)
    }

    /// Whether every point of another shape is a point of this one, and their interiors have a point in common.
    func contains(_ other: PlaneShape, _ work: inout PlaneWork) throws(GeometryError) -> Bool {
        guard try covers(other, &work) else { return false }
        guard other.polygons.isEmpty else { return true }
        if other.points.contains(where: isInInterior) { return true }
        guard !polygons.isEmpty else { return !other.lines.isEmpty }
        for entry in other.lineEdges.entries {
            var isInside = false
            try rings.forEachPart(of: entry.edge, &work) { place in
                isInside = place == .inside
                return !isInside
            }
            if isInside { return true }
        }
        return false
    }

    private func isInInterior(_ position: Position) -> Bool {
        if points.contains(position) || rings.place(position) == .inside { return true }
        return lineEdges.contains(position) && !lineEnds.contains(position)
    }

    private func coversEdge(_ edge: PlaneEdge, _ work: inout PlaneWork) throws(GeometryError) -> Bool {
        var isCovered = true
        let edges = polygons.isEmpty ? lineEdges : rings
        try edges.forEachPart(of: edge, &work) { [isArea = !polygons.isEmpty] place in
            isCovered = isArea ? place == .inside || place == .boundary : place == .boundary
            return isCovered
        }
        return isCovered
    }

    private func coversPolygons(of other: PlaneShape, _ work: inout PlaneWork) throws(GeometryError) -> Bool {
        guard !other.polygons.isEmpty else { return true }
        guard !polygons.isEmpty else { return false }
        for entry in other.rings.entries where try !coversEdge(entry.edge, &work) { return false }
        // A hole of this shape, or a gap between its polygons, may be inside the other.
        for entry in rings.entries {
            var isInside = false
            try other.rings.forEachPart(of: entry.edge, &work) { place in
                isInside = place != .boundary && place != .outside
                return !isInside
            }
            if isInside { return false }
        }
        // No edge divides the inside of the other's polygons. They are inside this shape, or they fill its holes.
        return other.polygons.allSatisfy { polygon in
            Self.inner(of: polygon).map { rings.place($0) == .inside } ?? true
        }
    }

    /// A position inside a polygon, in the middle of its widest part at one latitude; `nil` without an inside.
    private static func inner(of polygon: [[Position]]) -> Position? {
        let latitudes = Set(polygon.joined().lazy.map(\.y)).sorted()
        guard latitudes.count > 1 else { return nil }
        // A latitude without corners.
        let half = latitudes.count / 2
        let latitude = (latitudes[half - 1] + latitudes[half]) / 2
        var crossings: [Double] = []
        for ring in polygon {
            for (start, end) in zip(ring, ring.dropFirst()) where (start.y > latitude) != (end.y > latitude) {
                crossings.append(start.x + (latitude - start.y) / (end.y - start.y) * (end.x - start.x))
            }
        }
        crossings.sort()
        let pairs = stride(from: 0, to: crossings.count - 1, by: 2).map { (crossings[$0], crossings[$0 + 1]) }
        return pairs.max { $0.1 - $0.0 < $1.1 - $1.0 }.map { Position(($0.0 + $0.1) / 2, latitude) }
    }

    // MARK: Validity

    /// The reason why the polygons are not valid; `nil` if they are.
    ///
    /// The rings of a valid polygon do not cross or touch themselves, and the holes are in the outer ring. Two rings
    /// touch at points only. Polygons do not overlap.
    func flaw(_ work: inout PlaneWork) throws(GeometryError) -> String? {
        for ring in polygons.joined() where Set(ring).count < 3 { return "Too few points in a ring" }
        if let flaw = try ringFlaw(&work) { return flaw }
        let outlines = polygons.map { polygon in polygon.map { EdgeStrips([$0]) } }
        for (number, polygon) in outlines.enumerated() {
            for (place, hole) in polygon.enumerated().dropFirst() {
                if try polygon[0].has(.outside, hole, &work) { return "A hole lies outside of its outer ring" }
                for other in 1..<polygon.count where other != place {
                    if try polygon[other].has(.inside, hole, &work) { return "Two holes overlap" }
                }
            }
            let area = EdgeStrips(polygons[number])
            for other in outlines.indices where other != number {
                if try area.has(.inside, outlines[other][0], &work) { return "Two polygons overlap" }
            }
        }
        return nil
    }

    /// Looks for rings that cross, and for rings that touch themselves.
    private func ringFlaw(_ work: inout PlaneWork) throws(GeometryError) -> String? {
        var steps = work
        defer { work = steps }
        var flaw: String?
        let counts = Dictionary(grouping: rings.entries, by: \.path).mapValues(\.count)
        for entry in rings.entries {
            let edge = entry.edge
            let last = counts[entry.path, default: 0] - 1
            try rings.forEach(near: edge) { (other) throws(GeometryError) in
                try steps.step()
                let distance = entry.path == other.path ? abs(entry.number - other.number) : nil
                if distance == 0 { return true }
                switch edge.meeting(other.edge) {
                case .apart: break
                case .crossing: flaw = "Self-intersection"
                case .touching(let isCollinear):
                    if isCollinear, edge.overlaps(other.edge) {
                        flaw = "Self-intersection"
                    } else if let distance, distance > 1, distance < last {
                        flaw = "Ring self-intersection"
                    }
                }
                return flaw == nil
            }
            if flaw != nil { return flaw }
        }
        return nil
    }
}

extension PlaneEdge {
    /// Whether two edges on the same line have more than a point in common.
    fileprivate func overlaps(_ other: PlaneEdge) -> Bool {
        max(west, other.west) < min(east, other.east) || max(south, other.south) < min(north, other.north)
    }
}

extension EdgeStrips {
    /// Whether a part of other rings is at a place relative to these.
    fileprivate func has(
        _ wanted: Place, _ others: EdgeStrips, _ work: inout PlaneWork
    ) throws(GeometryError) -> Bool {
        for entry in others.entries {
            var isFound = false
            try forEachPart(of: entry.edge, &work) { place in
                isFound = place == wanted || place == nil
                return !isFound
            }
            if isFound { return true }
        }
        return false
    }
}
