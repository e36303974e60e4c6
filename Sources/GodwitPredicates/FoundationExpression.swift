//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An expression of Foundation's predicates that has a like in Mango.
///
/// Conformances are without conditions: what stands inside is asked at run time, so that an error can name it.
protocol FoundationExpression {
    /// What the expression is about or says.
    func lowered(in scope: FoundationScope) throws(QueryPredicateError) -> FoundationTerm
}

/// The variables of a predicate and the fields that they stand for.
struct FoundationScope {
    private var fields: [PredicateExpressions.VariableID: Field] = [:]

    /// A scope with one variable; those around it cannot be reached, as from the elements of an array in Mango.
    init(_ variable: PredicateExpressions.VariableID, as field: Field) {
        fields[variable] = field
    }

    /// The scope with one more variable.
    func adding(_ variable: PredicateExpressions.VariableID, as field: Field) -> FoundationScope {
        var scope = self
        scope.fields[variable] = field
        return scope
    }

    /// The field that a variable stands for.
    func field(of variable: PredicateExpressions.VariableID) throws(QueryPredicateError) -> Field {
        guard let field = fields[variable] else {
            throw QueryPredicateError(.unsupported, "a condition on elements cannot look at what is around their array")
        }
        return field
    }

    /// What an expression is about or says.
    func lowered(_ expression: Any) throws(QueryPredicateError) -> FoundationTerm {
        guard let known = expression as? any FoundationExpression else {
            throw QueryPredicateError(
                .unsupported, "\(FoundationTerm.name(of: expression)) of #Predicate has no like in Mango")
        }
        return try known.lowered(in: self)
    }

    /// The condition that an expression says.
    func clause(_ expression: Any) throws(QueryPredicateError) -> MangoClause {
        try lowered(expression).clause
    }
}
