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
        /// If keys are arrays, rows form a group if the first elements of their keys are equal, up to this number of
        /// elements.
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
    /// The document id at which rows with the first key begin. The first key is ``startKey``, or ``key`` if it is set.
    /// If ``keys`` is set, the rows of each key begin at this document id.
    public var startKeyDocumentID: String?
    /// The last key in the direction of the query; `nil` to end with the last row.
    public var endKey: JSONValue?
    /// The document id at which rows with the last key end. The last key is ``endKey``, or ``key`` if it is set. If
    /// ``keys`` is set, the rows of each key end at this document id.
    public var endKeyDocumentID: String?
    /// Whether rows with ``endKey`` are included.
    public var inclusiveEnd = true
    /// Whether rows are returned in descending order.
    public var descending = false
    /// The maximum number of rows, or of groups of a reduced view.
    public var limit = Int.max
    /// The number of rows, or groups of a reduced view, to skip.
    public var skip = 0
    /// Whether rows are reduced; `nil` to reduce them if the view has a reduce function.
    public var reduce: Bool?
    /// The grouping of reduced rows.
    public var grouping = Grouping.none
    /// Whether each row includes a document. If the value of the row specifies an `_id`, this is the document with that
    /// id. If the value specifies no `_id`, this is the document that emitted the row.
    public var includesDocuments = false
    /// The time at which the view is updated.
    public var update = Update.before

    /// Creates a query for all rows.
    public init() {}
}
