//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// A query for documents: the parameters of CouchDB's `_find`.
///
/// ```swift
/// var query = FindQuery(selector: ["km": ["$gt": 40]], sort: [.descending("km")], limit: 100)
/// let page = try await trips.find(query)
/// query.bookmark = page.bookmark
/// ```
public struct FindQuery: Sendable {
    /// The Mango selector that documents must match.
    public var selector: JSONObject
    /// The members to return, with dotted paths for members of inner objects; `nil` for complete documents.
    public var fields: [String]?
    /// The order. A server requires an index with this order; a datastore without such an index sorts in memory.
    public var sort: [QueryField]
    /// The maximum number of documents in one page.
    public var limit: Int
    /// The number of documents to skip at the beginning.
    public var skip: Int
    /// The bookmark of the previous page; `nil` for the first page.
    public var bookmark: String?
    /// The index to use: the name of its design document, optionally followed by the name of the index. An index that
    /// cannot serve the query is not used.
    public var index: [String]
    /// Whether the query may use another index if ``index`` cannot be used. If no index at all can be used, a value of
    /// `true` allows the query to read all documents.
    public var allowsFallback = true
    /// Whether documents include the ids of their conflicting revisions (`_conflicts`).
    public var showsConflicts = false
    /// Whether the query waits for an index that is being built and that the query could use. It waits at most
    /// ``QueryLimits/indexWait``.
    public var awaitsIndexes = true
    /// The partition of a partitioned database to search; `nil` for all partitions.
    public var partition: String?

    /// Creates a query.
    public init(
        selector: JSONObject, fields: [String]? = nil, sort: [QueryField] = [], limit: Int = 25, skip: Int = 0,
        bookmark: String? = nil, index: [String] = []
    ) {
        self.selector = selector
        self.fields = fields
        self.sort = sort
        self.limit = limit
        self.skip = skip
        self.bookmark = bookmark
        self.index = index
    }

    /// The query as the body of a `_find` request.
    package var json: JSONValue {
        var members: JSONObject = ["selector": .object(selector), "limit": .integer(Int64(limit))]
        if let fields { members["fields"] = .array(fields.map { .string($0) }) }
        if !sort.isEmpty { members["sort"] = .array(sort.map(\.json)) }
        if skip > 0 { members["skip"] = .integer(Int64(skip)) }
        if let bookmark { members["bookmark"] = .string(bookmark) }
        if !index.isEmpty { members["use_index"] = .array(index.map { .string($0) }) }
        if !allowsFallback { members["allow_fallback"] = false }
        if !awaitsIndexes { members["update"] = false }
        if showsConflicts { members["conflicts"] = true }
        return .object(members)
    }
}

/// A page of the results of a query.
public struct FindPage: Sendable {
    /// The documents. If fields were selected, each document contains only these fields and has no revision, so that it
    /// cannot overwrite the complete document by mistake.
    public let documents: [Document]
    /// The value of ``FindQuery/bookmark`` with which a query returns the next page; `nil` when the first page is
    /// empty. A page with fewer documents than the limit is the last page.
    public var bookmark: String? { end.text }
    /// A warning about the execution, for example that no index serves the query; `nil` when there is no warning.
    public let warning: String?

    /// The end of the page. Its bookmark is encoded on demand.
    private let end: End

    private enum End {
        case text(String?)
        case position(QueryPlan, QueryPosition)

        var text: String? {
            switch self {
            case .text(let text): text
            case .position(let plan, let position): Bookmark(plan, at: position).text
            }
        }
    }

    /// Creates a page, for example from the response of a remote database.
    ///
    /// - Parameters:
    ///   - documents: The documents in the order of the query.
    ///   - bookmark: The bookmark for the next page; `nil` for none.
    ///   - warning: A warning about the execution; `nil` for none.
    package init(documents: [Document], bookmark: String?, warning: String?) {
        (self.documents, self.warning, end) = (documents, warning, .text(bookmark))
    }

    init(documents: [Document], of run: QueryRun) {
        (self.documents, warning) = (documents, run.warning)
        end = run.end.map { .position(run.plan, $0) } ?? .text(run.nextBookmark)
    }
}
