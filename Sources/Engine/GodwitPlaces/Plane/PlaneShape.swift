//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The points, lines and polygons of a geometry on a map, prepared for tests of relations.
///
/// The parts are closed sets: a point on the edge of a polygon is a point of the polygon. The polygons do not overlap.
struct PlaneShape {
    let points: Set<Position>
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
            case 1:
                for line in leaf.paths.map(positions) {
                    // A line without length is a point, for example of a device that does not move.
                    if line.allSatisfy({ $0 == line[0] }) { points.append(line[0]) } else { lines.append(line) }
                }
            default: polygons += leaf.polygons.map { $0.map(positions) }
            }
        }
        (self.points, self.lines, self.polygons) = (Set(points), lines, polygons)
        lineEdges = EdgeStrips(lines, areRings: false)
        rings = EdgeStrips(polygons.flatMap(\.self))
        var ends: Set<Position> = []
        for line in lines { for end in [line[0], line[line.count - 1]] { ends.formSymmetricDifference([end]) } }
        lineEnds = ends
    }

    /// A position of each line and polygon, and all points.
    private var samples: [Position] { Array(points) + lines.map { $0[0] } + polygons.map { $0[0][0] } }

    private func contains(_ position: Position, _ work: PlaneWork) throws(GeometryError) -> Bool {
        if points.contains(position) { return true }
        if try lineEdges.contains(position, work) { return true }
        return try rings.place(position, work) != .outside
    }

    // MARK: Relations

    /// Whether the shapes have a point in common.
    func intersects(_ other: PlaneShape, _ work: PlaneWork) throws(GeometryError) -> Bool {
        for position in other.samples where try contains(position, work) { return true }
        for position in samples where try other.contains(position, work) { return true }
        for edges in [other.lineEdges, other.rings] {
            for entry in edges.entries where try meets(entry.edge, work) { return true }
        }
        return false
    }

    private func meets(_ edge: PlaneEdge, _ work: PlaneWork) throws(GeometryError) -> Bool {
        var isMet = false
        for edges in [lineEdges, rings] {
            try edges.forEach(near: edge, work) { entry in
                if case .apart = entry.edge.meeting(edge) { return true }
                isMet = true
                return false
            }
        }
        return isMet
    }

    /// Whether every point of another shape is a point of this one.
    func covers(_ other: PlaneShape, _ work: PlaneWork) throws(GeometryError) -> Bool {
        for position in other.points where try !contains(position, work) { return false }
        for entry in other.lineEdges.entries where try !coversEdge(entry.edge, work) { return false }
        return try coversPolygons(of: other, work)
    }

    /// Whether every point of another shape is a point of this one, and their interiors have a point in common.
    func contains(_ other: PlaneShape, _ work: PlaneWork) throws(GeometryError) -> Bool {
        guard try covers(other, work) else { return false }
        guard other.polygons.isEmpty else { return true }
        for position in other.points where try isInInterior(position, work) { return true }
        guard !polygons.isEmpty else { return !other.lines.isEmpty }
        for entry in other.lineEdges.entries {
            var isInside = false
            try rings.forEachPart(of: entry.edge, work) { place in
                isInside = place == .inside
                return !isInside
            }
            if isInside { return true }
        }
        return false
    }

    private func isInInterior(_ position: Position, _ work: PlaneWork) throws(GeometryError) -> Bool {
        if points.contains(position) { return true }
        if try rings.place(position, work) == .inside { return true }
        return try lineEdges.contains(position, work) && !lineEnds.contains(position)
    }

    private func coversEdge(_ edge: PlaneEdge, _ work: PlaneWork) throws(GeometryError) -> Bool {
        var isCovered = true
        let edges = polygons.isEmpty ? lineEdges : rings
        try edges.forEachPart(of: edge, work) { [isArea = !polygons.isEmpty] place in
            isCovered = isArea ? place == .inside || place == .boundary : place == .boundary
            return isCovered
        }
        return isCovered
    }

    private func coversPolygons(of other: PlaneShape, _ work: PlaneWork) throws(GeometryError) -> Bool {
        guard !other.polygons.isEmpty else { return true }
        guard !polygons.isEmpty else { return false }
        for entry in other.rings.entries where try !coversEdge(entry.edge, work) { return false }
        // A hole of this shape, or a gap between its polygons, may be inside the other.
        for entry in rings.entries {
            var isInside = false
            try other.rings.forEachPart(of: entry.edge, work) { place in
                isInside = place != .boundary && place != .outside
                return !isInside
            }
            if isInside { return false }
        }
        // No edge divides the inside of the other's polygons. They are inside this shape, or they fill its holes.
        for polygon in other.polygons {
            guard let inner = Self.inner(of: polygon) else { continue }
            guard try rings.place(inner, work) == .inside else { return false }
        }
        return true
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
    func flaw(_ work: PlaneWork) throws(GeometryError) -> String? {
        for ring in polygons.joined() where Set(ring).count < 3 { return "Too few points in a ring" }
        if let flaw = try ringFlaw(work) { return flaw }
        let outlines = polygons.map { polygon in polygon.map { EdgeStrips([$0]) } }
        for polygon in outlines {
            for hole in polygon.dropFirst() where try polygon[0].has(.outside, hole, work) {
                return "A hole lies outside of its outer ring"
            }
            let holes = Array(polygon.dropFirst())
            if try Self.overlap(holes, holes, work) { return "Two holes overlap" }
        }
        let areas = polygons.count > 1 ? polygons.map { EdgeStrips($0) } : []
        return try Self.overlap(areas, outlines.map { $0[0] }, work) ? "Two polygons overlap" : nil
    }

    /// Whether a part of a ring is inside the area with another number.
    private static func overlap(
        _ areas: [EdgeStrips], _ rings: [EdgeStrips], _ work: PlaneWork
    ) throws(GeometryError) -> Bool {
        // From west to east: an area is compared with those that begin before its end.
        let order = areas.indices.sorted { areas[$0].box.west < areas[$1].box.west }
        for (place, one) in order.enumerated() {
            for other in order[(place + 1)...] {
                try work.step()
                guard areas[other].box.west <= areas[one].box.east else { break }
                guard areas[one].box.mayMeet(areas[other].box) else { continue }
                if try areas[one].has(.inside, rings[other], work) { return true }
                if try areas[other].has(.inside, rings[one], work) { return true }
            }
        }
        return false
    }

    /// Looks for rings that cross, and for rings that touch themselves.
    private func ringFlaw(_ work: PlaneWork) throws(GeometryError) -> String? {
        var flaw: String?
        let counts = Dictionary(grouping: rings.entries, by: \.path).mapValues(\.count)
        for entry in rings.entries {
            let edge = entry.edge
            let last = counts[entry.path, default: 0] - 1
            try rings.forEach(near: edge, work) { other in
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
        _ wanted: Place, _ others: EdgeStrips, _ work: PlaneWork
    ) throws(GeometryError) -> Bool {
        for entry in others.entries {
            var isFound = false
            try forEachPart(of: entry.edge, work) { place in
                isFound = place == wanted || place == nil
                return !isFound
            }
            if isFound { return true }
        }
        return false
    }
}
