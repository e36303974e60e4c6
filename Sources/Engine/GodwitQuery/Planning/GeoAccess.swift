//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore

/// An access path that finds documents by a geospatial index. The document nearest to the center of an area is found
/// first.
struct GeoAccess: Sendable {
    let index: IndexDescription
    /// The path of the indexed geometries.
    let path: String
    let condition: any GeoCondition
    /// Whether the condition is the complete selector.
    let isExact: Bool
    /// The search of the index.
    let search: any GeoSearch

    /// Creates an access path for one of a selector's geospatial conditions; `nil` when the index serves none of them.
    init?(_ index: IndexDescription, for selector: Selector) throws {
        guard let kind = GeoIndexes.kind, let listing = try kind.listing(of: index), listing.servesSelectors else {
            return nil
        }
        let places = selector.places.filter { $0.path.isIdenticalText(to: listing.path) }
        guard let geoCondition = places.first(where: { $0.condition.isNear }) ?? places.first else { return nil }
        self.index = index
        (path, condition) = geoCondition
        isExact = selector.isSingleGeoCondition
        search = kind.search(index, for: condition)
    }
}
