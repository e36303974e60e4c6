//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The edges of lines or rings in strips of equal height, so that few of them are looked at for a position or an edge.
struct EdgeStrips {
    /// The place of a position or an edge relative to polygons.
    enum Place {
        case inside, boundary, outside
    }

    /// An edge with the number of its ring, or of its line, and its number there.
    struct Entry {
        let edge: PlaneEdge
        let path: Int
        let number: Int
    }

    let entries: [Entry]
    /// The smallest box around all edges.
    let box: PlaneEdge
    private let areRings: Bool
    private let strips: [[Int32]]

    private static let stripsMax = 2_048
    /// An edge is in this number of strips on average, at most: tall edges need fewer and higher strips.
    private static let stripsPerEdgeMax = 4

    /// - Parameters:
    ///   - paths: The positions of each line, or of each ring with its first position at its end.
    ///   - areRings: Whether the paths are the rings of polygons.
    init(_ paths: [[Position]], areRings: Bool = true) {
        self.areRings = areRings
        let entries = paths.enumerated().flatMap { pathNumber, path in
            zip(path, path.dropFirst()).lazy.filter { $0 != $1 }.enumerated().map { number, ends in
                Entry(edge: PlaneEdge(start: ends.0, end: ends.1), path: pathNumber, number: number)
            }
        }
        var (low, high) = (Position(.infinity, .infinity), Position(-.infinity, -.infinity))
        for entry in entries {
            low = Position(min(low.x, entry.edge.west), min(low.y, entry.edge.south))
            high = Position(max(high.x, entry.edge.east), max(high.y, entry.edge.north))
        }
        let box = PlaneEdge(start: low, end: high)
        var count = min(max(entries.count / 4, 1), Self.stripsMax)
        while count > 1 {
            let scale = Self.scale(box, count)
            let total = entries.reduce(0) { $0 + Self.strips($1.edge, box.south, scale, count).count }
            if total <= Self.stripsPerEdgeMax * entries.count { break }
            count /= 2
        }
        let scale = Self.scale(box, count)
        var strips = [[Int32]](repeating: [], count: count)
        for (number, entry) in entries.enumerated() {
            for strip in Self.strips(entry.edge, box.south, scale, count) {
                strips[strip].append(Int32(truncatingIfNeeded: number))
            }
        }
        (self.entries, self.box, self.strips) = (entries, box, strips)
    }

    /// The number of strips in a degree.
    private static func scale(_ box: PlaneEdge, _ count: Int) -> Double {
        box.north > box.south ? Double(count) / (box.north - box.south) : 0
    }

    private static func strip(_ latitude: Double, _ south: Double, _ scale: Double, _ count: Int) -> Int {
        let number = (latitude - south) * scale
        // Bounded: the number is within the range of strips.
        return number > 0 ? Int(min(number, Double(count - 1))) : 0
    }

    private static func strips(_ edge: PlaneEdge, _ south: Double, _ scale: Double, _ count: Int) -> ClosedRange<Int> {
        strip(edge.south, south, scale, count)...strip(edge.north, south, scale, count)
    }

    private func strips(_ edge: PlaneEdge) -> ClosedRange<Int> {
        Self.strips(edge, box.south, Self.scale(box, strips.count), strips.count)
    }

    /// The number of edges in all strips, of which some are in several.
    var stripEntries: Int { strips.reduce(0) { $0 + $1.count } }

    /// Calls a closure once with each edge that an edge may meet, until it returns `false`.
    func forEach(
        near edge: PlaneEdge, _ work: PlaneWork, _ body: (Entry) throws(GeometryError) -> Bool
    ) throws(GeometryError) {
        guard box.mayMeet(edge) else { return }
        let range = strips(edge)
        for strip in range {
            for number in strips[strip] {
                try work.step()
                let entry = entries[Int(number)]
                // Both edges may be in several strips. They meet in the first of them.
                guard entry.edge.mayMeet(edge), max(strips(entry.edge).lowerBound, range.lowerBound) == strip else {
                    continue
                }
                guard try body(entry) else { return }
            }
        }
    }

