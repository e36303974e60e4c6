//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// A query of a geospatial index.
///
/// ```swift
/// let here = try SearchArea.circle(center: Position(longitude: -123.05, latitude: 38.33), radius: 10_000)
/// let page = try await trips.places(GeoQuery(here))
/// for hit in page.hits { print(hit.document.id!, hit.metres) }
/// ```
///
/// Hits are ordered by the distance, in meters on WGS 84, from the center of the area to the nearest point of the
/// document's geometry. Hits at equal distances are ordered by the bytes of the ids.
public struct GeoQuery: Sendable, Hashable {
    /// The area to search.
    public var area: SearchArea
    /// The relation that a document's geometry must have to the area. `nil` means the default relation. If ``nearest``
    /// is `true`, the default is that the geometry may be anywhere. If ``nearest`` is `false`, the default is that the
    /// geometry must intersect the area. If the area consists of boxes, it is then sufficient that the bounding box of
    /// the geometry intersects the area.
    public var relation: Relation?
    /// Whether all geometries of the index are found, ordered by their distance from the area's center. If ``relation``
    /// is set to a value other than ``Relation/none``, only geometries that have this relation are found.
    public var nearest = false
    /// The maximum number of hits, at most ``GeoLimits/hitsMax``.
    public var limit = 25
    /// The number of hits to skip, at most ``GeoLimits/skipMax``.
    public var skip = 0
    /// The bookmark of the previous page; `nil` for the first page.
    public var bookmark: String?
    /// The number of hits of a page: ``limit`` within its bounds.
    package var hitsWanted: Int { max(0, min(limit, GeoLimits.hitsMax)) }
    /// The minimum distance of a geometry from the area's center, in meters.
    package var metresMin = 0.0
    /// The permitted third and fourth coordinates, for boxes of more than two dimensions. A missing coordinate is 0.
    package var heights: [ClosedRange<Double>] = []

    /// Creates a query for the geometries in an area.
    public init(_ area: SearchArea, relation: Relation? = nil, nearest: Bool = false) {
        self.area = area
        self.relation = relation
        self.nearest = nearest
    }

    /// The effective relation.
    var tested: Relation {
        if let relation { return relation }
        if nearest { return .none }
        if case .boxes = area { return .none }
        return .intersects
    }

    /// Whether results must have a relation to the area. If `false`, only the center of the area is used.
    var isBounded: Bool { !(nearest && tested == .none) }

    /// A hash of the area, the relation and the ranges of distance and height. These determine the hits and their
    /// order. A bookmark is valid only for queries with an equal hash.
    var fingerprint: UInt64 {
        var writer = ByteWriter()
        for number in area.numbers { writer.append(bits: number.bitPattern) }
        if case .geometry(let geometry) = area { writer.append(run: geometry.wellKnownBinary) }
        writer.append(run: tested.rawValue.utf8)
        writer.append(raw: nearest ? 1 : 0)
        writer.append(bits: metresMin.bitPattern)
        for range in heights {
            for bound in [range.lowerBound, range.upperBound] { writer.append(bits: bound.bitPattern) }
        }
        // 64-bit FNV-1a.
        return writer.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension SearchArea {
    fileprivate var numbers: [Double] {
        switch self {
        case .boxes(let boxes): boxes.flatMap { [$0.west, $0.south, $0.east, $0.north] }
        case .ellipse(let ellipse): [ellipse.center.longitude, ellipse.center.latitude, ellipse.rangeX, ellipse.rangeY]
        case .geometry: []
        }
    }
}
