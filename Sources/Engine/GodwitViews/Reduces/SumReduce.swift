//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// `_sum`: adds numbers, arrays element by element, and objects member by member.
struct SumReduce: BuiltInReduce {
    private var integerSum: Int64 = 0
    /// The sum, if it is not a 64-bit integer. In this case, it includes ``integerSum``.
    private var generalSum: JSONValue?
    /// The error for a value that could not be added. As in CouchDB, this error is the result of the function.
    private var failure: JSONValue?

    private static let reason = """
        The _sum function requires that map values be numbers, arrays of numbers, or objects. Objects cannot be mixed with \
        other data structures. Objects can be arbitrarily nested, provided that the values for all fields are themselves \
        numbers, arrays of numbers, or objects.
        """

    mutating func add(rows range: EntryRange, from tree: SpanTree) throws -> Int {
        try tree.values(range) { add(text: $0) }
    }

    mutating func add(reduction: [UInt8]) {
        if let value = try? JSONValue(parsing: reduction), value.isReduceError {
            failure = failure ?? value
        } else {
            add(text: reduction)
        }
    }

    private mutating func add(text: [UInt8]) {
        guard failure == nil else { return }
        if generalSum == nil, let number = Int64(decimal: text) {
            let (sum, overflow) = integerSum.addingReportingOverflow(number)
            if !overflow { return integerSum = sum }
        }
        guard let value = try? JSONValue(parsing: text) else { return }
        if let sum = value.added(to: generalSum ?? .integer(integerSum)) {
            generalSum = sum
        } else {
            failure = .object([
                "error": "builtin_reduce_error", "reason": .string(Self.reason), "caused_by": value,
            ])
        }
    }

    var reduction: [UInt8] { (failure ?? generalSum ?? .integer(integerSum)).jsonBytes() }
    var result: [UInt8] { reduction }
}

extension JSONValue {
    fileprivate var isReduceError: Bool { objectValue?["error"]?.stringValue == "builtin_reduce_error" }

    /// Returns the sum of two values; `nil` when they cannot be added.
    fileprivate func added(to sum: JSONValue) -> JSONValue? {
        switch (self, sum) {
        case (.object(let members), .integer(0)): .object(members)
        case (.object(let members), .object(let sums)): Self.added(members, sums)
        case (.object, _), (_, .object): nil
        case (.array(let values), .array(let sums)): Self.added(values, sums)
        case (.array(let values), _): Self.added(values, [sum])
        case (_, .array(let sums)): Self.added([self], sums)
        default: addedNumber(sum)
        }
    }

    private func addedNumber(_ sum: JSONValue) -> JSONValue? {
        if case .integer(let left) = self, case .integer(let right) = sum {
            let (sum, overflow) = left.addingReportingOverflow(right)
            if !overflow { return .integer(sum) }
        }
        guard let left = doubleValue, let right = sum.doubleValue else { return nil }
        return .double(left.plusFinite(right))
    }

    private static func added(_ values: [JSONValue], _ sums: [JSONValue]) -> JSONValue? {
        var result: [JSONValue] = []
        for index in 0..<max(values.count, sums.count) {
            guard index < values.count, index < sums.count else {
                result.append(index < values.count ? values[index] : sums[index])
                continue
            }
            guard let sum = values[index].addedNumber(sums[index]) else { return nil }
            result.append(sum)
        }
        return .array(result)
    }

    private static func added(_ members: JSONObject, _ sums: JSONObject) -> JSONValue? {
        var result = sums
        for (name, value) in members {
            if let sum = sums[name] {
                guard let added = value.added(to: sum) else { return nil }
                result[name] = added
            } else {
                result[name] = value
            }
        }
        return .object(result)
    }
}

extension Double {
    /// The number, or the nearest one that JSON has: it has no infinity.
    var madeFinite: Double {
        isNaN ? 0 : Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// The sum of two numbers, or the nearest number that JSON has.
    func plusFinite(_ other: Double) -> Double { (madeFinite + other.madeFinite).madeFinite }
}

extension Int64 {
    /// Parses decimal digits after an optional minus sign. Returns `nil` for other notations, and for more than 18
    /// digits, because a longer number could overflow.
    init?(decimal text: [UInt8]) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard digit &- UInt8(ascii: "0") <= 9 else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        self = isNegative ? -value : value
    }
}
