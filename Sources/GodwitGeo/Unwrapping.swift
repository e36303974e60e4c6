//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How lines and rings of longitudes within ±180 degrees are read.
///
/// GeoJSON says only that a shape that crosses the antimeridian should be cut in two; what an edge from 179 to -179
/// means in one that is not cut, it leaves open. Here an edge that spans more than 180 degrees goes the short way,
/// across the antimeridian, as in PostGIS's geography and in MongoDB. There are two exceptions. One of exactly 360
/// degrees runs along its parallel round the Earth: it is a side of "the whole world". And a rectangle along meridians
/// and parallels, the one shape that is commonly written with such long edges, is read by its winding (RFC 7946,
/// 3.1.6): the polygon lies to the left of an outer ring's edges and of a hole's.
struct Unwrapping {
    /// What the positions are.
    enum Kind {
        case line
        case outerRing
        case hole
    }

    /// A pole that a ring goes round.
    enum Pole: Double {
        case north = 90
        case south = -90
    }

    /// The positions; longitudes go on beyond ±180 instead of jumping.
    private(set) var positions: [Position]
    /// Whether anything jumped.
    private(set) var isUnwrapped = false

    init(_ geometry: Geometry, _ path: Range<Int>, _ kind: Kind) {
        positions = path.map(geometry.position)
        if kind != .line && isPlaneRectangle(kind) { return }
        var turns = 0.0
        for index in positions.indices.dropFirst() {
            let step = positions[index].x + turns - positions[index - 1].x
            if abs(step) > 180, abs(step) < 360 { turns -= step > 0 ? 360 : -360 }
            if turns != 0 { isUnwrapped = true }
            positions[index].longitude += turns
        }
    }

    /// Positions that need no reading.
    init(asItIs positions: [Position]) {
        self.positions = positions
    }

    /// Closes a ring that goes round a pole by way of that pole: the one given, or the nearer one.
    ///
    /// The way leads along the meridian of the ring's position that is nearest to the pole, where it meets the ring
    /// nowhere.
    mutating func closeOverPole(_ pole: Pole? = nil) {
        guard let first = positions.first, let last = positions.last, first.x != last.x else { return }
        let isNorthern = positions.reduce(0) { $0 + $1.y } >= 0
        let pole = (pole ?? (isNorthern ? .north : .south)).rawValue
        let nearest = positions.indices.min { abs(pole - positions[$0].y) < abs(pole - positions[$1].y) } ?? 0
        let moved = positions[...nearest].dropFirst().map { Position($0.x + last.x - first.x, $0.y) }
        positions = positions[nearest...] + moved
        positions.append(Position(positions[positions.count - 1].x, pole))
        positions.append(Position(positions[0].x, pole))
        positions.append(positions[0])
    }

    /// The windows of 360 degrees, by their western edges, in which the positions lie.
    func windows(from west: Double) -> [Double] {
        let least = positions.lazy.map(\.x).min() ?? 0
        let greatest = positions.lazy.map(\.x).max() ?? 0
        let first = west + 360 * ((least - west) / 360).rounded(.down)
        let count = max(Int(((greatest - first) / 360).rounded(.up)), 1)
        return (0..<count).map { first + 360 * Double($0) }
    }

    /// The line cut where a window ends, each part moved into the window that begins at `west`.
    func lines(from west: Double) -> [[Position]] {
        var lines: [[Position]] = []
        for window in windows(from: west) {
            appendParts(within: window, movedBy: west - window, to: &lines)
        }
        return lines
    }

    private func appendParts(within window: Double, movedBy shift: Double, to lines: inout [[Position]]) {
        var line: [Position] = []
        for (start, end) in zip(positions, positions.dropFirst()) {
            guard let (first, second) = Self.clip(start, end, window, window + 360) else { continue }
            let from = Position(first.x + shift, first.y)
            if line.last != from {
                if line.count > 1 { lines.append(line) }
                line = [from]
            }
            line.append(Position(second.x + shift, second.y))
        }
        if line.count > 1 { lines.append(line) }
    }

    /// The part of an edge between two meridians; `nil` when it has none, or a single point of a longer edge.
    private static func clip(
        _ start: Position, _ end: Position, _ west: Double, _ east: Double
    ) -> (Position, Position)? {
        if min(start.x, end.x) >= west, max(start.x, end.x) <= east { return (start, end) }
        if max(start.x, end.x) <= west || min(start.x, end.x) >= east { return nil }
        func moved(_ position: Position) -> Position {
            let x = min(max(position.x, west), east)
            if x == position.x { return position }
            let part = (x - start.x) / (end.x - start.x)
            return Position(x, start.y + part * (end.y - start.y))
        }
        return (moved(start), moved(end))
    }

    private func isPlaneRectangle(_ kind: Kind) -> Bool {
        guard positions.count == 5 else { return false }
        var area = 0.0
        for (start, end) in zip(positions, positions.dropFirst()) {
            guard start.x == end.x || start.y == end.y else { return false }
            area += start.x * end.y - end.x * start.y
        }
        return kind == .hole ? area < 0 : area > 0
    }
}
