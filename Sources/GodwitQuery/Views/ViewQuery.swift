//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON

/// A query of a view: CouchDB's parameters of `_view`.
public struct ViewQuery: Sendable {
    /// The grouping of reduced rows.
    public enum Grouping: Sendable, Equatable {
        /// All rows form one group.
        case none
        /// Rows whose keys are arrays form a group if their first elements, up to this number, are equal.
        case level(Int)
        /// Rows with equal keys form a group.
        case exact
    }

    /// The time at which the view is updated.
    public enum Update: Sendable, Equatable {
        /// The view is updated before the query.
        case before
        /// The view is not updated for this query.
        case never
        /// The view is updated after the query.
        case after
    }

    /// The key that rows must have; `nil` for any key.
    public var key: JSONValue?
    /// The keys that rows must have; `nil` for any keys. Rows are returned in the order of these keys. If the query is
    /// ``descending`` and does not reduce rows, they are returned in the reverse order.
    public var keys: [JSONValue]?
    /// The first key in the direction of the query; `nil` to start with the first row.
    public var startKey: JSONValue?
    /// The first document among rows with ``startKey``, or with ``key`` or each of ``keys``.
    public var startKeyDocumentID: String?
    /// The last key in the direction of the query; `nil` to end with the last row.
    public var endKey: JSONValue?
    /// The last document among rows with ``endKey``, or with ``key`` or each of ``keys``.
    public var endKeyDocumentID: String?
    /// Whether rows with ``endKey`` are included.
    public var inclusiveEnd = true
    /// Whether rows are returned in descending order.
    public var descending = false
    /// The maximum number of rows, or of groups if rows are reduced.
    public var limit = Int.max
    /// The number of rows to skip at the beginning, or of groups if rows are reduced.
    public var skip = 0
    /// Whether rows are reduced; `nil` to reduce them if the view has a reduce function.
    public var reduce: Bool?
    /// The grouping of reduced rows.
    public var grouping = Grouping.none
    /// Whether rows include their documents, or the documents that their values specify as `_id`.
    public var includesDocuments = false
    /// The time at which the view is updated.
    public var update = Update.before

    /// Creates a query for all rows.
    public init() {}
}
