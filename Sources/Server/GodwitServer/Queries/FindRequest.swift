//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSelector

/// The body of `_find` and `_explain`. The body is validated in CouchDB's order, with CouchDB's reasons
/// (`mango_opts.erl`).
struct FindRequest {
    let query: FindQuery
    let showsStatistics: Bool
    /// Whether the normalized selector is a combination of no selectors, such as `{"$or": []}` and `{"a": {"$or": []}}`.
    /// As in CouchDB, such a selector matches no document.
    let selectsNothing: Bool
    /// The options that `_explain` returns.
    let options: JSONObject

    private static let knownMembers: Set<String> = [
        "selector", "use_index", "bookmark", "limit", "skip", "sort", "fields", "partition", "r", "conflicts", "stale",
        "update", "stable", "execution_stats", "allow_fallback",
    ]

    /// Parses the body.
    ///
    /// - Parameter partition: The partition in the path; `nil` if the path contains no partition.
    /// - Throws: `QueryError`, `SelectorError` or ``HTTPFailure`` for an invalid body.
    init(_ body: JSONValue, partition: String?) throws {
        guard let members = body.objectValue else {
            throw HTTPFailure.badRequest("Request body must be a JSON object")
        }
        guard let selector = members["selector"] else {
            throw QueryError("missing_required_key", "Missing required key: selector")
        }
        // The selector is parsed first, so that its error is reported if the body contains several errors.
        let parsed = try Selector(parsing: selector)
        var query = FindQuery(selector: selector.objectValue ?? [:])
        selectsNothing = ["$or", "$and", "$nor"].contains { parsed.normalized == [$0: []] }
        query.index = try Self.index(members["use_index"])
        query.bookmark = try Self.bookmark(members["bookmark"])
        query.limit = try Self.count(members["limit"]) ?? query.limit
        query.skip = try Self.count(members["skip"]) ?? 0
        query.sort = try members["sort"].map { (value) throws(QueryError) in try QueryField.list(value) } ?? []
        query.fields = try Self.fields(members["fields"])
        query.partition = try partition ?? Self.partition(members["partition"])
        let readCount = try Self.positiveCount(members["r"])
        query.showsConflicts = try Self.flag(members["conflicts"]) ?? false
        let update = try Self.flag(members["update"]) ?? true
        // `stale` is the older name of `update`. With the value `ok` or `update_after`, the query does not wait until
        // the indexes are updated.
        query.awaitsIndexes = update && !["ok", "update_after"].contains(members["stale"]?.stringValue)
        let stable = try Self.flag(members["stable"]) ?? false
        showsStatistics = try Self.flag(members["execution_stats"]) ?? false
        query.allowsFallback = try Self.flag(members["allow_fallback"]) ?? true
        if let other = members.keys.first(where: { !Self.knownMembers.contains($0) }) {
            throw QueryError("invalid_key", "Invalid key \(other) for this request.")
        }
        self.query = query
        options = [
            "use_index": .array(query.index.map { .string($0) }), "bookmark": .string(query.bookmark ?? "nil"),
            "limit": .integer(Int64(query.limit)), "skip": .integer(Int64(query.skip)),
            "sort": .object(JSONObject(query.sort.map { ($0.name, $0.isDescending ? "desc" : "asc") })),
            "fields": .array((query.fields ?? []).map { .string($0) }), "partition": .string(query.partition ?? ""),
            "r": .integer(Int64(readCount ?? 1)), "conflicts": .bool(query.showsConflicts),
            "stale": members["stale"] ?? false,
            "update": .bool(update), "stable": .bool(stable), "execution_stats": .bool(showsStatistics),
            "allow_fallback": .bool(query.allowsFallback),
        ]
    }

    private static func index(_ value: JSONValue?) throws(QueryError) -> [String] {
        switch value {
        case nil, .null: return []
        case .string(let name):
            var parts = name.pieces(at: "/", omittingEmptySubsequences: false).map(String.init)
            if parts.first == "_design" { parts.removeFirst() }
            if (1...2).contains(parts.count) { return parts }
        case .array(let names):
            let parts = names.compactMap(\.stringValue)
            if parts.count == names.count, parts.count <= 2 { return parts }
        default: break
        }
        throw QueryError("invalid_index_name", "Invalid index name: \(term(value))")
    }

    private static func bookmark(_ value: JSONValue?) throws(QueryError) -> String? {
        switch value {
        case nil, .null: return nil
        case .string(let text): return text.isEmpty || text == "nil" ? nil : text
        case let other?: throw QueryError("invalid_bookmark", "Invalid bookmark value: \(other.jsonText())")
        }
    }

    private static func count(_ value: JSONValue?) throws(QueryError) -> Int? {
        guard let value else { return nil }
        if case .bigInteger(let digits) = value, !digits.begins(with: "-") { return .max }
        guard let count = value.intValue, value != .double(Double(count)), count >= 0 else {
            throw QueryError(
                "invalid_non_neg_integer", "\(term(value)) is not an integer greater than or equal to zero")
        }
        return count
    }

    private static func positiveCount(_ value: JSONValue?) throws(QueryError) -> Int? {
        guard let value else { return nil }
        guard let count = value.intValue, count > 0 else {
            throw QueryError("invalid_pos_integer", "\(term(value)) is not an integer greater than zero")
        }
        return count
    }

    private static func flag(_ value: JSONValue?) throws(QueryError) -> Bool? {
        guard let value else { return nil }
        guard let flag = value.boolValue else {
            throw QueryError("invalid_boolean", "Invalid boolean value: \(term(value))")
        }
        return flag
    }

    /// Parses `fields`, the names of the members in the results. Returns `nil` if the results contain complete
    /// documents.
    static func fields(_ value: JSONValue?) throws(QueryError) -> [String]? {
        guard let value else { return nil }
        guard case .array(let items) = value else {
            throw QueryError("invalid_fields", "Fields must be an array of strings, not: \(term(value))")
        }
        for item in items where item.stringValue == nil {
            throw QueryError("invalid_field", "Invalid JSON for field spec: \(term(item))")
        }
        return items.isEmpty ? nil : items.compactMap(\.stringValue)
    }

    private static func partition(_ value: JSONValue?) throws(QueryError) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue else {
            throw QueryError("invalid_string", "Invalid string: \(term(value))")
        }
        return text.isEmpty ? nil : text
    }

    private static func term(_ value: JSONValue?) -> String { ErlangTerm.text(of: value ?? .null) }
}