    /// Calls a closure with the edges whose latitudes include that of a position, until it returns `false`.
    private func forEach(
        at position: Position, _ work: PlaneWork, _ body: (PlaneEdge) -> Bool
    ) throws(GeometryError) {
        guard box.south <= position.y, position.y <= box.north else { return }
        let strip = strips(PlaneEdge(start: position, end: position)).lowerBound
        for number in strips[strip] {
            try work.step()
            guard body(entries[Int(number)].edge) else { return }
        }
    }

    /// Whether a position is on an edge.
    func contains(_ position: Position, _ work: PlaneWork) throws(GeometryError) -> Bool {
        var isFound = false
        try forEach(at: position, work) { edge in
            isFound = edge.contains(position)
            return !isFound
        }
        return isFound
    }

    /// The place of a position relative to the polygons whose rings these are. The polygons must not overlap.
    func place(_ position: Position, _ work: PlaneWork) throws(GeometryError) -> Place {
        var (isInside, isOnBoundary) = (false, false)
        try forEach(at: position, work) { edge in
            guard edge.south <= position.y, position.y <= edge.north, position.x <= edge.east else { return true }
            let side = edge.side(position)
            isOnBoundary = side == 0 && edge.reaches(position)
            // A ray to the east, which does not meet the northern end of an edge.
            if (edge.start.y > position.y) != (edge.end.y > position.y), (edge.end.y > edge.start.y) == (side > 0) {
                isInside.toggle()
            }
            return !isOnBoundary
        }
        return isOnBoundary ? .boundary : isInside ? .inside : .outside
    }

    /// Calls a closure with the place of each part of an edge relative to the polygons, until it returns `false`. A part
    /// on a line is on the boundary, and one that is not on a line is outside.
    ///
    /// An edge is divided where it touches a corner of the polygons. If the edge crosses an edge of them, the closure is
    /// called with `nil`: one part is inside and another outside.
    func forEachPart(of edge: PlaneEdge, _ work: PlaneWork, _ body: (Place?) -> Bool) throws(GeometryError) {
        let isWide = edge.east - edge.west > edge.north - edge.south
        func along(_ position: Position) -> Double { isWide ? position.x : position.y }
        var cuts = [edge.start, edge.end]
        var covered: [(from: Double, to: Double)] = []
        var isCrossed = false
        try forEach(near: edge, work) { entry in
            switch edge.meeting(entry.edge) {
            case .apart: break
            case .crossing:
                isCrossed = areRings
                return !isCrossed
            case .touching(let isCollinear):
                let (start, end) = (entry.edge.start, entry.edge.end)
                if isCollinear { covered.append((min(along(start), along(end)), max(along(start), along(end)))) }
                for corner in [start, end] where edge.contains(corner) { cuts.append(corner) }
            }
            return true
        }
        if isCrossed {
            _ = body(nil)
            return
        }
        cuts.sort { along($0) < along($1) }
        covered.sort { $0.from < $1.from }
        var (next, reach) = (0, -Double.infinity)
        for (from, to) in zip(cuts, cuts.dropFirst()) where from != to {
            while next < covered.count, covered[next].from <= along(from) {
                reach = max(reach, covered[next].to)
                next += 1
            }
            let middle = Position((from.x + to.x) / 2, (from.y + to.y) / 2)
            let place: Place =
                if reach >= along(to) { .boundary } else if areRings { try place(middle, work) } else { .outside }
            guard body(place) else { return }
        }
    }
}

/// The work of an operation, which ends with an error at its limit. One thread uses it.
final class PlaneWork {
    private var steps = 0
    private let end = ProcessorTime.ofThread + .seconds(GeometryLimits.operationSecondsMax)

    private static let stepsBetweenLooks = 4_096

    func step() throws(GeometryError) {
        steps += 1
        guard steps.isMultiple(of: Self.stepsBetweenLooks), ProcessorTime.ofThread > end else { return }
        throw GeometryError(
            .tooCostly, "the operation on the shape was stopped after \(GeometryLimits.operationSecondsMax) seconds")
    }
}
