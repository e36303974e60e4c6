//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation

extension PredicateExpressions.Conjunction: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .clause(try .and(scope.clause(lhs), scope.clause(rhs)))
    }
}

extension PredicateExpressions.Disjunction: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .clause(try .or(scope.clause(lhs), scope.clause(rhs)))
    }
}

extension PredicateExpressions.Negation: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .clause(try scope.clause(wrapped).negated())
    }
}

extension PredicateExpressions.Equal: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .clause(try FoundationTerm.comparison(scope.lowered(lhs), .equal, scope.lowered(rhs)))
    }
}

extension PredicateExpressions.NotEqual: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .clause(try FoundationTerm.comparison(scope.lowered(lhs), .notEqual, scope.lowered(rhs)))
    }
}

extension PredicateExpressions.Comparison: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        let comparison: GodwitSelector.Comparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default:
                throw QueryPredicateError(
                    .unsupported, "an unknown comparison of #Predicate cannot be translated to Mango")
            }
        return .clause(try FoundationTerm.comparison(scope.lowered(lhs), comparison, scope.lowered(rhs)))
    }
}
