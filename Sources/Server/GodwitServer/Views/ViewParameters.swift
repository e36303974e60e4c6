//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitViews

/// The parameters of a request to a view, from its query string and its body.
struct ViewParameters {
    var query = ViewQuery()
    var conflicts = false
    var attachments = false
    var updateSequence = false
    private var namesConflicts = false
    private var group: Bool?
    private var groupLevel: Int?
    /// Whether the request contains several queries, and these are the parameters of one of them.
    private var areOfSeveral = false

    /// Parses the parameters of a request. As in CouchDB, parameters in the query string take precedence over
    /// parameters in the body.
    init(_ target: RequestTarget, body: JSONValue? = nil) throws(HTTPFailure) {
        if let body { try read(body, as: "Request body must be a JSON object") }
        guard query.keys == nil || target.value("keys") == nil else {
            throw .badQuery("`keys` is in the query and in the body; send it once.")
        }
        try read(target)
    }

    /// Parses the parameters of one of several queries. The query's own parameters take precedence over the parameters
    /// in the query string, which apply to all queries.
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

    /// The received value of a parameter.
    private enum ReceivedValue {
        case text(String)
        case value(JSONValue)

        /// The value as JSON. A value in a query string is parsed.
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

        /// The value as CouchDB shows it in errors: a text in quotes.
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
            // As in CouchDB, a string in a body is refused if the parameter is a number. (For a boolean parameter, the
            // strings `true` and `false` are accepted.)
            if case .value(.string) = self { throw .badQuery("Invalid value for integer: \(shown)") }
            guard let number = Int(plain) else { throw .badQuery("Invalid value for integer: \(shown)") }
            guard number >= 0 else { throw .badQuery("Invalid value for positive integer: \(shown)") }
            return number
        }
    }

    private mutating func apply(_ name: String, _ received: ReceivedValue) throws(HTTPFailure) {
        switch name {
        case "key": query.key = try received.json(name)
        case "keys":
            guard let keys = try received.json(name).arrayValue else {
                throw received.isText || areOfSeveral
                    ? .badQuery("`keys` must be an array of strings.") : .badRequest("`keys` member must be an array.")
            }
            query.keys = keys
        case "startkey", "start_key": query.startKey = try received.json(name)
        case "endkey", "end_key": query.endKey = try received.json(name)
        case "startkey_docid", "start_key_doc_id": query.startKeyDocumentID = received.plain
        case "endkey_docid", "end_key_doc_id": query.endKeyDocumentID = received.plain
        case "inclusive_end": query.inclusiveEnd = try received.flag()
        case "limit": query.limit = try received.count()
        case "skip": query.skip = try received.count()
        case "reduce": query.reduce = try received.flag()
        case "group":
            group = try received.flag()
            try regroup()
        case "group_level":
            groupLevel = try received.count()
            try regroup()
        case "include_docs": query.includesDocuments = try received.flag()
        case "conflicts":
            conflicts = try received.flag()
            namesConflicts = true
        case "attachments": attachments = try received.flag()
        case "update_seq": updateSequence = try received.flag()
        default: try applyUpdateMode(name, received)
        }
    }

    private mutating func applyUpdateMode(_ name: String, _ received: ReceivedValue) throws(HTTPFailure) {
        switch name {
        case "descending": query.descending = try received.flag()
        case "update": query.update = try ViewParameters.update(received.plain)
        case "stale":
            switch received.plain {
            case "ok": query.update = .never
            case "update_after": query.update = .after
            default: throw .badQuery("Invalid value for `stale`.")
            }
        // `stable` and `sorted` have no effect. In CouchDB, `stable` chooses the replicas that respond, but this server
        // has only one copy of each database. `sorted` requests sorted rows, and the rows of this server are always
        // sorted.
        case "stable":
            guard ["true", "false"].contains(received.plain) else { throw .badQuery("Invalid value for `stable`.") }
        case "sorted": _ = try received.flag()
        default: break
        }
    }

    /// `group_level` takes precedence over `group`.
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

    /// Checks that the parameters do not contain `conflicts` if the query reduces.
    func check(_ plan: ViewPlan) throws(HTTPFailure) {
        if plan.reduces, namesConflicts { throw .badQuery("`conflicts` is invalid for reduce views.") }
    }

    /// Checks that the parameters do not contain `group=false` if the query reduces and has `keys`. As in CouchDB, list
    /// functions refuse `group=false` even if `keys` contains only one key.
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
