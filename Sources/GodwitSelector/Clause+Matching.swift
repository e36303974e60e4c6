//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Clause {
    /// Whether a value meets the clause (`mango_selector:match`).
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - rules: How it is compared; below the field `_id` always as raw terms.
    func matches<Node: JSONNode>(_ node: Node, by rules: JSONComparisonRules) -> Bool {
        switch self {
        case .and(let clauses): clauses.allSatisfy { $0.matches(node, by: rules) }
        case .or(let clauses): clauses.isEmpty || clauses.contains { $0.matches(node, by: rules) }
        case .nor(let clauses): !clauses.contains { $0.matches(node, by: rules) }
        case .not(let clause): !clause.matches(node, by: rules)
        case .field(let path, let clause): clause.matches(path, of: node, by: rules)
        case .elemMatch(let clause):
            node.kind == .array && node.elements.contains { clause.matches($0, by: rules) }
        case .allMatch(let clause):
            node.elementCount > 0 && node.elements.allSatisfy { clause.matches($0, by: rules) }
        case .keyMapMatch(let clause):
            node.kind == .object && node.members.contains { clause.matches($0.key, by: rules) }
        case .condition(let condition): condition.matches(node, by: rules)
        case .text: false
        }
    }

    /// Whether the value of a field meets the clause. A missing one meets `{"$exists": false}` and nothing else.
    private func matches<Node: JSONNode>(_ path: FieldPath, of node: Node, by rules: JSONComparisonRules) -> Bool {
        switch path.target(in: node) {
        case .found(let value): return matches(value, by: path.text == "_id" ? .raw : rules)
        case .missing:
            guard case .condition(let condition) = self else { return false }
            return condition.isAbsence
        case .unreachable: return false
        }
    }
}
