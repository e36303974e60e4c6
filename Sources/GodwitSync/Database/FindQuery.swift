//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// What to look for with `_find`. See ``CouchDatabase/find(_:)``.
public struct FindQuery: Sendable {
    /// A field to sort by, or one of an index.
    public struct Field: Sendable, ExpressibleByStringLiteral {
        /// The field's name; inner ones with dots, as in a selector.
        public let name: String
        /// Whether the highest value comes first.
        public let isDescending: Bool

        /// A field, the lowest value first.
        public static func ascending(_ name: String) -> Field { Field(name: name, isDescending: false) }

        /// A field, the highest value first.
        public static func descending(_ name: String) -> Field { Field(name: name, isDescending: true) }

        init(name: String, isDescending: Bool) {
            self.name = name
            self.isDescending = isDescending
        }

        /// A field, the lowest value first.
        public init(stringLiteral name: String) { self.init(name: name, isDescending: false) }

        var json: JSONValue { .object(JSONObject([(name, .string(isDescending ? "desc" : "asc"))])) }
    }

    /// Which documents: a selector, as in CouchDB's `_find`.
    public var selector: JSONObject
    /// The members wanted; whole documents when it is `nil`.
    public var fields: [String]?
    /// In which order; an index must have it.
    public var sort: [Field]
    /// At most so many documents in one answer.
    public var limit: Int
    /// How many documents are left out at the beginning.
    public var skip: Int
    /// Where to go on: what the page before gave.
    public var bookmark: String?
    /// The index to use: the name of its design document, and its own.
    public var index: [String]

    /// Creates a query.
    public init(
        selector: JSONObject, fields: [String]? = nil, sort: [Field] = [], limit: Int = 25, skip: Int = 0,
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

    var json: JSONValue {
        var members: JSONObject = ["selector": .object(selector), "limit": .integer(Int64(limit))]
        if let fields { members["fields"] = .array(fields.map { .string($0) }) }
        if !sort.isEmpty { members["sort"] = .array(sort.map(\.json)) }
        if skip > 0 { members["skip"] = .integer(Int64(skip)) }
        if let bookmark { members["bookmark"] = .string(bookmark) }
        if !index.isEmpty { members["use_index"] = .array(index.map { .string($0) }) }
        return .object(members)
    }
}

/// What `_find` found.
public struct FindPage: Sendable {
    /// The documents. Where fields were chosen they hold these alone and have no revision, so that none of them is saved
    /// over the whole one by mistake.
    public let documents: [Document]
    /// For the next page, as ``FindQuery/bookmark``; it is the last page when it has fewer documents than `limit`.
    public let bookmark: String?
    /// What the server has to say, for example that no index helps.
    public let warning: String?
}
