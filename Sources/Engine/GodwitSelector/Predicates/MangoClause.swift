//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A condition that is created from any kind of predicate and is converted to a selector.
///
/// Only conditions on fields and elements are negated, never combinations of conditions. If a field is unreachable,
/// both a condition on it and the negation of the condition by `$not` are false. Several fields may be the array of a
/// condition on elements, and only one of them may be reachable. Therefore, such a condition is negated by a different
/// quantifier, and not by `$not`.
struct MangoClause: Sendable {
    indirect enum Node: Sendable {
        case always
        case never
        /// A condition on the value at the end of a path, such as `{"$gt": 5}`. An empty path refers to the value
        /// itself.
        case field([String], JSONObject)
        /// A condition on the elements of an array. Each position divides the path into two parts: the path of a
        /// possible array, and the path from an element of the array to the value.
        case elements(Quantifier, [ArrayPosition], MangoClause)
        case all([MangoClause])
        case any([MangoClause])
        /// A search in a text index.
        case text(String)
    }

    /// The number of elements for which a condition must be true.
    enum Quantifier {
        case any, none, all
    }

    /// The path of a possible array, and the rest of the path from its elements.
    struct ArrayPosition: Sendable {
        let array: [String]
        let rest: [String]
    }

    let node: Node
    /// The nesting depth of combinations and of conditions on elements.
    let depth: Int

    init(_ node: Node, depth: Int) {
        self.node = node
        self.depth = depth
    }

    static let always = MangoClause(.always, depth: 0)
    static let never = MangoClause(.never, depth: 0)

    static func field(_ steps: [String], _ condition: JSONObject) -> MangoClause {
        MangoClause(.field(steps, condition), depth: 0)
    }

    static func text(_ query: String) -> MangoClause { MangoClause(.text(query), depth: 0) }

    static func elements(
        _ quantifier: Quantifier, of arrayPositions: [ArrayPosition], _ inner: MangoClause
    ) throws(QueryPredicateError) -> MangoClause {
        guard !inner.usesText else {
            throw QueryPredicateError(.unsupported, "a text search applies to documents, not to elements")
        }
        return try MangoClause(.elements(quantifier, arrayPositions, inner), depth: inner.depth + 1).checked()
    }

    /// Returns the clause that is true if both clauses are true.
    static func and(_ left: MangoClause, _ right: MangoClause) throws(QueryPredicateError) -> MangoClause {
        try and([left, right])
    }

    /// Returns the clause that is true if at least one clause is true.
    static func or(_ left: MangoClause, _ right: MangoClause) throws(QueryPredicateError) -> MangoClause {
        try or([left, right])
    }

    /// Returns the clause that is true if all clauses are true.
    static func and(_ clauses: [MangoClause]) throws(QueryPredicateError) -> MangoClause {
        var parts: [MangoClause] = []
        for clause in clauses {
            switch clause.node {
            case .never: return .never
            case .always: break
            case .all(let inner): parts += inner
            default: parts.append(clause)
            }
        }
        return parts.isEmpty ? .always : try combined(parts, as: Node.all)
    }

    /// Returns the clause that is true if at least one clause is true.
    static func or(_ clauses: [MangoClause]) throws(QueryPredicateError) -> MangoClause {
        var parts: [MangoClause] = []
        for clause in clauses {
            switch clause.node {
            case .always: return .always
            case .never: break
            case .any(let inner): parts += inner
            default: parts.append(clause)
            }
        }
        return parts.isEmpty ? .never : try combined(parts, as: Node.any)
    }

    private static func combined(
        _ clauses: [MangoClause], as node: ([MangoClause]) -> Node
    ) throws(QueryPredicateError) -> MangoClause {
        if clauses.count == 1 { return clauses[0] }
        guard clauses.count <= SelectorLimits.clauseCountMax else {
            throw QueryPredicateError(.tooLarge, "there are more than \(SelectorLimits.clauseCountMax) conditions")
        }
        return try MangoClause(node(clauses), depth: (clauses.map(\.depth).max() ?? 0) + 1).checked()
    }

    private var usesText: Bool {
        switch node {
        case .text: true
        case .all(let clauses), .any(let clauses): clauses.contains(where: \.usesText)
        case .always, .never, .field, .elements: false
        }
    }

    private func checked() throws(QueryPredicateError) -> MangoClause {
        guard depth <= PredicateLimits.depthMax else { throw .tooDeep }
        return self
    }

    /// Returns the clause with `prefix` before the path of each field.
    func prefixed(by prefix: [String]) -> MangoClause {
        let prefixedNode: Node =
            switch node {
            case .always, .never, .text: node
            case .field(let steps, let condition): .field(prefix + steps, condition)
            case .elements(let quantifier, let arrayPositions, let inner):
                .elements(
                    quantifier, arrayPositions.map { ArrayPosition(array: prefix + $0.array, rest: $0.rest) }, inner)
            case .all(let clauses): .all(clauses.map { $0.prefixed(by: prefix) })
            case .any(let clauses): .any(clauses.map { $0.prefixed(by: prefix) })
            }
        return MangoClause(prefixedNode, depth: depth)
    }
}

extension QueryPredicateError {
    static let tooDeep = QueryPredicateError(
        .tooLarge, "conditions are nested more than \(PredicateLimits.depthMax) levels deep")
}
