//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The parameters of `_all_docs`.
struct AllDocsQuery {
    var range = IDRange()
    var keys: [String]?
    var descending = false
    var includesDocuments = false
    var conflicts = false
    var attachments = false
    var updateSequence = false
    var limit = Int.max
    var skip = 0

    init(_ target: RequestTarget) throws(HTTPFailure) {
        descending = try target.flag("descending")
        includesDocuments = try target.flag("include_docs")
        conflicts = try target.flag("conflicts")
        attachments = try target.flag("attachments")
        updateSequence = try target.flag("update_seq")
        limit = try target.count("limit") ?? .max
        skip = try target.count("skip") ?? 0
        let inclusive = target.value("inclusive_end") != "false"
        try apply(
            start: target.json("startkey", "start_key"), end: target.json("endkey", "end_key"),
            key: target.json("key"), inclusive: inclusive)
        if let list = try target.json("keys") { try setKeys(list) }
    }

    /// Reads the body of a POST, whose members say more than the query.
    mutating func read(_ body: JSONValue) throws(HTTPFailure) {
        guard let object = body.objectValue else { throw .badRequest("Request body must be a JSON object") }
        descending = try AllDocsQuery.flag(object, "descending") ?? descending
        includesDocuments = try AllDocsQuery.flag(object, "include_docs") ?? includesDocuments
        conflicts = try AllDocsQuery.flag(object, "conflicts") ?? conflicts
        attachments = try AllDocsQuery.flag(object, "attachments") ?? attachments
        updateSequence = try AllDocsQuery.flag(object, "update_seq") ?? updateSequence
        limit = try AllDocsQuery.count(object, "limit") ?? limit
        skip = try AllDocsQuery.count(object, "skip") ?? skip
        try apply(
            start: object["startkey"] ?? object["start_key"], end: object["endkey"] ?? object["end_key"],
            key: object["key"], inclusive: try AllDocsQuery.flag(object, "inclusive_end") ?? true)
        if let list = object["keys"] { try setKeys(list) }
    }

    private static func flag(_ object: JSONObject, _ name: String) throws(HTTPFailure) -> Bool? {
        guard let value = object[name] else { return nil }
        guard let flag = value.boolValue else {
            throw .badQuery("Invalid value for \(name): it must be true or false.")
        }
        return flag
    }

    private static func count(_ object: JSONObject, _ name: String) throws(HTTPFailure) -> Int? {
        guard let value = object[name] else { return nil }
        guard let count = value.intValue, count >= 0 else {
            throw .badQuery("Invalid value for \(name): it must be a whole number from zero.")
        }
        return count
    }

    /// Reads the body of a POST with several queries.
    ///
    /// - Parameter target: Where the parameters are that all of them have.
    static func several(_ body: JSONValue, _ target: RequestTarget) throws(HTTPFailure) -> [AllDocsQuery] {
        guard let list = body.objectValue?["queries"]?.arrayValue else {
            throw .badRequest("`queries` parameter must be an array.")
        }
        guard list.count <= ServerLimits.queriesMax else { throw .tooManyQueries }
        var queries: [AllDocsQuery] = []
        for item in list {
            var query = try AllDocsQuery(target)
            try query.read(item)
            queries.append(query)
        }
        return queries
    }

    private mutating func setKeys(_ list: JSONValue) throws(HTTPFailure) {
        guard let items = list.arrayValue else { throw .badRequest("`keys` member must be an array.") }
        keys = try items.map { item throws(HTTPFailure) in
            guard let key = item.stringValue else { throw .badRequest("`keys` member must hold strings.") }
            return key
        }
    }

    private mutating func apply(
        start: JSONValue?, end: JSONValue?, key: JSONValue?, inclusive: Bool
    ) throws(HTTPFailure) {
        if let key {
            range = IDRange(lower: key.stringValue ?? "", upper: key.stringValue ?? "")
            return
        }
        let first = start.map(Bound.init)
        let last = end.map(Bound.init)
        let (lower, upper) = descending ? (last, first) : (first, last)
        if let lower { range.lower = lower.id(asLower: true) }
        if let upper { range.upper = upper.id(asLower: false) }
        if end != nil, !inclusive {
            if descending { range.lowerIsIncluded = false } else { range.upperIsIncluded = false }
        }
    }

    /// A key of any type as a bound of ids: ids are strings, which all numbers precede and all lists and objects follow.
    private struct Bound {
        let value: JSONValue

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
        "`queries` may have \(ServerLimits.queriesMax) members. Ask for the others in further requests.")
}
