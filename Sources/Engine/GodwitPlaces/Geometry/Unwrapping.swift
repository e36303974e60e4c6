//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Interprets lines and rings whose longitudes are within ±180 degrees.
///
/// GeoJSON specifies only that a shape that crosses the antimeridian should be split in two. The meaning of an edge
/// from 179 to -179 in an unsplit shape is undefined. Here, an edge that spans more than 180 degrees is interpreted as
/// the shorter path, which crosses the antimeridian. PostGIS's geography and MongoDB do the same. There are two
/// exceptions. First, an edge of exactly 360 degrees follows its parallel around the Earth, because it is a side of a
/// box of the complete Earth. Second, a rectangle along meridians and parallels is interpreted by its winding order
/// (RFC 7946, 3.1.6): if its outer ring is counterclockwise (or its hole is clockwise), its long edges are not changed.
/// Such rectangles are the only common shapes with long edges.
struct Unwrapping {
    /// The role of the positions.
    enum Kind {
        case line
        case outerRing
        case hole
    }

    /// A pole that a ring encloses.
    enum Pole: Double {
        case north = 90
        case south = -90
    }

    /// The positions. If the line crosses the antimeridian, its longitudes continue beyond ±180 degrees.
    private(set) var positions: [Position]
    /// Whether a longitude was changed.
    private(set) var isUnwrapped = false

    init(_ geometry: Geometry, _ path: Range<Int>, _ kind: Kind) {
        positions = path.map(geometry.position)
        if kind != .line && isPlaneRectangle(kind) { return }
        var shift = 0.0
        for index in positions.indices.dropFirst() {
            let step = positions[index].x + shift - positions[index - 1].x
            if abs(step) > 180, abs(step) < 360 { shift -= step > 0 ? 360 : -360 }
            if shift != 0 { isUnwrapped = true }
            positions[index].longitude += shift
        }
    }

    /// Creates unchanged positions.
    init(unchanged positions: [Position]) {
        self.positions = positions
    }

    /// Closes a ring that encloses a pole, by a path through this pole. If no pole is given, the ring is closed over
    /// the nearer pole.
    ///
    /// The path follows the meridian where the map starts, from the ring's crossing of it that is nearest to the pole.
    /// Therefore the path does not cross the ring, and is at the edge of the map.
    mutating func closeOverPole(_ pole: Pole? = nil, at west: Double) {
        guard let first = positions.first, let last = positions.last, first.x != last.x else { return }
        let isNorthern = positions.reduce(0) { $0 + $1.y } >= 0
        let pole = (pole ?? (isNorthern ? .north : .south)).rawValue
        guard let start = crossings(of: west).min(by: { abs(pole - $0.position.y) < abs(pole - $1.position.y) }) else {
            return
        }
        let turn = last.x - first.x
        let moved = positions[...start.edge].dropFirst().map { Position($0.x + turn, $0.y) }
        positions = [start.position] + positions[(start.edge + 1)...] + moved
        positions.append(Position(start.position.x + turn, start.position.y))
        positions.append(Position(start.position.x + turn, pole))
        positions.append(Position(start.position.x, pole))
        positions.append(start.position)
    }

    /// The crossings of a meridian, in any window, with the number of the position before each of them.
    private func crossings(of meridian: Double) -> [(edge: Int, position: Position)] {
        positions.indices.dropLast().flatMap { index -> [(edge: Int, position: Position)] in
            let (start, end) = (positions[index], positions[index + 1])
            let first = ((min(start.x, end.x) - meridian) / 360).rounded(.up)
            let last = ((max(start.x, end.x) - meridian) / 360).rounded(.down)
            return stride(from: first, through: last, by: 1).map { window in
                let x = meridian + 360 * window
                let fraction = start.x == end.x ? 0 : (x - start.x) / (end.x - start.x)
                return (index, Position(x, start.y + fraction * (end.y - start.y)))
            }
        }
    }

    /// The longitudes may extend over several windows of 360 degrees. Returns the western edges of the windows that
    /// contain positions.
    func windows(from west: Double) -> [Double] {
        let minimum = positions.lazy.map(\.x).min() ?? 0
        let maximum = positions.lazy.map(\.x).max() ?? 0
        let first = west + 360 * ((minimum - west) / 360).rounded(.down)
        let count = max(Int(((maximum - first) / 360).rounded(.up)), 1)
        return (0..<count).map { first + 360 * Double($0) }
    }

    /// Splits the line where a window ends, and moves each part into the window that starts at `west`.
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

    /// Returns the part of an edge between two meridians. Returns `nil` when there is no such part, and when this part
    /// is only a single point of a longer edge.
    private static func clip(
        _ start: Position, _ end: Position, _ west: Double, _ east: Double
    ) -> (Position, Position)? {
        if min(start.x, end.x) >= west, max(start.x, end.x) <= east { return (start, end) }
        if max(start.x, end.x) <= west || min(start.x, end.x) >= east { return nil }
        func moved(_ position: Position) -> Position {
            let x = min(max(position.x, west), east)
            if x == position.x { return position }
            let fraction = (x - start.x) / (end.x - start.x)
            return Position(x, start.y + fraction * (end.y - start.y))
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
