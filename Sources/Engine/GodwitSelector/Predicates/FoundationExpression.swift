//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation

/// An expression of Foundation's predicates that has an equivalent in Mango.
///
/// Generic expressions conform to this protocol for all types of their inner expressions. Whether an inner expression
/// is supported is checked at run time, so that an error can name the unsupported expression.
protocol FoundationExpression {
    /// Returns the field, value, range or condition that the expression represents.
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm
}

/// The variables of a predicate and the fields that they represent.
struct FoundationScope {
    private var fields: [PredicateExpressions.VariableID: Field] = [:]

    /// Creates a scope with one variable. A condition on the elements of an array has such a scope, because it cannot
    /// access outer variables in Mango.
    init(_ variable: PredicateExpressions.VariableID, as field: Field) {
        fields[variable] = field
    }

    /// Returns the scope with one more variable.
    func adding(_ variable: PredicateExpressions.VariableID, as field: Field) -> FoundationScope {
        var scope = self
        scope.fields[variable] = field
        return scope
    }

    /// Returns the field that a variable represents. Throws an error for a variable of an outer scope.
    func field(of variable: PredicateExpressions.VariableID) throws(QueryPredicateError) -> Field {
        guard let field = fields[variable] else {
            throw QueryPredicateError(.unsupported, "a condition on elements cannot use fields outside of their array")
        }
        return field
    }

    /// Returns the field, value, range or condition that an expression represents. Throws an error if Mango has no
    /// equivalent.
    func lowered(_ expression: Any) throws(QueryPredicateError) -> FoundationTerm {
        guard let supported = expression as? any FoundationExpression else {
            throw QueryPredicateError(
                .unsupported, "\(FoundationTerm.name(of: expression)) of #Predicate cannot be translated to Mango")
        }
        return try supported.lowered(in: self)
    }

    /// Returns the condition that an expression represents.
    func clause(_ expression: Any) throws(QueryPredicateError) -> MangoClause {
        try lowered(expression).clause
    }
}
