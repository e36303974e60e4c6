//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A part of a selector: CouchDB's objects with one member, after `mango_selector:norm_ops`.
indirect enum Clause: Sendable {
    /// All are true; also when there are none.
    case and([Clause])
    /// One is true, or there are none.
    case or([Clause])
    /// None is true.
    case nor([Clause])
    /// The clause is false.
    case not(Clause)
    /// A clause about the value of a field.
    case field(FieldPath, Clause)
    /// True of any element of an array.
    case elemMatch(Clause)
    /// True of each element of an array that has any.
    case allMatch(Clause)
    /// True of the name of any member of an object.
    case keyMapMatch(Clause)
    /// A test of the value itself.
    case condition(Condition)
    /// A search in a text index; CouchDB keeps it as the operator of a field `$default`.
    case text(JSONValue)
}

extension Clause {
    /// The clause as CouchDB writes it.
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

    /// The clauses that must all be true for this one to be.
    var conjuncts: [Clause] {
        guard case .and(let clauses) = self else { return [self] }
        return clauses.flatMap(\.conjuncts)
    }

    /// The clauses inside this one.
    var children: [Clause] {
        switch self {
        case .and(let clauses), .or(let clauses), .nor(let clauses): clauses
        case .not(let clause), .field(_, let clause): [clause]
        case .elemMatch(let clause), .allMatch(let clause), .keyMapMatch(let clause): [clause]
        case .condition, .text: []
        }
    }

    /// Whether something is true of this clause or of one inside of it, however deep.
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

    /// Hands on this clause and all inside of it, however deep.
    func forEach(_ body: (Clause) -> Void) {
        _ = contains { clause in
            body(clause)
            return false
        }
    }

    /// Whether there is a `$text` in it.
    var usesText: Bool { contains { if case .text = $0 { true } else { false } } }

    /// What it asks of geometries.
    var geoConditions: [any GeoCondition] {
        var found: [any GeoCondition] = []
        forEach { if case .condition(let condition) = $0, let position = condition.position { found.append(position) } }
        return found
    }

    /// The fields of the document that it is about; what stands below `$elemMatch` and its like is about elements and
    /// keys.
    var fields: Set<String> {
        if case .field(let path, _) = self { return path.text.isEmpty ? [] : [path.text] }
        return children.reduce(into: []) { $0.formUnion($1.fields) }
    }
}
