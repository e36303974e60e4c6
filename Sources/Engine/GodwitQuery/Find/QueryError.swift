//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitText

/// An error of a query or an index, with CouchDB's texts (`mango_error.erl`).
package struct QueryError: Error, Equatable, Sendable {
    /// CouchDB's name of the error: the member `error` of a response.
    package let error: String
    /// The description of the error: the member `reason` of a response.
    package let reason: String

    /// Creates an error from CouchDB's name of the error and its description.
    package init(_ error: String, _ reason: String) {
        self.error = error
        self.reason = reason
    }
}

extension QueryError {
    init(_ error: SelectorError) { self.init(error.error, error.reason) }

    /// The bookmark is invalid, or belongs to another query.
    package static func invalidBookmark(_ bookmark: String) -> QueryError {
        QueryError("invalid_bookmark", "Invalid bookmark value: \(JSONValue.string(bookmark).jsonText())")
    }

    static let noSortIndex = QueryError(
        "no_usable_index", "No index exists for this sort, try indexing by the sort fields.")

    static let noTextIndex = QueryError(
        "no_usable_index",
        "$text needs a text index. The database has none, or only ones whose partial filter the selector does not "
            + "imply: create an index of type text, or name one with use_index.")

    static func noGeoIndex(_ path: String) -> QueryError {
        QueryError(
            "no_usable_index",
            "$near needs a geospatial index that is declared on \(path), but the database has none. Indexes of "
                + "functions cannot be used for selectors. Create an index of type geo.")
    }

    static let multipleTextSearches = QueryError(
        "multiple_text_selector", "Selector cannot contain more than one $text operator.")

    static let multipleTextIndexes = QueryError(
        "multiple_text_indexes", "You must specify an index with the `use_index` parameter.")

    /// The index that must be used does not exist or does not serve the query.
    static func unsuitable(_ index: [String]) -> QueryError {
        QueryError(
            "invalid_index",
            index.isEmpty
                ? "You must specify an index with the `use_index` parameter."
                : "\(index.designText) specified by `use_index` could not be found or it is not suitable.")
    }

    static let tooManyToSort = QueryError(
        "no_usable_index",
        "More than \(QueryLimits.sortedRowsMax) documents would have to be sorted in memory. Create an index on the sort "
            + "fields, or narrow the selector.")

    static func tooManyLiveRows(_ rowsMax: Int) -> QueryError {
        QueryError(
            "too_many_results",
            "A live query has at most \(rowsMax) results. Narrow the selector, or set a limit.")
    }

    static func tooManyEqualRows(_ rowsMax: Int) -> QueryError {
        QueryError(
            "too_many_results",
            "More than \(rowsMax) results have the same sort values, so their order is undefined. Sort by one more "
                + "field.")
    }

    static let liveBookmark = QueryError("invalid_bookmark", "A live query has no pages, so it accepts no bookmark.")
}

extension [String] {
    /// A `use_index` in the notation of CouchDB's texts.
    var designText: String {
        let design = "_design/\(first.map(DocumentID.designName) ?? "")"
        return count > 1 ? "\(design), \(self[1])" : design
    }
}

extension StoreError {
    /// Converts any error of a query to the error that apps receive.
    package init(query error: any Error, subject: @autoclosure () -> String) {
        switch error {
        case let error as QueryError: self.init(.invalidRequest, "\(error.error): \(error.reason)")
        default: self.init(text: error, subject: subject())
        }
    }
}
