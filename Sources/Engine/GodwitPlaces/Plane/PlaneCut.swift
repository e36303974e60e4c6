//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Cuts polygons along a meridian.
enum PlaneCut {
    /// Returns the parts of a polygon west of a meridian, or east of it.
    ///
    /// - Parameters:
    ///   - rings: The rings of a valid polygon, the outer one first.
    ///   - meridian: A longitude.
    ///   - keepsWest: Whether the part in the west is returned.
    static func part(
        of rings: [[Position]], at meridian: Double, keepsWest: Bool, _ work: PlaneWork
    ) throws(GeometryError) -> [[[Position]]] {
        func mirrored(_ ring: [Position]) -> [Position] { ring.map { Position(-$0.x, $0.y) } }
        guard keepsWest else {
            return try western(rings.map(mirrored), at: -meridian, work).map { $0.map(mirrored) }
        }
        return try western(rings, at: meridian, work)
    }

    /// A part of a ring that is west of the meridian, from one crossing to the next.
    private struct Chain {
        var positions: [Position]
        let start: Crossing
        let end: Crossing
        var isUsed = false
    }

    /// A crossing of the meridian, in order from south to north. Crossings at the same latitude are in the order that they
    /// have just west of the meridian.
    private struct Crossing: Comparable {
        let latitude: Double
        let slope: Double

        init(_ position: Position, from inner: Position) {
            latitude = position.y
            slope = (inner.y - position.y) / (position.x - inner.x)
        }

        static func < (left: Crossing, right: Crossing) -> Bool {
            (left.latitude, left.slope) < (right.latitude, right.slope)
        }
    }

    private static func western(
        _ rings: [[Position]], at meridian: Double, _ work: PlaneWork
    ) throws(GeometryError) -> [[[Position]]] {
        // The inside is on the left.
        let rings = rings.enumerated().map { number, ring in
            (area(of: ring) < 0) == (number == 0) ? Array(ring.reversed()) : ring
        }
        if rings[0].allSatisfy({ $0.x <= meridian }) { return [rings] }
        var (holes, chains): ([[Position]], [Chain]) = ([], [])
        for ring in rings {
            let corners = Array(ring.dropLast())
            let isWest = corners.allSatisfy { $0.x <= meridian } && corners.count { $0.x == meridian } <= 1
            if isWest { holes.append(ring) } else { chains += Self.chains(corners, at: meridian) }
        }
        let outlines = joined(chains)
        let strips = outlines.map { EdgeStrips([$0]) }
        var parts = outlines.map { [$0] }
        for hole in holes {
            for (owner, outline) in strips.enumerated() where try outline.hasInside(hole, work) {
                parts[owner].append(hole)
                break
            }
        }
        return parts
    }

    /// Returns the parts of a ring that are west of the meridian.
    private static func chains(_ ring: [Position], at meridian: Double) -> [Chain] {
        func crossing(_ inner: Position, _ outer: Position) -> Position {
            if outer.x == meridian { return outer }
            // The same number for the part on the other side.
            let (low, high) = inner.y < outer.y ? (inner, outer) : (outer, inner)
            return Position(meridian, low.y + (meridian - low.x) / (high.x - low.x) * (high.y - low.y))
        }
        guard let first = ring.indices.first(where: { ring[$0].x >= meridian }) else { return [] }
        var chains: [Chain] = []
        var current: [Position] = []
        var last = ring[first]
        for step in 1...ring.count {
            let next = ring[(first + step) % ring.count]
            switch (last.x < meridian, next.x < meridian) {
            case (false, true): current = [crossing(next, last), next]
            case (true, true): current.append(next)
            case (true, false):
                current.append(crossing(last, next))
                let end = Crossing(current[current.count - 1], from: last)
                invariant(current[0].x == meridian, "a part of a ring begins where it crosses the meridian")
                chains.append(
                    Chain(positions: current, start: Crossing(current[0], from: current[1]), end: end))
            case (false, false): break
            }
            last = next
        }
        return chains
    }

    /// Joins the chains along the meridian, upwards, to rings: the outside is above an end, up to the next start.
    private static func joined(_ chains: [Chain]) -> [[Position]] {
        var chains = chains
        let starts = chains.indices.sorted { chains[$0].start < chains[$1].start }
        let crossings = starts.map { chains[$0].start }
        var rings: [[Position]] = []
        for first in chains.indices where !chains[first].isUsed {
            var ring: [Position] = []
            var current: Int? = first
            while let chain = current, !chains[chain].isUsed {
                chains[chain].isUsed = true
                ring += chains[chain].positions
                let next = crossings.firstIndexInOrder { $0 > chains[chain].end }
                current = next < starts.count ? starts[next] : nil
            }
            ring.append(ring[0])
            var distinct: [Position] = []
            for position in ring where distinct.last != position { distinct.append(position) }
            if distinct.count > 3 { rings.append(distinct) }
        }
        return rings
    }

    /// Twice the area of a ring, in square degrees; negative if the ring is clockwise.
    static func area(of ring: [Position]) -> Double {
        zip(ring, ring.dropFirst()).reduce(0) { sum, edge in
            let (start, end) = (edge.0, edge.1)
            return sum + (start.x - ring[0].x) * (end.y - ring[0].y) - (end.x - ring[0].x) * (start.y - ring[0].y)
        }
    }
}

extension EdgeStrips {
    /// Whether a corner of a ring is inside the polygons.
    func hasInside(_ ring: [Position], _ work: PlaneWork) throws(GeometryError) -> Bool {
        for position in ring where try place(position, work) == .inside { return true }
        return false
    }
}

extension Array {
    /// The number of elements before the first for which the predicate holds, in an array in which it holds for all after
    /// that one.
    func firstIndexInOrder(_ holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
