//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// What a query of a view asks for: CouchDB's parameters of `_view`.
public struct ViewQuery: Sendable {
    /// Into which groups rows are reduced.
    public enum Grouping: Sendable, Equatable {
        /// All into one.
        case none
        /// Those whose keys are arrays that begin with the same elements, so many of them.
        case level(Int)
        /// Those of one key.
        case exact
    }

    /// Whether the view is brought up to date.
    public enum Update: Sendable, Equatable {
        /// Before the query.
        case before
        /// Not for this query.
        case never
        /// After the query.
        case after
    }

    /// Only rows with this key.
    public var key: JSONValue?
    /// Only rows with these keys, in this order.
    public var keys: [JSONValue]?
    /// Rows from this key on, in the direction of the query.
    public var startKey: JSONValue?
    /// Among rows with ``startKey``, those from this document on.
    public var startKeyDocumentID: String?
    /// Rows up to this key, in the direction of the query.
    public var endKey: JSONValue?
    /// Among rows with ``endKey``, those up to this document.
    public var endKeyDocumentID: String?
    /// Whether rows with ``endKey`` are among them.
    public var inclusiveEnd = true
    /// From the end to the beginning.
    public var descending = false
    /// At most so many rows.
    public var limit = Int.max
    /// Without so many rows at the beginning.
    public var skip = 0
    /// Whether rows are reduced; `nil` is as the view can.
    public var reduce: Bool?
    /// Into which groups rows are reduced.
    public var grouping = Grouping.none
    /// Whether rows come with their documents, or with those that their values name as `_id`.
    public var includesDocuments = false
    /// Whether the view is brought up to date.
    public var update = Update.before

    /// A query for everything.
    public init() {}
}
