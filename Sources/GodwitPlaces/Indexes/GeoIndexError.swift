//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
/// Why a geospatial index cannot be asked, in Cloudant's words.
package enum GeoIndexError: Error, Equatable {
    /// There is none of this name.
    case missing(String)
    /// Its definition is none.
    case invalid(String)
    /// A design document's `st_indexes` is no object.
    case invalidObject
    /// Its coordinate system is none.
    case invalidSystem(String)
    /// It is of a kind that is not offered; the type as JSON.
    case unsupportedType(String, String)
    /// It is made by a function, and the databases were opened without who runs them.
    case unkept(index: String, design: String)
    /// It is of the whole database, and only one owner's documents may be seen.
    case notOfOwners(String)
    /// No index was named, and there is not exactly one.
    case ambiguous([String])
    /// It went while it was read.
    case gone(String)

    /// Runs `body`, and once more when the index went meanwhile: then its design document was changed, and names another one, or
    /// a clean-up took the index away, which is made again.
    package static func retryingOnceIfGone<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch GeoIndexError.gone {
            return try await body()
        }
    }

    /// What is wrong and what to do.
    package var reason: String {
        switch self {
        case .missing(let name): "Geospatial index '\(name)' not found"
        case .invalid(let name): "Geospatial index '\(name)' is invalid"
        case .invalidObject: "st_indexes is not an object"
        case .invalidSystem(let name): "The srid of the geospatial index '\(name)' is no EPSG code"
        case .unsupportedType(let name, let type):
            "The geospatial index '\(name)' has the type \(type): rtree is offered, temporal indexes are not."
        case .unkept(let index, let design):
            "The index \(index) of \(design) is made by a function, and the databases were opened without JavaScript: "
                + "open them with DatastoreManager(directory:scripts:)."
        case .notOfOwners(let name): "The index \(name) is of the whole database, not of one owner's documents."
        case .ambiguous(let names):
            names.isEmpty
                ? "there is no geospatial index. Make one with ensureGeoIndex."
                : "there are several geospatial indexes. Name one of: \(names.joined(separator: ", "))."
        case .gone(let name): "the index \(name) went while it was read. Ask again."
        }
    }
}
