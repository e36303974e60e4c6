//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSelector
import GodwitStore

/// Documents by their geometries, the nearest to the middle of an area first.
struct GeoAccess: Sendable {
    let index: IndexDescription
    /// The path that it indexes.
    let path: String
    let condition: any GeoCondition
    /// Whether the condition is all that the selector says.
    let isExact: Bool
    /// The search of the index.
    let search: any GeoSearch

    /// An index for one of a selector's conditions on geometries; `nil` when it serves none of them.
    init?(_ index: IndexDescription, for selector: Selector) throws {
        guard let kind = GeoIndexes.kind, let listing = try kind.listing(of: index), listing.servesSelectors else {
            return nil
        }
        let places = selector.places.filter { $0.path == listing.path }
        guard let position = places.first(where: { $0.condition.isNear }) ?? places.first else { return nil }
        self.index = index
        (path, condition) = position
        isExact = selector.isOnePlace
        search = kind.search(index, for: condition)
    }
}
