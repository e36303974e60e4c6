//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitViews
import HTTPTypes

/// The parameters of a query of `_all_docs`.
struct AllDocsQuery {
    var range = IDRange()
    /// The keys to look up; `nil` if the query requests a range. No document exists for a key that is not a string.
    var keys: [JSONValue]?
    var descending = false
    var includesDocuments = false
    var conflicts = false
    var attachments = false
    var updateSequence = false
    var limit = Int.max
    var skip = 0

    /// Creates a query from the parameters of views.
    ///
    /// - Throws: ``HTTPFailure`` with a parameter error when the parameters request a reduction or grouping, and when
    ///   they contain both `keys` and the bounds of a range.
    init(_ parameters: ViewParameters) throws(HTTPFailure) {
        let query = parameters.query
        guard query.reduce != true else { throw .badQuery("Reduce is invalid for map-only views.") }
        guard query.grouping == .none else { throw .badQuery("Invalid use of grouping on a map view.") }
        keys = query.keys
        descending = query.descending
        includesDocuments = query.includesDocuments
        conflicts = parameters.conflicts
        attachments = parameters.attachments
        updateSequence = parameters.updateSequence
        limit = query.limit
        skip = query.skip
        guard keys == nil || query.key == nil && query.startKey == nil && query.endKey == nil else {
            throw .badQuery("`keys` is incompatible with `key`, `start_key` and `end_key`")
        }
        // As in CouchDB, the range begins at `startkey_docid` if the query contains no start key.
        let start = query.startKey ?? (query.key == nil ? query.startKeyDocumentID.map { .string($0) } : nil)
        apply(start: start, end: query.endKey, key: query.key, inclusive: query.inclusiveEnd)
    }

    /// Parses a request's parameters. As in CouchDB, parameters in the query string take precedence over parameters in
    /// a body.
    init(_ target: RequestTarget, body: JSONValue? = nil) throws(HTTPFailure) {
        // If `keys` is not a list, CouchDB reports another error for `_all_docs` than for views. Therefore this is
        // checked here and not by `ViewParameters`.
        if let keys = try target.json("keys"), keys.arrayValue == nil {
            throw .badRequest("`keys` parameter must be an array.")
        }
        if let keys = body?.objectValue?["keys"], keys.arrayValue == nil {
            throw .badRequest("`keys` body member must be an array.")
        }
        try self.init(try ViewParameters(target, body: body))
    }

    /// Parses the body of a POST with several queries.
    ///
    /// - Parameter target: The request's target, whose parameters apply to all queries.
    /// - Throws: ``HTTPFailure`` when `queries` is missing or too long, or a parameter is invalid.
    static func several(_ body: JSONValue, _ target: RequestTarget) throws(HTTPFailure) -> [AllDocsQuery] {
        guard let queryValues = body.objectValue?["queries"]?.arrayValue else {
            throw .badRequest("`queries` parameter must be an array.")
        }
        guard queryValues.count <= ServerLimits.queriesMax else { throw .tooManyQueries }
        var queries: [AllDocsQuery] = []
        for queryValue in queryValues {
            queries.append(try AllDocsQuery(try ViewParameters(target, ofSeveral: queryValue)))
        }
        return queries
    }

    private mutating func apply(
        start: JSONValue?, end: JSONValue?, key: JSONValue?, inclusive: Bool
    ) {
        if let key {
            range = IDRange(lower: key.stringValue ?? "", upper: key.stringValue ?? "")
            return
        }
        let firstBound = start.map(Bound.init)
        let lastBound = end.map(Bound.init)
        let (lower, upper) = descending ? (lastBound, firstBound) : (firstBound, lastBound)
        if let lower { range.lower = lower.id(asLower: true) }
        if let upper { range.upper = upper.id(asLower: false) }
        if end != nil, !inclusive {
            if descending { range.lowerIsIncluded = false } else { range.upperIsIncluded = false }
        }
    }

    /// The bound of a range of ids. The bound can be a JSON value of any type. Ids are strings. In the order of JSON
    /// values, strings follow all numbers and precede all lists and objects.
    private struct Bound {
        let value: JSONValue

        /// Returns the bound as an id. A list or an object follows all ids. As an upper bound, it is `nil`, because it
        /// excludes no id. As a lower bound, it is a text that is greater than any id.
        func id(asLower: Bool) -> String? {
            switch value {
            case .string(let id): id
            case .array, .object: asLower ? "\u{10FFFF}\u{10FFFF}" : nil
            default: ""
            }
        }
    }
}

extension HTTPFailure {
    static let tooManyQueries = HTTPFailure.badRequest(
        "`queries` may have at most \(ServerLimits.queriesMax) members. Send the others in further requests.")
}
