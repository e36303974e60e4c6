//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// What to look for, as CouchDB's `_find` has it.
///
/// ```swift
/// var query = FindQuery(selector: ["km": ["$gt": 40]], sort: [.descending("km")], limit: 100)
/// let page = try await trips.find(query)
/// query.bookmark = page.bookmark
/// ```
public struct FindQuery: Sendable {
    /// Which documents: a Mango selector.
    public var selector: JSONObject
    /// The members wanted, inner ones with dots; whole documents when it is `nil`.
    public var fields: [String]?
    /// In which order. A server needs an index that has it; a datastore sorts in memory where none has.
    public var sort: [QueryField]
    /// At most so many documents in one answer.
    public var limit: Int
    /// How many documents are left out at the beginning.
    public var skip: Int
    /// Where to go on: what the page before gave.
    public var bookmark: String?
    /// The index to use: the name of its design document, and its own. One that does not serve the query is not used.
    public var index: [String]
    /// Whether another index may be used when ``index`` cannot be, or all documents be looked at when there is none.
    public var allowsFallback = true
    /// Whether documents come with the ids of their conflicting revisions (`_conflicts`).
    public var showsConflicts = false
    /// Whether the query waits, for up to ``QueryLimits/indexWait``, for an index that is being built and would serve it.
    public var awaitsIndexes = true
    /// The partition of a partitioned database that is looked at; all when it is `nil`.
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

    /// The query as the body of a request.
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

/// What a query found.
public struct FindPage: Sendable {
    /// The documents. Where fields were chosen they hold these alone and have no revision, so that none of them is saved
    /// over the whole one by mistake.
    public let documents: [Document]
    /// For the next page, as ``FindQuery/bookmark``; it is the last page when it has fewer documents than `limit`.
    public var bookmark: String? { end.text }
    /// What there is to say, for example that no index helps.
    public let warning: String?

    /// Where the page ends: a bookmark is made when somebody asks for it.
    private let end: End

    private enum End {
        case told(String?)
        case position(QueryPlan, QueryPosition)

        var text: String? {
            switch self {
            case .told(let text): text
            case .position(let plan, let position): Bookmark(plan, at: position).text
            }
        }
    }

    package init(documents: [Document], bookmark: String?, warning: String?) {
        (self.documents, self.warning, end) = (documents, warning, .told(bookmark))
    }

    init(documents: [Document], of run: QueryRun) {
        (self.documents, warning) = (documents, run.warning)
        end = run.end.map { .position(run.plan, $0) } ?? .told(run.nextBookmark)
    }
}
