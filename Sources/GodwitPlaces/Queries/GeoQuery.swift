//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
public import GodwitGeo
import GodwitStore

/// What is asked of a geospatial index.
///
/// ```swift
/// let here = try SearchArea.circle(center: Position(longitude: -123.05, latitude: 38.33), radius: 10_000)
/// let page = try await trips.places(GeoQuery(here))
/// for hit in page.hits { print(hit.document.id!, hit.metres) }
/// ```
///
/// Hits come in the order of their distance from the middle of the area, in metres on WGS 84 to the nearest point of the
/// document's geometry; of equal distances in the order of the ids' bytes.
public struct GeoQuery: Sendable, Hashable {
    /// Where is looked.
    public var area: SearchArea
    /// How a document's geometry must lie to the area. Without one a geometry's box must meet a box, and a geometry must
    /// intersect anything else; with ``nearest`` it may be anywhere.
    public var relation: Relation?
    /// Whether the whole index is ranked by its distance from the area's middle.
    public var nearest = false
    /// At most so many hits, and never more than ``GeoLimits/hitsMax``.
    public var limit = 25
    /// So many hits are passed over, at most ``GeoLimits/skipMax``.
    public var skip = 0
    /// Where to go on: the bookmark of the page before.
    public var bookmark: String?
    /// How far a geometry must be at least from the area's middle, in metres.
    package var metresMin = 0.0
    /// For boxes of more than two dimensions what the third and fourth coordinates may be; others count as 0.
    package var heights: [ClosedRange<Double>] = []

    /// Asks for what lies in an area.
    public init(_ area: SearchArea, relation: Relation? = nil, nearest: Bool = false) {
        self.area = area
        self.relation = relation
        self.nearest = nearest
    }

    /// The relation that is tested.
    var tested: Relation {
        if let relation { return relation }
        if nearest { return .none }
        if case .boxes = area { return .none }
        return .intersects
    }

    /// Whether the area says what is found, and not only from where is measured.
    var isBounded: Bool { !(nearest && tested == .none) }

    /// What a bookmark is good for: the same hits in the same order.
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
        // FNV-1a of 64 bits.
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
