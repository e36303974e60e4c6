//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reasons why a geospatial index cannot be defined or queried.
package enum GeoIndexError: Error, Equatable {
    /// No index has this name.
    case missing(String)
    /// The definition is not valid.
    case invalid(String)
    /// The `st_indexes` of a design document is not an object.
    case invalidObject
    /// The coordinate system of the index is not valid.
    case invalidSystem(String)
    /// The type of the index is not supported. The second value is the type as JSON.
    case unsupportedType(String, String)
    /// The index is built by a function, and the databases were opened without a JavaScript engine.
    case unsupported(index: String, design: String)
    /// The index covers all documents of the database, but the datastore is restricted to one owner's documents.
    case notForOwners(String)
    /// The index is ambiguous. Either several indexes have the name, or the request contains no name although the
    /// database does not have exactly one geospatial index.
    case ambiguous([String])
    /// The index was deleted while it was read.
    case gone(String)

    /// Runs `body`, and runs it again if the index was deleted while `body` ran. If the design document was changed,
    /// the second run finds the new index. If a cleanup of indexes deleted it, the second run builds it again.
    package static func retryingOnceIfGone<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch GeoIndexError.gone {
            return try await body()
        }
    }

    /// A description of the error, and of the correction if there is one.
    package var reason: String {
        switch self {
        case .missing(let name): "Geospatial index '\(name)' not found"
        case .invalid(let name): "Geospatial index '\(name)' is invalid"
        case .invalidObject: "st_indexes is not an object"
        case .invalidSystem(let name): "The srid of the geospatial index '\(name)' is not an EPSG code"
        case .unsupportedType(let name, let type):
            "The geospatial index '\(name)' has the type \(type): only rtree is supported."
        case .unsupported(let index, let design):
            "The index \(index) of \(design) needs a JavaScript function, but the databases were opened without "
                + "JavaScript: open them with DatastoreManager(directory:scripts:)."
        case .notForOwners(let name): "The index \(name) is of the complete database, not of one owner's documents."
        case .ambiguous(let names):
            names.isEmpty
                ? "the database has no geospatial index. Create one with ensureGeoIndex."
                : "the database has several geospatial indexes. Name one of: \(names.joined(separator: ", "))."
        case .gone(let name): "the index \(name) was removed while it was read. Try again."
        }
    }
}
