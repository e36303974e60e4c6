//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension MangoClause {
    /// A comparison with a value; with `null` whether there is one.
    static func comparison(
        _ steps: [String], _ comparison: Comparison, _ value: JSONValue
    ) throws(QueryPredicateError) -> MangoClause {
        switch (comparison, value) {
        case (.equal, .null): return try isNil(steps)
        case (.notEqual, .null): return .field(steps, ["$ne": nil])
        case (_, .null): throw QueryPredicateError(.invalidValue, "nothing is before or after nil")
        default: return .field(steps, [comparison.rawValue: value])
        }
    }

    /// Whether a value is missing or `null`.
    static func isNil(_ steps: [String]) throws(QueryPredicateError) -> MangoClause {
        let isNull = field(steps, ["$eq": nil])
        return steps.isEmpty ? isNull : try or(field(steps, ["$exists": false]), isNull)
    }

    /// Whether a value is one of several.
    ///
    /// `$in` looks into arrays, and never at one as a whole.
    static func isIn(_ steps: [String], _ values: [JSONValue]) throws(QueryPredicateError) -> MangoClause {
        let whole = values.filter { $0.isNull || $0.arrayValue != nil }
        let scalars = values.filter { !$0.isNull && $0.arrayValue == nil }
        if whole.isEmpty { return .field(steps, ["$in": .array(scalars)]) }
        var clause = scalars.isEmpty ? MangoClause.never : .field(steps, ["$in": .array(scalars)])
        for value in whole { clause = try or(clause, comparison(steps, .equal, value)) }
        return clause
    }

    /// Whether an array has an element that meets a condition.
    static func anyElement(of steps: [String], _ inner: MangoClause) throws(QueryPredicateError) -> MangoClause {
        try elements(.any, of: [ArrayPosition(array: steps, rest: [])], inner)
    }

    /// Whether all elements of an array meet a condition.
    static func allElements(of steps: [String], _ inner: MangoClause) throws(QueryPredicateError) -> MangoClause {
        try elements(.all, of: [ArrayPosition(array: steps, rest: [])], inner)
    }

    /// Whether a string holds another.
    static func holds(_ steps: [String], _ text: String) -> MangoClause {
        .field(steps, ["$regex": .string(RegularText.escaped(text))])
    }
}
