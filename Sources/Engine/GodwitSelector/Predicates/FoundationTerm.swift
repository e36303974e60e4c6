//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The result of lowering an expression of Foundation's predicates.
enum FoundationTerm {
    case clause(MangoClause)
    case field(Field)
    case value(StoredValue)
    /// A range, represented by the comparisons that all its elements satisfy.
    case range([(Comparison, StoredValue)])

    /// Returns the name of an expression's type without its generic arguments.
    static func name(of expression: Any) -> String {
        let name = String(describing: type(of: expression))
        return String(name.prefix { $0 != "<" })
    }

    /// The condition. A Boolean value and a field with a Boolean value are also conditions. Throws an error for any
    /// other term.
    var clause: MangoClause {
        get throws(QueryPredicateError) {
            switch self {
            case .clause(let clause): return clause
            case .value(let value):
                if let bool = value.json.boolValue { return bool ? .always : .never }
            case .field(let field): return .field(field.steps, ["$eq": true])
            case .range: break
            }
            throw QueryPredicateError(.unsupported, "#Predicate has a value where Mango needs a condition")
        }
    }

    /// The field. Throws an error if the term is not a field.
    var field: Field {
        get throws(QueryPredicateError) {
            guard case .field(let field) = self else {
                throw QueryPredicateError(
                    .unsupported, "#Predicate has another expression where Mango needs a field")
            }
            return field
        }
    }

    /// The given value. Throws an error if the term is not a value.
    var value: StoredValue {
        get throws(QueryPredicateError) {
            guard case .value(let value) = self else {
                throw QueryPredicateError(.unsupported, "Mango compares fields with given values, not with each other")
            }
            return value
        }
    }

    /// Returns the comparison of two terms. One of them must be a field or a condition.
    static func comparison(
        _ left: FoundationTerm, _ comparison: Comparison, _ right: FoundationTerm
    ) throws(QueryPredicateError) -> MangoClause {
        switch (left, right) {
        case (.value, .field): try Self.comparison(right, comparison.flipped, left)
        case (.field(let field), _): try right.value.clause(field.steps, comparison)
        case (.clause(let clause), .value(let value)): try equality(clause, comparison, as: value)
        case (.value(let value), .clause(let clause)): try equality(clause, comparison, as: value)
        default: throw QueryPredicateError(.unsupported, "one side of a comparison in #Predicate must be a field")
        }
    }

    private static func equality(
        _ clause: MangoClause, _ comparison: Comparison, as value: StoredValue
    ) throws(QueryPredicateError) -> MangoClause {
        guard let bool = value.json.boolValue, !comparison.isOrder else {
            throw QueryPredicateError(.unsupported, "a condition can only be compared with true and false")
        }
        return bool == (comparison == .equal) ? clause : try clause.negated()
    }
}
