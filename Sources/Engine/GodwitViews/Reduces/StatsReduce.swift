//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// `_stats`: sum, count, minimum, maximum and sum of squares of numbers, or of each position in arrays of numbers.
///
/// A sum, a count or a sum of squares that is too large for 64 bits is a floating-point number. The count of statistics
/// that a map function emitted is such a number too. What is beyond the floating-point numbers is the nearest of them,
/// because JSON has no infinity: a later reduction reads what an earlier one wrote.
struct StatsReduce: BuiltInReduce {
    private struct Figures {
        var sum: JSONValue
        var count: JSONValue
        var least: JSONValue
        var greatest: JSONValue
        var squares: JSONValue

        init(_ number: JSONValue) {
            (sum, count, least, greatest) = (number, .integer(1), number, number)
            squares = number.timed(number)
        }

        /// Parses statistics that a map function emitted or that ``value`` returned.
        init(_ object: JSONObject) throws(ViewError) {
            sum = try Self.number("sum", of: object)
            count = try Self.number("count", of: object)
            least = try Self.number("min", of: object)
            greatest = try Self.number("max", of: object)
            squares = try Self.number("sumsqr", of: object)
        }

        private static func number(_ name: String, of object: JSONObject) throws(ViewError) -> JSONValue {
            guard let value = object[name] else {
                throw StatsReduce.invalid(
                    "user _stats input missing required field \(name) (\(JSONValue.object(object)))")
            }
            guard value.isNumber else {
                throw StatsReduce.invalid("non-numeric _stats input received for \(name): \(value)")
            }
            return value
        }

        mutating func add(_ other: Figures) {
            sum = sum.plus(other.sum)
            count = count.plus(other.count)
            least = least.isLess(than: other.least) ? least : other.least
            greatest = greatest.isLess(than: other.greatest) ? other.greatest : greatest
            squares = squares.plus(other.squares)
        }

        var value: JSONValue {
            .object(["sum": sum, "count": count, "min": least, "max": greatest, "sumsqr": squares])
        }
    }

    private var figures: [Figures] = []
    /// Whether the values are arrays.
    private var areLists = false

    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int {
        try tree.values(range) { try add(text: $0) }
    }

    mutating func add(reduction: [UInt8]) throws(ViewError) {
        // `0` is the reduction of no rows.
        if reduction.first == UInt8(ascii: "0") { return }
        try add(text: reduction)
    }

    private mutating func add(text: [UInt8]) throws(ViewError) {
        guard let value = try? JSONValue(parsing: text) else { return }
        let newFigures: [Figures]
        if case .array(let values) = value {
            newFigures = try values.map { value throws(ViewError) in try Self.figures(value) }
        } else {
            newFigures = [try Self.figures(value)]
        }
        let isArray = value.arrayValue != nil
        guard !figures.isEmpty else { return (figures, areLists) = (newFigures, isArray) }
        guard isArray == areLists, newFigures.count == figures.count else { throw Self.invalidValue(value) }
        for index in figures.indices { figures[index].add(newFigures[index]) }
    }

    private static func figures(_ value: JSONValue) throws(ViewError) -> Figures {
        if case .object(let members) = value { return try Figures(members) }
        guard value.isNumber else { throw invalidValue(value) }
        return Figures(value)
    }

    private static func invalidValue(_ value: JSONValue) -> ViewError {
        invalid("The _stats function requires that map values be numbers or arrays of numbers, not '\(value)'")
    }

    fileprivate static func invalid(_ reason: String) -> ViewError {
        ViewError(.invalidValue, error: "invalid_value", reason: reason)
    }

    var reduction: [UInt8] {
        if figures.isEmpty { return Array("0".utf8) }
        return (areLists ? .array(figures.map(\.value)) : figures[0].value).jsonBytes()
    }
    var result: [UInt8] {
        figures.isEmpty ? Array(#"{"sum":0,"count":0,"min":0,"max":0,"sumsqr":0}"#.utf8) : reduction
    }
}

extension JSONValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .bigInteger, .double: true
        default: false
        }
    }

    fileprivate func plus(_ other: JSONValue) -> JSONValue {
        if case .integer(let left) = self, case .integer(let right) = other {
            let (sum, overflow) = left.addingReportingOverflow(right)
            if !overflow { return .integer(sum) }
        }
        return .double((doubleValue ?? 0).plusFinite(other.doubleValue ?? 0))
    }

    fileprivate func timed(_ other: JSONValue) -> JSONValue {
        if case .integer(let left) = self, case .integer(let right) = other {
            let (product, overflow) = left.multipliedReportingOverflow(by: right)
            if !overflow { return .integer(product) }
        }
        return .double(((doubleValue ?? 0).madeFinite * (other.doubleValue ?? 0).madeFinite).madeFinite)
    }

    fileprivate func isLess(than other: JSONValue) -> Bool {
        if case .integer(let left) = self, case .integer(let right) = other { return left < right }
        return (doubleValue ?? 0) < (other.doubleValue ?? 0)
    }
}
