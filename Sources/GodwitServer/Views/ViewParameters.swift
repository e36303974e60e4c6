//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitViews

/// The parameters of a request to a view: of the query's text, and of a body, which says more.
struct ViewParameters {
    var query = ViewQuery()
    var conflicts = false
    var attachments = false
    var updateSequence = false
    private var namesConflicts = false
    private var group: Bool?
    private var groupLevel: Int?
    /// Whether these are the parameters of one query of several.
    private var areOfSeveral = false

    /// The parameters of a request. As in CouchDB, those of the query win over those of the body.
    init(_ target: RequestTarget, body: JSONValue? = nil) throws(HTTPFailure) {
        if let body { try read(body, as: "Request body must be a JSON object") }
        guard query.keys == nil || target.value("keys") == nil else {
            throw .badQuery("`keys` is in the query and in the body; send it once.")
        }
        try read(target)
    }

    /// The parameters of one of several queries, which win over those that all of them have.
    init(_ target: RequestTarget, ofSeveral item: JSONValue) throws(HTTPFailure) {
        areOfSeveral = true
        try read(target)
        try read(item, as: "`queries` member must be an array of objects.")
    }

    private mutating func read(_ target: RequestTarget) throws(HTTPFailure) {
        for (name, text) in target.query { try apply(name, .text(text)) }
    }

    private mutating func read(_ value: JSONValue, as expected: String) throws(HTTPFailure) {
        guard let members = value.objectValue else { throw .badRequest(expected) }
        for (name, value) in members { try apply(name, .value(value)) }
    }

    /// A parameter as it came.
    private enum Given {
        case text(String)
        case value(JSONValue)

        /// What is JSON in a query's text too.
        func json(_ name: String) throws(HTTPFailure) -> JSONValue {
            switch self {
            case .value(let value): return value
            case .text(let text):
                do {
                    return try JSONValue(parsing: text)
                } catch {
                    throw .badRequest("invalid UTF-8 JSON: the parameter \(name): \(error)")
                }
            }
        }

        var plain: String {
            switch self {
            case .text(let text): text
            case .value(let value): value.stringValue ?? value.jsonText()
            }
        }

        var isText: Bool { if case .text = self { true } else { false } }

        /// As CouchDB shows it: a text in quotes.
        private var shown: String {
            switch self {
            case .text(let text): JSONValue.string(text).jsonText()
            case .value(let value): value.jsonText()
            }
        }

        func flag() throws(HTTPFailure) -> Bool {
            switch plain.lowercased() {
            case "true": return true
            case "false": return false
            default: throw .badQuery("Invalid boolean parameter: \(shown)")
            }
        }

        func count() throws(HTTPFailure) -> Int {
            // As in CouchDB, a text of a body is no number, though it may be a yes or no.
            if case .value(.string) = self { throw .badQuery("Invalid value for integer: \(shown)") }
            guard let number = Int(plain) else { throw .badQuery("Invalid value for integer: \(shown)") }
            guard number >= 0 else { throw .badQuery("Invalid value for positive integer: \(shown)") }
            return number
        }
    }

    private mutating func apply(_ name: String, _ given: Given) throws(HTTPFailure) {
        switch name {
        case "key": query.key = try given.json(name)
        case "keys":
            guard let keys = try given.json(name).arrayValue else {
                let reason = "`keys` must be an array of strings."
                throw given.isText || areOfSeveral ? .badQuery(reason) : .badRequest(reason)
            }
            query.keys = keys
        case "startkey", "start_key": query.startKey = try given.json(name)
        case "endkey", "end_key": query.endKey = try given.json(name)
        case "startkey_docid", "start_key_doc_id": query.startKeyDocumentID = given.plain
        case "endkey_docid", "end_key_doc_id": query.endKeyDocumentID = given.plain
        case "inclusive_end": query.inclusiveEnd = try given.flag()
        case "limit": query.limit = try given.count()
        case "skip": query.skip = try given.count()
        case "reduce": query.reduce = try given.flag()
        case "group":
            group = try given.flag()
            try regroup()
        case "group_level":
            groupLevel = try given.count()
            try regroup()
        case "include_docs": query.includesDocuments = try given.flag()
        case "conflicts":
            conflicts = try given.flag()
            namesConflicts = true
        case "attachments": attachments = try given.flag()
        case "update_seq": updateSequence = try given.flag()
        default: try applyWay(name, given)
        }
    }

    private mutating func applyWay(_ name: String, _ given: Given) throws(HTTPFailure) {
        switch name {
        case "descending": query.descending = try given.flag()
        case "update": query.update = try ViewParameters.update(given.plain)
        case "stale":
            switch given.plain {
            case "ok": query.update = .never
            case "update_after": query.update = .after
            default: throw .badQuery("Invalid value for `stale`.")
            }
        // One node has no other copies to choose among, and rows come sorted.
        case "stable":
            guard ["true", "false"].contains(given.plain) else { throw .badQuery("Invalid value for `stable`.") }
        case "sorted": _ = try given.flag()
        default: break
        }
    }

    /// A level says more than `group`.
    private mutating func regroup() throws(HTTPFailure) {
        if group == false, let groupLevel, groupLevel > 0 {
            throw .badQuery("Can't specify group=false and group_level>0 at the same time")
        }
        switch groupLevel {
        case nil: query.grouping = group == true ? .exact : .none
        case 0?: query.grouping = .none
        case let level?: query.grouping = .level(level)
        }
    }

    /// Refuses what is for rows with documents alone.
    func check(_ plan: ViewPlan) throws(HTTPFailure) {
        if plan.reduces, namesConflicts { throw .badQuery("`conflicts` is invalid for reduce views.") }
    }

    /// Refuses `group=false` beside `keys`, as CouchDB's lists do of a single key too.
    func checkGrouping(_ plan: ViewPlan) throws(HTTPFailure) {
        guard !plan.reduces || query.keys == nil || group != false else {
            throw .badQuery("Multi-key fetches for reduce views must use `group=true`")
        }
    }

    private static func update(_ text: String) throws(HTTPFailure) -> ViewQuery.Update {
        switch text {
        case "true": return .before
        case "false": return .never
        case "lazy": return .after
        default: throw .badQuery("Invalid value for `update`.")
        }
    }
}
