//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
package import GodwitSelector
package import GodwitStore

/// The type of index that finds documents by their geometries.
///
/// A higher module (`GodwitPlaces`) implements and registers it, so that apps without geometries need not link that
/// module.
package protocol GeoIndexKind: IndexKind {
    /// Returns the definition of an index of the geometries at a dotted path.
    ///
    /// - Parameter path: The path; `nil` for the default path.
    /// - Returns: The definition for the database file and for a design document; `nil` when the path is invalid.
    func definition(path: String?) -> (text: [UInt8], entry: JSONValue)?

    /// Returns the properties of an existing index.
    ///
    /// - Returns: `nil` if the geometries of the index come from a function that does not simply return the value at a
    ///   path.
    func listing(of index: IndexDescription) throws -> GeoIndexListing?

    /// Prepares a search of an index for the geometries that match a condition.
    func search(_ index: IndexDescription, for condition: any GeoCondition) -> any GeoSearch
}

/// The properties of a geospatial index that `_index` and the planner use.
package struct GeoIndexListing: Sendable {
    /// The definition as `_index` lists it.
    package let definition: JSONObject
    /// The path of the geometries.
    package let path: String
    /// Whether selectors can use the index. They can use it if the index contains every geometry that a selector would
    /// find at the path, with the same coordinates.
    package let servesSelectors: Bool

    /// Creates a listing from the definition of an index, the path of its geometries, and its use for selectors.
    package init(definition: JSONObject, path: String, servesSelectors: Bool) {
        (self.definition, self.path, self.servesSelectors) = (definition, path, servesSelectors)
    }
}

/// A search of a geospatial index, which returns the nearest geometries first.
package protocol GeoSearch: Sendable {
    /// Returns the next hits.
    ///
    /// - Parameter position: The position of the last hit of the previous call; `nil` for the first call.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` when the search takes too long.
    func hits(after position: GeoSearchHit.Position?, limit: Int, in table: DocumentTable) throws -> [GeoSearchHit]

    /// Returns the position of the first hit of the document to which a hit belongs. The planner uses it to return a
    /// document once, although the search finds each geometry of the document. The result is `nil` if the document has
    /// only one geometry.
    func firstPosition(of hit: GeoSearchHit, in table: DocumentTable) throws -> GeoSearchHit.Position?

    /// Counts the geometries whose bounding boxes show that they may match. Counting stops at a maximum.
    func count(upTo most: Int, in table: DocumentTable) throws -> Int

    /// Returns the sequences of the candidate documents that changed after a sequence, up to a maximum number.
    func sequences(after sequence: Int64, most: Int, in table: DocumentTable) throws -> Set<Int64>
}

/// A geometry found by a search.
package struct GeoSearchHit: Sendable {
    /// The position of a hit in the order of its search.
    package struct Position: Sendable, Hashable {
        /// The distance, and the number of the geometry in its document, encoded by the search.
        package let key: [UInt8]
        /// The stored id of the document.
        package let storedID: String

        /// Creates a position from the key that the search encoded, and from the stored id of the document.
        package init(key: [UInt8], storedID: String) { (self.key, self.storedID) = (key, storedID) }
    }

    /// The position of the hit in the order of its search.
    package let position: Position
    /// The number of the document.
    package let document: Int64

    /// Creates a hit from its position and the number of its document.
    package init(position: Position, document: Int64) { (self.position, self.document) = (position, document) }
}

/// The registry of this process's geospatial index type.
package enum GeoIndexes {
    private static let registered = Mutex<(any GeoIndexKind)?>(nil)

    /// The index type; `nil` while no type is registered.
    package static var kind: (any GeoIndexKind)? { registered.withLock { $0 } }

    /// Registers the index type. Only datastore managers that are opened later maintain geospatial indexes.
    package static func register(_ kind: any GeoIndexKind) { registered.withLock { $0 = kind } }
}

extension BlockingPool {
    /// The threads that evaluate geometric relations for queries that can take long.
    package static let geometry = BlockingPool(threadsMax: QueryLimits.geometryThreadsMax)
}
