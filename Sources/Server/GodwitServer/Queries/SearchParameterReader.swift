//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitText

/// Parses the parameters of a search as values of their types. The value of a missing parameter is `nil`, `false` or an
/// empty list.
struct SearchParameterReader {
    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    /// The value of a parameter; `nil` when it is missing or null.
    subscript(_ name: String) -> JSONValue? { members[name].flatMap { $0 == .null ? nil : $0 } }

    func text(_ name: String) throws(HTTPFailure) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.stringValue else { throw invalid(name, value) }
        return text
    }

    func texts(_ name: String) throws(HTTPFailure) -> [String]? {
        guard let value = self[name] else { return nil }
        guard let items = value.arrayValue, case let texts = items.compactMap(\.stringValue), texts.count == items.count
        else { throw .badRequest("\(value.jsonText()) is not a valid \(name) query") }
        return texts
    }

    func flag(_ name: String) throws(HTTPFailure) -> Bool {
        switch self[name] {
        case nil, .bool(false), "false": return false
        case .bool(true), "true": return true
        case let other?: throw invalid(name, other)
        }
    }

    /// Parses an integer. The value may be a number, or a string that contains the number.
    private func number(_ name: String) throws(HTTPFailure) -> Int? {
        guard let value = self[name] else { return nil }
        switch value {
        case .integer: return value.intValue
        case .string(let text):
            guard let number = Int(text) else { throw invalid(name, value) }
            return number
        default: throw invalid(name, value)
        }
    }

    func limit() throws(HTTPFailure) -> Int? {
        guard let limit = try number("limit") else { return nil }
        guard limit >= 0 else { throw .badQuery("limit must be greater than or equal to zero") }
        guard limit <= TextLimits.searchHitsMax else {
            throw .badQuery("Value for limit is too large, must not exceed \(TextLimits.searchHitsMax)")
        }
        return limit
    }

    private func positiveNumber(_ name: String) throws(HTTPFailure) -> Int? {
        guard let value = try number(name) else { return nil }
        guard value > 0 else { throw .badQuery("\(name) must be greater than zero") }
        return value
    }

    /// Parses the grouping of the results; `nil` if the request asks for no grouping.
    func grouping() throws -> SearchGrouping? {
        guard let field = try text("group_field") ?? text("group_by") else { return nil }
        var grouping = try SearchGrouping(by: field)
        if let limit = try positiveNumber("group_limit") {
            guard limit <= TextLimits.searchGroupsMax else {
                throw HTTPFailure.badQuery(
                    "Value for group_limit is too large, must not exceed \(TextLimits.searchGroupsMax)")
            }
            grouping.limit = limit
        }
        grouping.order = try sort("group_sort")
        return grouping
    }

    func sort(_ name: String) throws -> [SearchOrder] {
        guard let value = self[name] else { return [] }
        let items = value.arrayValue ?? [value]
        return try items.map { item in
            guard let text = item.stringValue else {
                throw HTTPFailure.badRequest("Unrecognized sort parameter: \(item.jsonText())")
            }
            return try SearchOrder(parsing: text)
        }
    }

    /// Parses the parameter `drilldown`. It is a list that contains the name of a field and its values. It may also be
    /// a list of several such lists.
    func drilldown() throws(HTTPFailure) -> [SearchDrilldown] {
        guard let value = self["drilldown"] else { return [] }
        return try Self.lists(value).map { list throws(HTTPFailure) in
            let texts = list.compactMap(\.stringValue)
            guard texts.count == list.count, texts.count > 1 else {
                throw .badRequest("\(value.jsonText()) is not a valid drilldown query")
            }
            return SearchDrilldown(field: texts[0], values: Array(texts.dropFirst()))
        }
    }

    private static func lists(_ value: JSONValue) -> [[JSONValue]] {
        guard let items = value.arrayValue, items.first?.arrayValue != nil else { return [value.arrayValue ?? []] }
        return items.flatMap(lists)
    }

    func facets() throws -> TextFacets? {
        guard self["counts"] != nil || self["ranges"] != nil else { return nil }
        var facets = TextFacets()
        facets.counts = try texts("counts") ?? []
        if let value = self["ranges"] {
            let invalid = HTTPFailure.badRequest("\(value.jsonText()) is not a valid ranges query")
            guard let fields = value.objectValue else { throw invalid }
            for (field, ranges) in fields {
                guard let ranges = ranges.objectValue else { throw invalid }
                facets.ranges[ExactText(field)] = try ranges.reduce(into: [:]) { parsed, range in
                    guard let text = range.value.stringValue else { throw invalid }
                    parsed[ExactText(range.key)] = try TextRange(parsing: text)
                }
            }
        }
        return facets
    }

    func highlight() throws(HTTPFailure) -> TextHighlighter.Style? {
        guard let fields = try texts("highlight_fields") else { return nil }
        var style = TextHighlighter.Style(fields: fields)
        style.before = try text("highlight_pre_tag") ?? style.before
        style.after = try text("highlight_post_tag") ?? style.after
        let fragments = try positiveNumber("highlight_number") ?? style.fragmentsMax
        style.fragmentsMax = min(fragments, ServerLimits.highlightedFragmentsMax)
        style.length = min(try positiveNumber("highlight_size") ?? style.length, ServerLimits.highlightedLengthMax)
        return style
    }

    private func invalid(_ name: String, _ value: JSONValue) -> HTTPFailure {
        .badQuery("Invalid value for \(name): \(value.jsonText())")
    }
}
