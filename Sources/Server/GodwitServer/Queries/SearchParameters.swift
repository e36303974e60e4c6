//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitText

/// The parameters of `_search` in a query string or a body, validated as by CouchDB (`dreyfus_httpd.erl`). Unknown
/// parameters are ignored, as in CouchDB.
struct SearchParameters {
    let request: SearchRequest
    let includesDocuments: Bool
    /// Whether the response uses Cloudant's older names for the members of a group. This is the case if the request
    /// groups its results with `group_by` and not with `group_field`.
    let groupsAsOfOld: Bool
    /// The names of the fields for which each row contains highlights.
    let highlightedFields: [String]

    /// The parameters whose values in a query string are plain text. The values of other known parameters are JSON.
    private static let plainNames: Set<String> = [
        "q", "query", "bookmark", "include_docs", "stale", "group_by", "group_field",
    ]

    /// Parses a query string.
    ///
    /// - Parameters:
    ///   - design: The id of the design document.
    ///   - partition: The partition in the path; `nil` if the path contains no partition.
    /// - Throws: ``HTTPFailure`` or another error with status 400 for invalid parameters.
    init(_ target: RequestTarget, design: String, index: String, partition: String?) throws {
        var members = JSONObject()
        var drilldown: [JSONValue] = []
        for (name, value) in target.query {
            if Self.plainNames.contains(name) {
                members[name] = .string(value)
            } else if Self.knownNames.contains(name), let value = try? JSONValue(parsing: value) {
                if name == "drilldown" { drilldown.append(value) }
                members[name] = value
            } else if Self.knownNames.contains(name) {
                throw HTTPFailure.badRequest("Invalid JSON in the parameter \(name)")
            }
        }
        if drilldown.count > 1 { members["drilldown"] = .array(drilldown) }
        try self.init(members, design: design, index: index, partition: partition)
    }

    // Exact: the names are ASCII.
    private static let knownNames: Set<String> = plainNames.union([
        "limit", "sort", "include_fields", "counts", "ranges", "drilldown", "highlight_fields", "highlight_pre_tag",
        "highlight_post_tag", "highlight_number", "highlight_size", "group_sort", "group_limit",
    ])

    init(_ members: JSONObject, design: String, index: String, partition: String?) throws {
        let reader = SearchParameterReader(members)
        guard let text = try reader.text("q") ?? reader.text("query") else {
            throw HTTPFailure.badQuery("Query must include a 'q' or 'query' argument")
        }
        if let stale = reader["stale"], stale != "ok" { throw HTTPFailure.badQuery("stale only available as stale=ok") }
        var request = SearchRequest(text, design: design, index: index)
        request.acceptsStale = reader["stale"] != nil
        request.grouping = try reader.grouping()
        request.limit = try reader.limit() ?? request.limit
        request.bookmark = try reader.text("bookmark").flatMap { $0.isEmpty ? nil : $0 }
        request.sort = try reader.sort("sort")
        request.drilldown = try reader.drilldown()
        request.facets = try reader.facets()
        request.partition = partition
        request.fields = try reader.texts("include_fields")
        request.highlight = try reader.highlight()
        self.request = request
        highlightedFields = request.highlight?.fields ?? []
        groupsAsOfOld = reader["group_field"] == nil
        includesDocuments = try reader.flag("include_docs")
    }
}
