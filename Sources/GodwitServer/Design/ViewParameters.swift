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

    init(_ target: RequestTarget) throws {
        for (name, text) in target.query { try apply(name, .text(text)) }
    }

    /// Reads the body of a POST, or one of several queries.
    mutating func read(_ members: JSONObject) throws {
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

        func flag(_ name: String) throws(HTTPFailure) -> Bool {
            switch plain {
            case "true": return true
            case "false": return false
            case let other: throw .badQuery("Invalid boolean parameter: \(other)")
            }
        }

        func count(_ name: String) throws(HTTPFailure) -> Int {
            guard let number = Int(plain) else { throw .badQuery("Invalid value for integer: \(plain)") }
            guard number >= 0 else { throw .badQuery("Invalid value for positive integer: \(plain)") }
            return number
        }
    }

    private mutating func apply(_ name: String, _ given: Given) throws(HTTPFailure) {
        switch name {
        case "key": query.key = try given.json(name)
        case "keys":
            guard let keys = try given.json(name).arrayValue else {
                throw .badRequest("`keys` member must be an array.")
            }
            query.keys = keys
        case "startkey", "start_key": query.startKey = try given.json(name)
        case "endkey", "end_key": query.endKey = try given.json(name)
        case "startkey_docid", "start_key_doc_id": query.startKeyDocumentID = given.plain
        case "endkey_docid", "end_key_doc_id": query.endKeyDocumentID = given.plain
        case "inclusive_end": query.inclusiveEnd = try given.flag(name)
        case "limit": query.limit = try given.count(name)
        case "skip": query.skip = try given.count(name)
        case "reduce": query.reduce = try given.flag(name)
        case "group": if try given.flag(name) { query.grouping = .exact }
        case "group_level":
            let level = try given.count(name)
            query.grouping = level == 0 ? .none : .level(level)
        case "include_docs": query.includesDocuments = try given.flag(name)
        case "conflicts": conflicts = try given.flag(name)
        case "attachments": attachments = try given.flag(name)
        case "update_seq": updateSequence = try given.flag(name)
        default: try applyWay(name, given)
        }
    }

    private mutating func applyWay(_ name: String, _ given: Given) throws(HTTPFailure) {
        switch name {
        case "descending": query.descending = try given.flag(name)
        case "update": query.update = try ViewParameters.update(given.plain)
        case "stale":
            switch given.plain {
            case "ok": query.update = .never
            case "update_after": query.update = .after
            default: throw .badQuery("Invalid value for `stale`.")
            }
        // One node has no other copies to choose among, and rows come sorted.
        case "stable", "sorted": _ = try given.flag(name)
        default: break
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
