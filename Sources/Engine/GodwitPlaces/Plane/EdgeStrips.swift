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
    private let south: Double
    private let height: Double
    private let strips: [[Int32]]

    private static let stripsMax = 2_048

    /// - Parameter paths: The positions of each line, or of each ring with its first position at its end.
    init(_ paths: [[Position]]) {
        entries = paths.enumerated().flatMap { pathNumber, path in
            zip(path, path.dropFirst()).lazy.filter { $0 != $1 }.enumerated().map { number, ends in
                Entry(edge: PlaneEdge(start: ends.0, end: ends.1), path: pathNumber, number: number)
            }
        }
        south = entries.lazy.map(\.edge.south).min() ?? 0
        let north = entries.lazy.map(\.edge.north).max() ?? 0
        let count = min(max(entries.count / 4, 1), Self.stripsMax)
        height = north > south ? (north - south) / Double(count) : 1
        var strips = [[Int32]](repeating: [], count: count)
        for (number, entry) in entries.enumerated() {
            for strip in Self.strips(entry.edge.south, entry.edge.north, south, height, count) {
                strips[strip].append(Int32(truncatingIfNeeded: number))
            }
        }
        self.strips = strips
    }

    private static func strips(
        _ low: Double, _ high: Double, _ south: Double, _ height: Double, _ count: Int
    ) -> ClosedRange<Int> {
        func strip(_ latitude: Double) -> Int {
            // Bounded: the number is within the range of strips.
            Int(min(max((latitude - south) / height, 0), Double(count - 1)))
        }
        return strip(low)...strip(high)
    }

    /// Calls a closure with the edges that an edge may meet, some of them several times, until it returns `false`.
    func forEach(near edge: PlaneEdge, _ body: (Entry) throws(GeometryError) -> Bool) throws(GeometryError) {
        for strip in Self.strips(edge.south, edge.north, south, height, strips.count) {
            for number in strips[strip] {
                let entry = entries[Int(number)]
                guard entry.edge.mayMeet(edge) else { continue }
                guard try body(entry) else { return }
            }
        }
    }

    /// Whether a position is on an edge.
    func contains(_ position: Position) -> Bool {
        strips[Self.strips(position.y, position.y, south, height, strips.count).lowerBound].contains { number in
            entries[Int(number)].edge.contains(position)
        }
    }

    /// The place of a position relative to the polygons whose rings these are. The polygons must not overlap.
    func place(_ position: Position) -> Place {
        var isInside = false
        let strip = Self.strips(position.y, position.y, south, height, strips.count).lowerBound
        for number in strips[strip] {
            let edge = entries[Int(number)].edge
            guard edge.south <= position.y, position.y <= edge.north, position.x <= edge.east else { continue }
            let side = edge.side(position)
            if side == 0, edge.reaches(position) { return .boundary }
            // A ray to the east, which does not meet the northern end of an edge.
            guard (edge.start.y > position.y) != (edge.end.y > position.y) else { continue }
            if (edge.end.y > edge.start.y) == (side > 0) { isInside.toggle() }
        }
        return isInside ? .inside : .outside
    }

    /// Calls a closure with the place of each part of an edge relative to the polygons, until it returns `false`.
    ///
    /// An edge is divided where it touches a corner of the polygons. If the edge crosses an edge of them, the closure is
    /// called with `nil`: one part is inside and another outside.
    func forEachPart(
        of edge: PlaneEdge, _ work: inout PlaneWork, _ body: (Place?) -> Bool
    ) throws(GeometryError) {
        var cuts = [edge.start, edge.end]
        var along: [PlaneEdge] = []
        var isCrossed = false
        var steps = work
        try forEach(near: edge) { (entry) throws(GeometryError) in
            try steps.step()
            switch edge.meeting(entry.edge) {
            case .apart: break
            case .crossing:
                isCrossed = true
                return false
            case .touching(let isCollinear):
                if isCollinear { along.append(entry.edge) }
                for corner in [entry.edge.start, entry.edge.end] where edge.contains(corner) { cuts.append(corner) }
            }
            return true
        }
        work = steps
        if isCrossed {
            _ = body(nil)
            return
        }
        let isWide = edge.east - edge.west > edge.north - edge.south
        let isForward = isWide ? edge.end.x > edge.start.x : edge.end.y > edge.start.y
        cuts.sort { first, second in
            let (one, other) = isWide ? (first.x, second.x) : (first.y, second.y)
            return isForward ? one < other : one > other
        }
        for (from, to) in zip(cuts, cuts.dropFirst()) where from != to {
            let isAlong = along.contains { $0.reaches(from) && $0.reaches(to) }
            let middle = Position((from.x + to.x) / 2, (from.y + to.y) / 2)
            guard body(isAlong ? .boundary : place(middle)) else { return }
        }
    }
}

/// The work of an operation, which ends with an error at its limit.
struct PlaneWork {
    private var steps = 0
    private let end = ProcessorTime.ofThread + .seconds(GeometryLimits.operationSecondsMax)

    private static let stepsBetweenLooks = 4_096

    mutating func step() throws(GeometryError) {
        steps += 1
        guard steps.isMultiple(of: Self.stepsBetweenLooks), ProcessorTime.ofThread > end else { return }
        throw GeometryError(
            .tooCostly, "the operation on the shape was stopped after \(GeometryLimits.operationSecondsMax) seconds")
    }
}
