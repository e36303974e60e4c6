//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore
import GodwitViews

// The expected results of views, computed from all documents in the simplest way: rows are created in Swift, sorted as
// a list, and reduced in a loop. Only the order of values is shared with the indexes.

/// A document as passed to map functions.
struct PlainDocument: Hashable {
    let id: String
    let body: JSONObject
    /// The number of live leaves that are not the winner.
    let conflicts: Int
}

extension Datastore {
    /// Returns all documents that views contain.
    func plainDocuments() throws -> [PlainDocument] {
        try allDocuments().filter { !$0.id!.hasPrefix("_design/") }.map(plainDocument)
    }

    /// Returns the input of views for one document.
    func plainDocument(_ document: Document) throws -> PlainDocument {
        let row = try read { try $0.row(id: document.id!) }
        return PlainDocument(id: document.id!, body: document.body, conflicts: row?.conflicts.count ?? 0)
    }
}

extension JSONValue {
    /// The value with only those numbers that JavaScript writes unchanged.
    var asJavaScriptHasIt: JSONValue {
        switch self {
        case .double(let double) where double.rounded() == double: .integer(double.magnitude < 1e9 ? Int64(double) : 7)
        case .double(let double): .double(double.magnitude < 1e-6 ? 0.5 : double)
        case .bigInteger: 8
        case .integer(let integer): .integer(integer.magnitude < 1 << 53 ? integer : 9)
        case .array(let values): .array(values.map(\.asJavaScriptHasIt))
        case .object(let members): .object(JSONObject(members.map { ($0.key, $0.value.asJavaScriptHasIt) }))
        default: self
        }
    }
}

/// The views of the random tests, in JavaScript and in Swift.
struct PlainView: Sendable {
    struct Row {
        let id: String
        let key: JSONValue
        let value: JSONValue
    }

    let name: String
    /// The map function; `%` is replaced with a number that changes with the design document.
    let map: String
    let reduce: String?
    let rows: @Sendable (_ document: PlainDocument, _ addend: Int64) -> [(JSONValue, JSONValue)]
    let reduced: @Sendable ([Row]) -> JSONValue

    static let all: [PlainView] = [
        PlainView(
            name: "pairs", map: "function(d) { if (d.n !== undefined) emit([d.a, d.b], d.n + %) }", reduce: "_sum",
            rows: { document, addend in
                guard let n = document.body["n"]?.intValue else { return [] }
                let key: JSONValue = .array([document.body["a"] ?? .null, document.body["b"] ?? .null])
                return [(key, .integer(Int64(n) + addend))]
            }, reduced: { .integer($0.reduce(0) { $0 + Int64($1.value.intValue ?? 0) }) }),
        PlainView(
            name: "tags", map: "function(d) { (d.tags || []).forEach(function(t) { emit(t, %) }) }", reduce: "_count",
            rows: { document, addend in (document.body["tags"]?.arrayValue ?? []).map { ($0, .integer(addend)) } },
            reduced: { .integer(Int64($0.count)) }),
        PlainView(
            name: "mixed", map: "function(d) { if ('m' in d) emit(d.m, d._conflicts ? d._conflicts.length : %) }",
            reduce: nil,
            rows: { document, addend in
                guard let m = document.body["m"] else { return [] }
                return [(m, .integer(document.conflicts > 0 ? Int64(document.conflicts) : addend))]
            }, reduced: { _ in .null }),
        PlainView(
            name: "script",
            map: "function(d) { if (d.n !== undefined) emit(d.b === undefined ? null : d.b, [d.n, %]) }",
            reduce: """
                function(keys, values, again) { var s = 0, c = 0; values.forEach(function(v) { \
                if (again) { s += v.s; c += v.c } else { s += v[0]; c++ } }); return {s: s, c: c} }
                """,
            rows: { document, addend in
                guard let n = document.body["n"]?.intValue else { return [] }
                return [(document.body["b"] ?? .null, [.integer(Int64(n)), .integer(addend)])]
            },
            reduced: { rows in
                let sum = rows.reduce(0) { $0 + Int64($1.value.arrayValue?[0].intValue ?? 0) }
                return ["s": .integer(sum), "c": .integer(Int64(rows.count))]
            }),
    ]

    /// Returns all rows in their order.
    func all(of documents: [PlainDocument], addend: Int64) -> [Row] {
        var all: [(row: Row, ordinal: Int)] = []
        for document in documents {
            for (ordinal, (key, value)) in rows(document, addend).enumerated() {
                all.append((Row(id: document.id, key: key, value: value), ordinal))
            }
        }
        all.sort { left, right in
            switch JSONCollation.compare(left.row.key, right.row.key) {
            case .before: return true
            case .after: return false
            case .same:
                if left.row.id != right.row.id {
                    return left.row.id.utf8.lexicographicallyPrecedes(right.row.id.utf8)
                }
                return left.ordinal < right.ordinal
            }
        }
        return all.map(\.row)
    }

    /// Returns the result of a query on all sorted rows, as lines.
    func lines(_ query: ViewQuery, of rows: [Row]) -> [String] {
        // The rows of each key separately or, without keys, the rows of the range.
        var chosen =
            query.keys.map { keys in
                keys.map { key in rows.filter { JSONCollation.compare($0.key, key) == .same } }
            } ?? [rows.filter { isIn($0, query) }]
        let reduces = reduce != nil && query.reduce != false
        // Groups of given keys have the order of the keys.
        if query.descending { chosen = (reduces ? chosen : chosen.reversed()).map { $0.reversed() } }
        guard reduces else {
            return Self.page(chosen.joined().map { "\($0.id) \($0.key) \($0.value)" }, query)
        }
        var groups: [(key: JSONValue, rows: [Row])] = []
        for part in chosen {
            for (position, row) in part.enumerated() {
                let key = Self.groupKey(row.key, query.grouping)
                if position > 0, let last = groups.last, JSONCollation.compare(last.key, key) == .same {
                    groups[groups.count - 1].rows.append(row)
                } else {
                    groups.append((key, [row]))
                }
            }
        }
        return Self.page(groups.map { "\($0.key) \(reduced($0.rows))" }, query)
    }

    private static func page(_ lines: [String], _ query: ViewQuery) -> [String] {
        Array(lines.dropFirst(query.skip).prefix(query.limit))
    }

    private static func groupKey(_ key: JSONValue, _ grouping: ViewQuery.Grouping) -> JSONValue {
        switch grouping {
        case .none: .null
        case .exact: key
        case .level(let count): key.arrayValue.map { .array(Array($0.prefix(count))) } ?? key
        }
    }

    private func isIn(_ row: Row, _ query: ViewQuery) -> Bool {
        if let key = query.key { return JSONCollation.compare(row.key, key) == .same }
        let (low, high) = query.descending ? (query.endKey, query.startKey) : (query.startKey, query.endKey)
        if let low {
            let order = JSONCollation.compare(row.key, low)
            if order == .before || (order == .same && query.descending && !query.inclusiveEnd) { return false }
        }
        if let high {
            let order = JSONCollation.compare(row.key, high)
            if order == .after || (order == .same && !query.descending && !query.inclusiveEnd) { return false }
        }
        return true
    }
}
