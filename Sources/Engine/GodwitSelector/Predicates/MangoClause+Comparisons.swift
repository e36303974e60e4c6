//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension MangoClause {
    /// Returns a comparison with a value. For `null`, `==` is true if the field is missing or `null`, and `!=` is true
    /// if the field exists and is not `null`.
    static func comparison(
        _ steps: [String], _ comparison: Comparison, _ value: JSONValue
    ) throws(QueryPredicateError) -> MangoClause {
        switch (comparison, value) {
        case (.equal, .null): return try isNil(steps)
        case (.notEqual, .null): return .field(steps, ["$ne": nil])
        case (_, .null): throw QueryPredicateError(.invalidValue, "nil has no order: only == and != compare it")
        default: return .field(steps, [comparison.rawValue: value])
        }
    }

    /// Returns the condition that a value is missing or `null`.
    static func isNil(_ steps: [String]) throws(QueryPredicateError) -> MangoClause {
        let isNull = field(steps, ["$eq": nil])
        return steps.isEmpty ? isNull : try or(field(steps, ["$exists": false]), isNull)
    }

    /// Returns the condition that a value is one of several values.
    ///
    /// If the field is an array, `$in` compares its elements, but never the array itself. Therefore, arrays among the
    /// values are compared by `$eq`.
    static func isIn(_ steps: [String], _ values: [JSONValue]) throws(QueryPredicateError) -> MangoClause {
        let nonScalars = values.filter { $0.isNull || $0.arrayValue != nil }
        let scalars = values.filter { !$0.isNull && $0.arrayValue == nil }
        if nonScalars.isEmpty { return .field(steps, ["$in": .array(scalars)]) }
        var clause = scalars.isEmpty ? MangoClause.never : .field(steps, ["$in": .array(scalars)])
        for value in nonScalars { clause = try or(clause, comparison(steps, .equal, value)) }
        return clause
    }

    /// Returns the condition that an array has an element that matches a clause.
    static func anyElement(of steps: [String], _ inner: MangoClause) throws(QueryPredicateError) -> MangoClause {
        try elements(.any, of: [ArrayPosition(array: steps, rest: [])], inner)
    }

    /// Returns the condition that all elements of an array match a clause.
    static func allElements(of steps: [String], _ inner: MangoClause) throws(QueryPredicateError) -> MangoClause {
        try elements(.all, of: [ArrayPosition(array: steps, rest: [])], inner)
    }

    /// Returns the condition that a string contains another string.
    static func holds(_ steps: [String], _ text: String) -> MangoClause {
        .field(steps, ["$regex": .string(RegularText.escaped(text))])
    }
}
