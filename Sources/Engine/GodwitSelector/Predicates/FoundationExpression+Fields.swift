//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitJSON

extension PredicateExpressions.Variable: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .field(try scope.field(of: key))
    }
}

extension PredicateExpressions.KeyPath: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        let parent = try scope.lowered(root).field
        let member = try Field(keyPath)
        return .field(Field(steps: parent.steps + member.steps, type: member.type))
    }
}

extension PredicateExpressions.ForcedUnwrap: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm { try scope.lowered(inner) }
}

extension PredicateExpressions.OptionalFlatMap: FoundationExpression {
    /// Lowers optional chaining, such as `$0.engine?.power`. The part after the question mark is an expression with a
    /// separate variable. The variable represents the field before the question mark.
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        try scope.adding(variable.key, as: scope.lowered(wrapped).field).lowered(transform)
    }
}

extension PredicateExpressions.NilCoalesce: FoundationExpression {
    /// Lowers `condition ?? false` to the condition. Mango has no equivalent for any other default value.
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        guard case .clause(let clause) = try scope.lowered(lhs), case .value(let value) = try scope.lowered(rhs),
            value.json.boolValue == false
        else {
            throw QueryPredicateError(
                .unsupported, "NilCoalesce of #Predicate can be translated to Mango only with false")
        }
        return .clause(clause)
    }
}

extension PredicateExpressions.Value: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        if let range = value as? any BoundedRange { return .range(try range.comparisons()) }
        guard let encodable = value as? any Encodable else {
            throw QueryPredicateError(.invalidValue, "a \(Output.self) cannot be stored in a document")
        }
        return .value(try StoredValue(encodable))
    }
}

extension PredicateExpressions.NilLiteral: FoundationExpression {
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm {
        .value(try StoredValue(Bool?.none))
    }
}
