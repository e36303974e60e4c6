//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitJSON

extension PredicateExpressions.SequenceContains: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        switch try scope.lowered(sequence) {
        case .field(let array): return .clause(try .anyElement(of: array.steps, scope.lowered(element).value.equal))
        case .value(let list): return .clause(try .isIn(scope.lowered(element).field.steps, list.json.arrayValue ?? []))
        case .range(let range): return .clause(try range.clause(scope.lowered(element).field))
        case .clause: throw QueryPredicateError(.unsupported, "SequenceContains of #Predicate needs a field")
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        let array = try scope.lowered(sequence).field
        let inner = FoundationScope(variable.key, as: Field(steps: [], type: LHS.Output.Element.self))
        return .clause(try .anyElement(of: array.steps, inner.clause(test)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        let array = try scope.lowered(sequence).field
        let inner = FoundationScope(variable.key, as: Field(steps: [], type: LHS.Output.Element.self))
        return .clause(try .allElements(of: array.steps, inner.clause(test)))
    }
}

extension PredicateExpressions.SequenceStartsWith: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        let field = try scope.lowered(base).field
        guard let text = try scope.lowered(prefix).value.json.stringValue, Base.Output.self == String.self else {
            throw QueryPredicateError(
                .unsupported, "SequenceStartsWith of #Predicate can be translated to Mango only for strings")
        }
        return .clause(.field(field.steps, ["$beginsWith": .string(text)]))
    }
}

extension PredicateExpressions.CollectionContainsCollection: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        let field = try scope.lowered(base).field
        guard let text = try scope.lowered(other).value.json.stringValue, Base.Output.self == String.self else {
            throw QueryPredicateError(
                .unsupported, "CollectionContainsCollection of #Predicate can be translated to Mango only for strings")
        }
        return .clause(.holds(field.steps, text))
    }
}

extension StoredValue {
    /// The condition that an element equals this value.
    fileprivate var equal: MangoClause { get throws(QueryPredicateError) { try clause([], .equal) } }
}
