//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension MangoClause {
    /// Returns the clause that is true if this clause is false and its fields exist. The negation of a test for
    /// existence is a test for absence. Throws an error if the clause contains a text search.
    func negated() throws(QueryPredicateError) -> MangoClause {
        switch node {
        case .always: return .never
        case .never: return .always
        case .field(let steps, let condition): return .field(steps, Self.negated(condition))
        case .elements(.any, let arrayPositions, let inner): return try .elements(.none, of: arrayPositions, inner)
        case .elements(.none, let arrayPositions, let inner): return try .elements(.any, of: arrayPositions, inner)
        case .elements(.all, let arrayPositions, let inner):
            return try .elements(.any, of: arrayPositions, inner.negated())
        case .all(let clauses): return MangoClause(.any(try Self.negated(clauses)), depth: depth)
        case .any(let clauses): return MangoClause(.all(try Self.negated(clauses)), depth: depth)
        case .text: throw QueryPredicateError(.unsupported, "a search for text cannot be negated")
        }
    }

    private static func negated(_ clauses: [MangoClause]) throws(QueryPredicateError) -> [MangoClause] {
        var negated: [MangoClause] = []
        for clause in clauses { negated.append(try clause.negated()) }
        return negated
    }

    private static let opposites = [
        "$eq": "$ne", "$ne": "$eq", "$lt": "$gte", "$gte": "$lt", "$gt": "$lte", "$lte": "$gt", "$in": "$nin",
        "$nin": "$in",
    ]

    private static func negated(_ condition: JSONObject) -> JSONObject {
        guard condition.count == 1, let (name, argument) = condition.first else { return ["$not": .object(condition)] }
        if let opposite = opposites[name] { return [opposite: argument] }
        if name == "$exists", let exists = argument.boolValue { return ["$exists": .bool(!exists)] }
        if name == "$not", let inner = argument.objectValue { return inner }
        return ["$not": .object(condition)]
    }
}
