//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A node of a parsed selector. It corresponds to an object with one member, as in the output of CouchDB's
/// `mango_selector:norm_ops`.
indirect enum Clause: Sendable {
    /// True if all clauses are true, or if the list is empty.
    case and([Clause])
    /// True if any clause is true, or if the list is empty.
    case or([Clause])
    /// True if no clause is true.
    case nor([Clause])
    /// True if the clause is false.
    case not(Clause)
    /// Applies a clause to the value of a field.
    case field(FieldPath, Clause)
    /// True if an array has an element that matches the clause.
    case elemMatch(Clause)
    /// True if an array is not empty and all its elements match the clause.
    case allMatch(Clause)
    /// True if an object has a member whose name matches the clause.
    case keyMapMatch(Clause)
    /// A test of the value itself.
    case condition(Condition)
    /// A search in a text index. CouchDB represents such a search as an operator of a field `$default`.
    case text(JSONValue)
}

extension Clause {
    /// The clause in CouchDB's notation.
    var json: JSONValue {
        switch self {
        case .and(let clauses): ["$and": .array(clauses.map(\.json))]
        case .or(let clauses): ["$or": .array(clauses.map(\.json))]
        case .nor(let clauses): ["$nor": .array(clauses.map(\.json))]
        case .not(let clause): ["$not": clause.json]
        case .field(let path, let clause): .object([path.text: clause.json])
        case .elemMatch(let clause): ["$elemMatch": clause.json]
        case .allMatch(let clause): ["$allMatch": clause.json]
        case .keyMapMatch(let clause): ["$keyMapMatch": clause.json]
        case .condition(let condition): condition.json
        case .text(let argument): ["$default": ["$text": argument]]
        }
    }

    /// The clauses that must all be true for this clause to be true. Nested `$and` clauses are flattened.
    var conjuncts: [Clause] {
        guard case .and(let clauses) = self else { return [self] }
        return clauses.flatMap(\.conjuncts)
    }

    /// The direct subclauses.
    var children: [Clause] {
        switch self {
        case .and(let clauses), .or(let clauses), .nor(let clauses): clauses
        case .not(let clause), .field(_, let clause): [clause]
        case .elemMatch(let clause), .allMatch(let clause), .keyMapMatch(let clause): [clause]
        case .condition, .text: []
        }
    }

    /// Whether this clause or any clause inside it, at any depth, satisfies the predicate.
    func contains(where predicate: (Clause) -> Bool) -> Bool {
        if predicate(self) { return true }
        return switch self {
        case .and(let clauses), .or(let clauses), .nor(let clauses):
            clauses.contains { $0.contains(where: predicate) }
        case .not(let clause), .field(_, let clause): clause.contains(where: predicate)
        case .elemMatch(let clause), .allMatch(let clause), .keyMapMatch(let clause):
            clause.contains(where: predicate)
        case .condition, .text: false
        }
    }

    /// Calls the closure with this clause and with each clause inside it, at any depth.
    func forEach(_ body: (Clause) -> Void) {
        _ = contains { clause in
            body(clause)
            return false
        }
    }

    /// Whether the clause contains a `$text`.
    var usesText: Bool { contains { if case .text = $0 { true } else { false } } }

    /// The geospatial conditions in the clause.
    var geoConditions: [any GeoCondition] {
        var conditions: [any GeoCondition] = []
        forEach { if case .condition(let condition) = $0, let geo = condition.geoCondition { conditions.append(geo) } }
        return conditions
    }

    /// The paths of the document's fields that the clause tests. Paths below `$elemMatch`, `$allMatch` and
    /// `$keyMapMatch` are not included, because they are relative to elements and keys.
    var fields: Set<ExactText> {
        if case .field(let path, _) = self { return path.text.isEmpty ? [] : [ExactText(path.text)] }
        return children.reduce(into: []) { $0.formUnion($1.fields) }
    }
}
