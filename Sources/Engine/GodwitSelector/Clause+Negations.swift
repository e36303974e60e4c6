//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The third step of normalization (`norm_negations`), which moves `$not` and `$nor` as far inward as possible, so that
/// an index can be used for the clauses that are not negated.
extension Clause {
    /// Removes negations by De Morgan's laws and by replacing operators with their opposites.
    ///
    /// As in CouchDB, nothing changes below `$elemMatch`, `$allMatch` and `$keyMapMatch`, and below fields that are not
    /// negated.
    ///
    /// - Throws: ``SelectorError`` with `bad_arg` when a `$text` is negated.
    func withoutNegations() throws(SelectorError) -> Clause {
        switch self {
        case .not(let clause): return try clause.negated()
        case .nor(let clauses): return .and(try Self.negated(clauses))
        case .and(let clauses): return .and(try Self.withoutNegations(clauses))
        case .or(let clauses): return .or(try Self.withoutNegations(clauses))
        case .field, .elemMatch, .allMatch, .keyMapMatch, .condition, .text: return self
        }
    }

    private func negated() throws(SelectorError) -> Clause {
        switch self {
        case .not(let clause): return try clause.withoutNegations()
        case .nor(let clauses): return .or(try Self.withoutNegations(clauses))
        case .and(let clauses): return .or(try Self.negated(clauses))
        case .or(let clauses): return .and(try Self.negated(clauses))
        case .field(let path, let clause): return .field(path, try clause.negated())
        case .condition(let condition): return condition.negation.map(Clause.condition) ?? .not(self)
        case .elemMatch, .allMatch, .keyMapMatch: return .not(self)
        case .text: throw .badArgument("$not", json)
        }
    }

    private static func negated(_ clauses: [Clause]) throws(SelectorError) -> [Clause] {
        var negated: [Clause] = []
        for clause in clauses { negated.append(try clause.negated()) }
        return negated
    }

    private static func withoutNegations(_ clauses: [Clause]) throws(SelectorError) -> [Clause] {
        var results: [Clause] = []
        for clause in clauses { results.append(try clause.withoutNegations()) }
        return results
    }
}
