//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Joins polygons that meet at a meridian: what was cut there becomes one area again.
enum PlaneSeam {
    /// Latitudes that differ by less are equal: they were computed from different ends of an edge.
    private static let latitudeError = 1e-11

    /// Returns polygons in which no edge on the meridian has the inside of a polygon on both sides.
    ///
    /// - Parameter polygons: Valid polygons that do not overlap, the outer ring of each first.
    static func joined(
        _ polygons: [[[Position]]], at meridian: Double, _ work: PlaneWork
    ) throws(GeometryError) -> [[[Position]]] {
        var (apart, rings): ([[[Position]]], [[Position]]) = ([], [])
        for polygon in polygons {
            let touches = polygon.contains { ring in
                zip(ring, ring.dropFirst()).contains { $0.x == meridian && $1.x == meridian }
            }
            if touches {
                // The inside is on the left.
                rings += polygon.enumerated().map { number, ring in
                    (PlaneCut.area(of: ring) < 0) == (number == 0) ? ring.reversed() : ring
                }
            } else {
                apart.append(polygon)
            }
        }
        guard !rings.isEmpty else { return polygons }
        return try apart + areas(of: linked(withoutSeam(snapped(rings, at: meridian), at: meridian), work), work)
    }

    /// Makes almost equal latitudes of positions on the meridian equal.
    private static func snapped(_ rings: [[Position]], at meridian: Double) -> [[Position]] {
        var latitudes: [Double] = []
        for latitude in Set(rings.joined().lazy.filter { $0.x == meridian }.map(\.y)).sorted()
        where latitude - (latitudes.last ?? -.infinity) > latitudeError { latitudes.append(latitude) }
        return rings.map { ring in
            ring.map { position in
                guard position.x == meridian else { return position }
                // Bounded: the first latitude is not above any other.
                let index = latitudes.firstIndexInOrder { $0 > position.y } - 1
                return Position(meridian, latitudes[max(index, 0)])
            }
        }
    }

    /// Returns the edges of rings. Edges on the meridian are divided at all positions there, and those that are there in
    /// both directions are left out.
    private static func withoutSeam(_ rings: [[Position]], at meridian: Double) -> [PlaneEdge] {
        let latitudes = Set(rings.joined().lazy.filter { $0.x == meridian }.map(\.y)).sorted()
        var edges: [PlaneEdge] = []
        /// The number of upward edges minus the number of downward edges, for each part between two latitudes.
        var passes = [Int](repeating: 0, count: max(latitudes.count - 1, 0))
        for ring in rings {
            for (start, end) in zip(ring, ring.dropFirst()) where start != end {
                guard start.x == meridian, end.x == meridian else {
                    edges.append(PlaneEdge(start: start, end: end))
                    continue
                }
                let (low, high) = (min(start.y, end.y), max(start.y, end.y))
                let (first, last) = (
                    latitudes.firstIndexInOrder { $0 >= low }, latitudes.firstIndexInOrder { $0 >= high }
                )
                for part in first..<last { passes[part] += end.y > start.y ? 1 : -1 }
            }
        }
        for part in passes.indices where passes[part] != 0 {
            let (low, high) = (Position(meridian, latitudes[part]), Position(meridian, latitudes[part + 1]))
            edges.append(passes[part] > 0 ? PlaneEdge(start: low, end: high) : PlaneEdge(start: high, end: low))
        }
        return edges
    }

    /// Links edges to rings. Where several edges begin, a ring continues with the one that is farthest to the left.
    private static func linked(_ edges: [PlaneEdge], _ work: PlaneWork) throws(GeometryError) -> [[Position]] {
        var starts: [Position: [Int]] = [:]
        for (number, edge) in edges.enumerated() { starts[edge.start, default: []].append(number) }
        var isUsed = [Bool](repeating: false, count: edges.count)
        var rings: [[Position]] = []
        for first in edges.indices where !isUsed[first] {
            var ring = [edges[first].start]
            var current: Int? = first
            while let number = current {
                try work.step()
                isUsed[number] = true
                let edge = edges[number]
                ring.append(edge.end)
                current = starts[edge.end, default: []].lazy.filter { !isUsed[$0] }.max {
                    edge.turn(to: edges[$0]) < edge.turn(to: edges[$1])
                }
            }
            rings.append(withoutStraightCorners(ring))
        }
        return rings.filter { $0.count > 3 }
    }

    /// Removes the corners of a closed ring that are on the line between their neighbors and on one meridian with them.
    private static func withoutStraightCorners(_ ring: [Position]) -> [Position] {
        let corners = Array(ring.dropLast())
        let kept = corners.indices.filter { index in
            let before = corners[(index + corners.count - 1) % corners.count]
            let after = corners[(index + 1) % corners.count]
            return !(before.x == corners[index].x && after.x == corners[index].x)
        }
        guard let first = kept.first else { return [] }
        return kept.map { corners[$0] } + [corners[first]]
    }

    /// Gives each hole to the smallest outer ring around it.
    private static func areas(
        of rings: [[Position]], _ work: PlaneWork
    ) throws(GeometryError) -> [[[Position]]] {
        let outer = rings.filter { PlaneCut.area(of: $0) > 0 }.sorted { PlaneCut.area(of: $0) < PlaneCut.area(of: $1) }
        let strips = outer.map { EdgeStrips([$0]) }
        var polygons = outer.map { [$0] }
        for hole in rings where PlaneCut.area(of: hole) < 0 {
            for (owner, outline) in strips.enumerated() {
                let isOwner = try outline.hasInside(hole, work) ? true : outline.encloses(hole, work)
                guard isOwner else { continue }
                polygons[owner].append(hole)
                break
            }
        }
        return polygons
    }
}

extension EdgeStrips {
    /// Whether no corner of a ring is outside the polygons.
    fileprivate func encloses(_ ring: [Position], _ work: PlaneWork) throws(GeometryError) -> Bool {
        for position in ring where try place(position, work) == .outside { return false }
        return true
    }
}

extension PlaneEdge {
    /// The angle by which a path turns left from this edge to one that begins at its end, from -π to π.
    fileprivate func turn(to next: PlaneEdge) -> Double {
        let (x, y) = (end.x - start.x, end.y - start.y)
        let (nextX, nextY) = (next.end.x - next.start.x, next.end.y - next.start.y)
        return atan2(x * nextY - y * nextX, x * nextX + y * nextY)
    }
}
