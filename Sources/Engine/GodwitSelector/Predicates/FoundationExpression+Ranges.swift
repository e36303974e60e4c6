//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation

extension PredicateExpressions.RangeExpressionContains: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        guard case .range(let range) = try scope.lowered(range) else {
            throw QueryPredicateError(
                .unsupported, "RangeExpressionContains of #Predicate needs a range of given values")
        }
        return .clause(try range.clause(scope.lowered(element).field))
    }
}

extension PredicateExpressions.Range: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .range([(.greaterOrEqual, try scope.lowered(lower).value), (.less, try scope.lowered(upper).value)])
    }
}

extension PredicateExpressions.ClosedRange: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .range([(.greaterOrEqual, try scope.lowered(lower).value), (.lessOrEqual, try scope.lowered(upper).value)])
    }
}

extension [(GodwitSelector.Comparison, StoredValue)] {
    /// Returns the condition that a field is in the range.
    func clause(_ field: Field) throws(QueryPredicateError) -> MangoClause {
        var clause = MangoClause.always
        for (comparison, bound) in self { clause = try .and(clause, bound.clause(field.steps, comparison)) }
        return clause
    }
}

/// A range with given bounds.
protocol BoundedRange {
    /// Returns the comparisons that all elements of the range satisfy.
    func comparisons() throws(QueryPredicateError) -> [(Comparison, StoredValue)]
}

extension Range: BoundedRange {
    func comparisons() throws(QueryPredicateError) -> [(Comparison, StoredValue)] {
        [(.greaterOrEqual, try StoredValue(bound: lowerBound)), (.less, try StoredValue(bound: upperBound))]
    }
}

extension ClosedRange: BoundedRange {
    func comparisons() throws(QueryPredicateError) -> [(Comparison, StoredValue)] {
        [(.greaterOrEqual, try StoredValue(bound: lowerBound)), (.lessOrEqual, try StoredValue(bound: upperBound))]
    }
}

extension PartialRangeFrom: BoundedRange {
    func comparisons() throws(QueryPredicateError) -> [(Comparison, StoredValue)] {
        [(.greaterOrEqual, try StoredValue(bound: lowerBound))]
    }
}

extension PartialRangeUpTo: BoundedRange {
    func comparisons() throws(QueryPredicateError) -> [(Comparison, StoredValue)] {
        [(.less, try StoredValue(bound: upperBound))]
    }
}

extension PartialRangeThrough: BoundedRange {
    func comparisons() throws(QueryPredicateError) -> [(Comparison, StoredValue)] {
        [(.lessOrEqual, try StoredValue(bound: upperBound))]
    }
}

extension StoredValue {
    fileprivate init(bound: Any) throws(QueryPredicateError) {
        guard let encodable = bound as? any Encodable else {
            throw QueryPredicateError(.invalidValue, "a \(type(of: bound)) cannot be stored in a document")
        }
        try self.init(encodable)
    }
}
