//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces

/// Parses the geometry of a query and transforms it to WGS 84.
struct GeoAreaReader {
    let reader: GeoParameterReader
    /// The coordinate system of the query.
    let system: CoordinateSystem
    /// Whether the query searches for the nearest geometries. Only in such a query, a point without a radius is valid.
    let nearest: Bool

    /// Returns the area in WGS 84.
    ///
    /// - Throws: ``HTTPFailure`` with Cloudant's reason when the query has no geometry, several geometries, or an
    ///   invalid geometry.
    func area() throws(HTTPFailure) -> SearchArea {
        let radius = try reader.number("radius", "r")
        let rangeX = try reader.number("rangex", "x_range")
        let rangeY = try reader.number("rangey", "y_range")
        let text = reader.value("g", "geometry")
        let corners = try reader.corners()
        let position = try position()
        let isPresent = [radius != nil, rangeX != nil || rangeY != nil, text != nil, corners != nil]
        guard isPresent.count(where: \.self) <= 1 else { throw .badQuery("Multiple geometry queries specified.") }
        if let corners { return try box(corners) }
        if let (name, text) = text { return try geometry(name, text) }
        guard let position else { throw .badQuery("No geometry query specified.") }
        if let radius { return try ellipse(position, radius, radius) }
        if let rangeX, let rangeY { return try ellipse(position, rangeX, rangeY) }
        guard nearest, rangeX == nil, rangeY == nil else { throw .badQuery("No geometry query specified.") }
        return try ellipse(position, (name: "lat", value: 0), (name: "lat", value: 0))
    }

    /// The point in `lat` and `lon`, in WGS 84; `nil` when one of them is missing.
    private func position() throws(HTTPFailure) -> Position? {
        let latitude = try reader.number("lat", "y")
        let longitude = try reader.number("lon", "x")
        guard let latitude, let longitude else { return nil }
        let position = Position(longitude: longitude.value, latitude: latitude.value)
        guard system != .wgs84 else {
            if abs(position.latitude) > 90 {
                throw GeoParameterReader.invalid("float", latitude.name, "\(latitude.value)", Self.range)
            }
            if abs(position.longitude) > 180 {
                throw GeoParameterReader.invalid("float", longitude.name, "\(longitude.value)", Self.range)
            }
            return position
        }
        do {
            return try CoordinateTransformation.between(system, and: .wgs84).transform(position)
        } catch {
            throw GeoParameterReader.invalid("float", latitude.name, "\(latitude.value)", error.message)
        }
    }

    private static let range = "Latitudes must be from -90 to 90, longitudes from -180 to 180."

    private func ellipse(
        _ center: Position, _ x: (name: String, value: Double), _ y: (name: String, value: Double)
    ) throws(HTTPFailure) -> SearchArea {
        for range in [x, y] where range.value < 0 {
            throw GeoParameterReader.invalid("float", range.name, "\(range.value)", "A distance must not be negative.")
        }
        do {
            return .ellipse(try Ellipse(center: center, rangeX: x.value, rangeY: y.value))
        } catch {
            throw GeoParameterReader.invalid("float", x.name, "\(x.value)", error.message)
        }
    }

    private func geometry(_ name: String, _ text: String) throws(HTTPFailure) -> SearchArea {
        do {
            let geometry = try Geometry(wellKnownText: text, system: system)
            return .geometry(try geometry.onMap(from: system))
        } catch {
            throw GeoParameterReader.invalid("geometry", name, text, error.message)
        }
    }

    /// Returns the box of `bbox`. If the box is in another coordinate system, its outline is transformed to WGS 84. The
    /// result is then the bounding box of the transformed outline.
    private func box(_ corners: [Double]) throws(HTTPFailure) -> SearchArea {
        let wraps = try reader.flag("wrap") ?? false
        do {
            if system == .wgs84 { return try SearchArea.box(corners: corners, wraps: wraps) }
            return .boxes(try Shape(BoundingBox.outline(corners, system).onMap(from: system)).boxes)
        } catch {
            throw GeoParameterReader.invalid(
                "bounding box", "bbox", corners.map { "\($0)" }.joined(separator: ","), error.message)
        }
    }
}

extension Geometry {
    /// Returns the geometry in WGS 84.
    fileprivate func onMap(from system: CoordinateSystem) throws(GeometryError) -> Geometry {
        try CoordinateTransformation.between(system, and: .wgs84).transform(self)
    }
}

extension BoundingBox {
    /// Before a box is transformed, each of its sides is divided into this number of parts, because a transformed side
    /// may be curved.
    private static let partsOfSide = 8

    /// Returns the outline of the box between two corners.
    fileprivate static func outline(
        _ corners: [Double], _ system: CoordinateSystem
    ) throws(GeometryError) -> Geometry {
        let secondCorner = corners.count / 2
        let (left, low, right, high) = (corners[0], corners[1], corners[secondCorner], corners[secondCorner + 1])
        let corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
        var positions: [JSONValue] = []
        for (from, to) in zip(corners, corners.dropFirst()) {
            for part in 0...partsOfSide {
                let fraction = Double(part) / Double(partsOfSide)
                positions.append([
                    .double(from.0 + (to.0 - from.0) * fraction), .double(from.1 + (to.1 - from.1) * fraction),
                ])
            }
        }
        return try Geometry(json: ["type": "LineString", "coordinates": .array(positions)], system: system)
    }
}
