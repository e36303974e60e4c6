//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Projects geometries onto a map: splits geometries at the edge of the map, and repairs their polygons.
struct Placement {
    /// The meridian at which the map starts and ends.
    var west = -180.0
    /// The reason why a polygon had to be repaired; `nil` when all polygons were valid.
    private(set) var repair: String?

    init(west: Double = -180) { self.west = west }

    mutating func placed(_ geometry: Geometry) throws(GeometryError) -> Geometry {
        switch geometry.kind {
        case .point, .multiPoint: return geometry.flattened
        case .lineString, .multiLineString: return lines(of: geometry)
        case .polygon, .multiPolygon: return try polygons(of: geometry)
        case .geometryCollection:
            var members: [Geometry] = []
            for member in geometry.members { members.append(try placed(member)) }
            return try GeometryBuilder.collection(of: members)
        }
    }

    // MARK: Lines

    private func lines(of geometry: Geometry) -> Geometry {
        let paths = geometry.paths.map { Unwrapping(geometry, $0, .line) }
        guard paths.contains(where: \.isUnwrapped) else { return geometry.flattened }
        return Geometry(lines: paths.flatMap { $0.lines(from: west) })
    }

    // MARK: Polygons

    private mutating func polygons(of geometry: Geometry) throws(GeometryError) -> Geometry {
        var areas: [Geometry] = []
        for rings in geometry.polygons {
            let unwrapped = rings.map { ring in
                Unwrapping(geometry, ring, ring == rings.first ? .outerRing : .hole)
            }
            guard unwrapped.contains(where: \.isUnwrapped) else {
                areas.append(Geometry(rings: rings.map { $0.map(geometry.position) }))
                continue
            }
            areas.append(try cut(unwrapped))
        }
        return try valid(areas.count == 1 ? areas[0] : Geometry(polygons: areas))
    }

    /// Returns the outer ring's area without the holes, on the map. GEOS splits each ring separately, because a hole can
    /// be on the other side of the antimeridian.
    ///
    /// - Parameter pole: The pole that the outer ring encloses, if it encloses one; `nil` for the nearer one.
    mutating func cut(_ rings: [Unwrapping], over pole: Unwrapping.Pole? = nil) throws(GeometryError) -> Geometry {
        guard GeometryLibrary.current == .geos else { return try PlanePolygons.cut(rings, over: pole, west: west) }
        var area = try cut(rings[0], over: pole)
        for hole in rings.dropFirst() { area = try area.difference(try cut(hole)) }
        guard let geometry = try area.geometry()?.areas else { throw Self.withoutArea }
        return geometry
    }

    private mutating func cut(_ ring: Unwrapping, over pole: Unwrapping.Pole? = nil) throws(GeometryError) -> GEOSShape
    {
        var ring = ring
        ring.closeOverPole(pole, at: west)
        let uncutShape = try GEOSShape(try valid(Geometry(rings: [ring.positions])))
        return try moved(uncutShape, windows: ring.windows(from: west))
    }

    /// The longitudes of a shape may be beyond the map. Divides the shape into windows of 360 degrees, moves the part
    /// in each window onto the map, and returns the union of these parts.
    private func moved(
        _ shape: GEOSShape, windows: [Double]
    ) throws(GeometryError) -> GEOSShape {
        var parts: [Geometry] = []
        for window in windows {
            let box = BoundingBox(west: window, south: -90, east: window + 360, north: 90)
            guard let part = try shape.intersection(try GEOSShape(box)).geometry()?.areas else { continue }
            parts.append(part.moved(by: west - window))
        }
        return try GEOSShape(Geometry(polygons: parts)).union()
    }

    private mutating func valid(_ geometry: Geometry) throws(GeometryError) -> Geometry {
        guard GeometryLibrary.current == .geos else { return try PlanePolygons.checked(geometry) }
        let shape = try GEOSShape(geometry)
        guard let flaw = try shape.flaw() else { return geometry }
        repair = flaw
        guard let repaired = try shape.madeValid().geometry()?.areas else { throw Self.withoutArea }
        return repaired
    }

    static let withoutArea = GeometryError(.empty, "a polygon needs an area, but this one has none")
}

extension Placement {
    /// Moves a shape from the map of -180 to 180 degrees to the map that starts at ``west``.
    func move(_ geometry: Geometry) throws(GeometryError) -> Geometry {
        if geometry.kind == .geometryCollection {
            var members: [Geometry] = []
            for member in geometry.members { members.append(try move(member)) }
            return try GeometryBuilder.collection(of: members)
        }
        let box = geometry.partBoxes.joined()
        if box.west >= west { return geometry }
        if box.east <= west { return geometry.moved(by: 360) }
        switch geometry.kind {
        case .point, .multiPoint: return geometry.mappingLongitudes { $0 < west ? $0 + 360 : $0 }
        case .lineString, .multiLineString:
            let paths = geometry.paths.map { Unwrapping(unchanged: $0.map(geometry.position)) }
            return Geometry(lines: paths.flatMap { $0.lines(from: west) })
        default:
            let windows = [west - 360, west]
            guard GeometryLibrary.current == .geos else {
                return try PlanePolygons.moved(geometry, west: west)
            }
            guard let moved = try moved(try GEOSShape(geometry), windows: windows).geometry() else {
                throw Self.withoutArea
            }
            return moved
        }
    }
}
