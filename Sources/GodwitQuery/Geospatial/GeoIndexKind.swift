//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitSelector
package import GodwitStore
import GodwitThreads

/// The kind of index that finds documents by their geometries.
///
/// A module above this one implements and registers it (`GodwitPlaces`), so that who needs no geometry does not build it.
package protocol GeoIndexKind: IndexKind {
    /// Describes an index of the geometries at a path, with inner fields behind dots.
    ///
    /// - Parameter path: The path; `nil` for the usual one.
    /// - Returns: The definition as the file keeps it and as a design document has it; `nil` when no such path can be.
    func definition(path: String?) -> (text: [UInt8], entry: JSONValue)?

    /// Describes an existing index.
    ///
    /// - Returns: `nil` for an index whose geometries come from a function that is not understood.
    func listing(of index: IndexDescription) throws -> GeoIndexListing?

    /// Prepares a search of an index for the geometries that meet a condition.
    func search(_ index: IndexDescription, for condition: any GeoCondition) -> any GeoSearch
}

/// What `_index` and the planner need to know of a geospatial index.
package struct GeoIndexListing: Sendable {
    /// The definition as `_index` lists it.
    package let definition: JSONObject
    /// The path of the geometries.
    package let path: String
    /// Whether the index holds all geometries that a selector finds at the path, with the coordinates that a selector uses.
    package let servesSelectors: Bool

    package init(definition: JSONObject, path: String, servesSelectors: Bool) {
        (self.definition, self.path, self.servesSelectors) = (definition, path, servesSelectors)
    }
}

/// A search of a geospatial index, which gives the nearest geometries first.
package protocol GeoSearch: Sendable {
    /// Finds the next geometries.
    ///
    /// - Parameter position: The position of the last hit of the search before; `nil` for the first hits.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` when the search takes too long.
    func hits(after position: GeoSearchHit.Position?, limit: Int, in table: DocumentTable) throws -> [GeoSearchHit]

    /// Returns the position of the first hit of a document that is found several times; `nil` for a document with one
    /// geometry.
    func firstPosition(of hit: GeoSearchHit, in table: DocumentTable) throws -> GeoSearchHit.Position?

    /// Counts the geometries whose bounding boxes may be found, up to a number.
    func count(upTo most: Int, in table: DocumentTable) throws -> Int

    /// Returns the sequences of the documents that may be found and changed after a sequence, at most a number of them.
    func sequences(after sequence: Int64, most: Int, in table: DocumentTable) throws -> Set<Int64>
}

/// A geometry that a search found.
package struct GeoSearchHit: Sendable {
    /// The position of a hit in the order of its search.
    package struct Position: Sendable, Hashable {
        /// The distance and the number of the geometry in its document, as bytes that only the search reads.
        package let key: [UInt8]
        /// The stored id of the document.
        package let storedID: String

        package init(key: [UInt8], storedID: String) { (self.key, self.storedID) = (key, storedID) }
    }

    package let position: Position
    /// The number of the document.
    package let document: Int64

    package init(position: Position, document: Int64) { (self.position, self.document) = (position, document) }
}

/// The kind of geospatial indexes of this process.
package enum GeoIndexes {
    private static let registered = Mutex<(any GeoIndexKind)?>(nil)

    /// The kind; `nil` while none is registered.
    package static var kind: (any GeoIndexKind)? { registered.withLock { $0 } }

    /// Registers the kind. Datastore managers that are opened later keep such indexes.
    package static func register(_ kind: any GeoIndexKind) { registered.withLock { $0 = kind } }
}

extension BlockingPool {
    /// The threads that test relations of geometries for queries that take long.
    package static let geometry = BlockingPool(threadsMax: QueryLimits.geometryThreadsMax)
}
