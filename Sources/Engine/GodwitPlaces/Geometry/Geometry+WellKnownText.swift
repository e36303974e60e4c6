//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Geometry {
    /// Parses well-known text: `POINT(4.1 52)`, `polygon z ((…))`, `GEOMETRYCOLLECTION(…)`. Upper and lower case are
    /// equivalent.
    ///
    /// The type `M` means that positions have a measure but no altitude. GeoJSON cannot represent this, so the measure
    /// is ignored. In a geometry of type `ZM`, the measure is the fourth coordinate. `EMPTY` is an error, because every
    /// geometry must have a position.
    ///
    /// - Parameters:
    ///   - text: The text. Longitude precedes latitude.
    ///   - system: The coordinate system.
    /// - Throws: ``GeometryError`` with code ``GeometryError/Code/invalidText`` when the text is not well-known text;
    ///   with other codes when the geometry is not valid.
    public init(wellKnownText text: String, system: CoordinateSystem = .wgs84) throws(GeometryError) {
        var reader = WellKnownTextReader(text, system: system)
        self = try reader.geometry()
        try reader.expectEnd()
    }

    /// The geometry as well-known text.
    public var wellKnownText: String {
        var text = ""
        appendText(to: &text)
        return text
    }

    private func appendText(to text: inout String) {
        text += kind.name.uppercased() + (dimension == 2 ? "" : dimension == 3 ? " Z " : " ZM ")
        text += "("
        switch kind {
        case .point, .lineString, .multiPoint: appendPositions(paths[0], to: &text)
        case .polygon, .multiLineString: appendPaths(paths[...], to: &text)
        case .multiPolygon:
            Self.appendList(polygons, to: &text) { rings, text in
                text += "("
                appendPaths(rings, to: &text)
                text += ")"
            }
        case .geometryCollection: Self.appendList(members, to: &text) { $0.appendText(to: &$1) }
        }
        text += ")"
    }

    private func appendPaths(_ paths: ArraySlice<Range<Int>>, to text: inout String) {
        Self.appendList(paths, to: &text) { path, text in
            text += "("
            appendPositions(path, to: &text)
            text += ")"
        }
    }

    private func appendPositions(_ positions: Range<Int>, to text: inout String) {
        Self.appendList(positions, to: &text) { index, text in
            for coordinateIndex in index * dimension..<(index + 1) * dimension {
                if coordinateIndex > index * dimension { text += " " }
                text +=
                    Int64(exactly: coordinates[coordinateIndex]).map { String($0) }
                    ?? String(coordinates[coordinateIndex])
            }
        }
    }

    private static func appendList<Elements: Collection>(
        _ elements: Elements, to text: inout String, _ append: (Elements.Element, inout String) -> Void
    ) {
        for index in elements.indices {
            if index != elements.startIndex { text += ", " }
            append(elements[index], &text)
        }
    }
}
