//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// An operator of a predicate format. It creates a condition from a field and a value.
struct FormatOperation {
    enum Kind: Equatable {
        case comparison(Comparison)
        case between, `in`, beginsWith, endsWith, contains, like, matches
        /// The test whether a given list contains the field's value: `{1, 2} CONTAINS year`.
        case isHeld
    }

    let kind: Kind
    let ignoresCase: Bool
    /// The position in the format, in bytes.
    let offset: Int

    /// Returns the operator for the exchanged operands, for example `>` for `<`. Throws an error if the operator needs
    /// the field on the left side.
    func flipped() throws(QueryPredicateError) -> FormatOperation {
        let flipped: Kind =
            switch kind {
            case .comparison(let comparison): .comparison(comparison.flipped)
            case .in: .contains
            case .contains: .isHeld
            default: throw QueryPredicateError(.syntax, "expected a field on the left side", at: offset)
            }
        return FormatOperation(kind: flipped, ignoresCase: ignoresCase, offset: offset)
    }

    /// Returns the condition that this operator creates from a field and a value.
    func clause(_ steps: [String], _ value: JSONValue) throws(QueryPredicateError) -> MangoClause {
        switch kind {
        case .comparison(let comparison): return try clause(steps, comparison, value)
        case .between: return try between(steps, value)
        case .in, .isHeld: return try isIn(steps, value)
        case .contains: return try contains(steps, value)
        case .beginsWith:
            let text = try text(value)
            return ignoresCase
                ? regex(steps, RegularText.ignoringCase(before: #"\A"#, RegularText.escaped(text), after: ""))
                : .field(steps, ["$beginsWith": .string(text)])
        case .endsWith:
            let text = RegularText.escaped(try text(value))
            return regex(
                steps,
                ignoresCase ? RegularText.ignoringCase(before: "", text, after: #"\z"#) : text + #"\z"#)
        case .like: return regex(steps, RegularText.wildcard(try text(value), ignoresCase: ignoresCase))
        case .matches: return try matches(steps, value)
        }
    }

    private func clause(
        _ steps: [String], _ comparison: Comparison, _ value: JSONValue
    ) throws(QueryPredicateError) -> MangoClause {
        guard ignoresCase else { return try .comparison(steps, comparison, value) }
        guard !comparison.isOrder else {
            throw QueryPredicateError(.unsupported, "Mango has no order that ignores case")
        }
        let pattern = RegularText.escaped(try text(value))
        let equalClause = regex(steps, RegularText.ignoringCase(before: #"\A"#, pattern, after: #"\z"#))
        return comparison == .equal ? equalClause : try equalClause.negated()
    }

    private func between(_ steps: [String], _ value: JSONValue) throws(QueryPredicateError) -> MangoClause {
        guard let bounds = value.arrayValue, bounds.count == 2 else {
            throw QueryPredicateError(.syntax, "BETWEEN expects two values, such as {1, 5}")
        }
        return try .and(.comparison(steps, .greaterOrEqual, bounds[0]), .comparison(steps, .lessOrEqual, bounds[1]))
    }

    private func isIn(_ steps: [String], _ value: JSONValue) throws(QueryPredicateError) -> MangoClause {
        guard let values = value.arrayValue else {
            throw QueryPredicateError(.syntax, "expected a list of values, such as {1, 5}, for IN")
        }
        guard ignoresCase else { return try .isIn(steps, values) }
        var clause = MangoClause.never
        for value in values { clause = try .or(clause, self.clause(steps, .equal, value)) }
        return clause
    }

    /// Returns the condition that an array contains an element or, if the field is a string, that the string contains
    /// another string.
    private func contains(_ steps: [String], _ value: JSONValue) throws(QueryPredicateError) -> MangoClause {
        let element = try MangoClause.anyElement(of: steps, clause([], .equal, value))
        guard let text = value.stringValue else { return element }
        let pattern = RegularText.escaped(text)
        let substringPattern = ignoresCase ? RegularText.ignoringCase(before: "", pattern, after: "") : pattern
        return try .or(element, regex(steps, substringPattern))
    }

    /// Returns the condition that a regular expression matches a complete string.
    private func matches(_ steps: [String], _ value: JSONValue) throws(QueryPredicateError) -> MangoClause {
        let pattern = try text(value)
        // The pattern is compiled before parentheses are added to it, because the parentheses can hide an error: the
        // invalid pattern `a)|(b`, for example, becomes valid.
        _ = try regex(["x"], pattern).selector()
        let completePattern = #"\A(?:"# + pattern + #")\z"#
        return regex(
            steps, ignoresCase ? RegularText.ignoringCase(before: "", completePattern, after: "") : completePattern)
    }

    private func regex(_ steps: [String], _ pattern: String) -> MangoClause {
        .field(steps, ["$regex": .string(pattern)])
    }

    private func text(_ value: JSONValue) throws(QueryPredicateError) -> String {
        guard let text = value.stringValue else { throw QueryPredicateError(.syntax, "the operator expects a string") }
        return text
    }
}
