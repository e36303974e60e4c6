//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Polygons on a map, checked, cut and measured by Godwit's own functions.
enum PlanePolygons {
    /// Returns polygons unchanged.
    ///
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/selfCrossing`` when they are not valid.
    static func checked(_ geometry: Geometry) throws(GeometryError) -> Geometry {
        guard let flaw = try PlaneShape(geometry).flaw(PlaneWork()) else { return geometry }
        throw GeometryError(.selfCrossing, "the polygon is not valid: \(flaw). Without GEOS it is not repaired.")
    }

    /// Returns the area of a polygon on the map that starts at a meridian.
    ///
    /// - Parameter rings: The rings, whose longitudes may be beyond the map. The outer one is first.
    static func cut(_ rings: [Unwrapping], over pole: Unwrapping.Pole? = nil, west: Double) throws(GeometryError)
        -> Geometry
    {
        var outer = rings[0]
        outer.closeOverPole(pole, at: west)
        let outline = EdgeStrips([outer.positions])
        let work = PlaneWork()
        var positions = [outer.positions]
        for hole in rings.dropFirst() {
            guard hole.positions.first?.x == hole.positions.last?.x else {
                throw GeometryLibrary.needsGEOS("A hole around a pole")
            }
            // The longitudes of a hole may begin in another window of 360 degrees.
            var placed = hole.positions
            for shift in [0.0, 360, -360, 720, -720] {
                let moved = hole.positions.map { Position($0.x + shift, $0.y) }
                guard try outline.hasInside(moved, work) else { continue }
                placed = moved
                break
            }
            positions.append(placed)
        }
        return try moved(try checked(Geometry(rings: positions)), windows: outer.windows(from: west), west: west)
    }

    /// Moves polygons from the map of -180 to 180 degrees to the map that starts at a meridian.
    static func moved(_ geometry: Geometry, west: Double) throws(GeometryError) -> Geometry {
        let moved = try moved(geometry, windows: [west - 360, west], west: west)
        let joined = try PlaneSeam.joined(PlaneShape(moved).polygons, at: 180, PlaneWork()).map { Geometry(rings: $0) }
        return joined.count == 1 ? joined[0] : Geometry(polygons: joined)
    }

    /// Moves the parts of polygons in windows of 360 degrees to the map that starts at a meridian.
    private static func moved(_ geometry: Geometry, windows: [Double], west: Double) throws(GeometryError) -> Geometry {
        var parts: [Geometry] = []
        let work = PlaneWork()
        for polygon in PlaneShape(geometry).polygons {
            for window in windows {
                for part in try PlaneCut.part(of: polygon, at: window, keepsWest: false, work) {
                    for part in try PlaneCut.part(of: part, at: window + 360, keepsWest: true, work) {
                        parts.append(Geometry(rings: part).moved(by: west - window))
                    }
                }
            }
        }
        guard !parts.isEmpty else { throw Placement.withoutArea }
        return parts.count == 1 ? parts[0] : Geometry(polygons: parts)
    }

    /// The center of gravity of points, of lines by their length, or of polygons by their area.
    static func centroid(of geometry: Geometry) -> Position {
        let shape = PlaneShape(geometry)
        var (x, y, weight) = (0.0, 0.0, 0.0)
        func add(_ position: Position, _ share: Double) {
            (x, y, weight) = (x + position.x * share, y + position.y * share, weight + share)
        }
        // Triangles with a fixed corner: those outside of a polygon have a negative area.
        let corner = geometry.position(0)
        for polygon in shape.polygons {
            for (number, ring) in polygon.enumerated() {
                let sign = (PlaneCut.area(of: ring) > 0) == (number == 0) ? 1.0 : -1.0
                for (start, end) in zip(ring, ring.dropFirst()) {
                    let area =
                        (start.x - corner.x) * (end.y - corner.y) - (end.x - corner.x) * (start.y - corner.y)
                    let middle = Position((corner.x + start.x + end.x) / 3, (corner.y + start.y + end.y) / 3)
                    add(middle, area * sign)
                }
            }
        }
        if weight == 0 {
            for line in shape.lines + shape.polygons.joined() {
                for (start, end) in zip(line, line.dropFirst()) {
                    let middle = Position((start.x + end.x) / 2, (start.y + end.y) / 2)
                    add(middle, hypot(end.x - start.x, end.y - start.y))
                }
            }
        }
        if weight == 0 {
            for position in geometry.leaves.flatMap({ leaf in leaf.paths.joined().map(leaf.position) }) {
                add(position, 1)
            }
        }
        return Position(x / weight, y / weight)
    }
}
