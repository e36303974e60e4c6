//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

extension Clause {
    /// Whether a value matches the clause (`mango_selector:match`).
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - rules: The comparison rules. Values of the field `_id` are always compared by ``JSONComparisonRules/raw``.
    ///   - meter: Counts the work. After it has stopped the work, the result is meaningless.
    func matches<Node: JSONNode>(_ node: Node, by rules: JSONComparisonRules, _ meter: WorkMeter?) -> Bool {
        if let meter, !meter.spend() { return false }
        return switch self {
        case .and(let clauses): clauses.allSatisfy { $0.matches(node, by: rules, meter) }
        case .or(let clauses): clauses.isEmpty || clauses.contains { $0.matches(node, by: rules, meter) }
        case .nor(let clauses): !clauses.contains { $0.matches(node, by: rules, meter) }
        case .not(let clause): !clause.matches(node, by: rules, meter)
        case .field(let path, let clause): clause.matches(path, of: node, by: rules, meter)
        case .elemMatch(let clause):
            node.kind == .array && node.elements.contains { clause.matches($0, by: rules, meter) }
        case .allMatch(let clause):
            node.elementCount > 0 && node.elements.allSatisfy { clause.matches($0, by: rules, meter) }
        case .keyMapMatch(let clause):
            node.kind == .object && node.members.contains { clause.matches($0.key, by: rules, meter) }
        case .condition(let condition): condition.matches(node, by: rules, meter)
        case .text: false
        }
    }

    /// Whether the value of a field matches the clause. A missing field matches `{"$exists": false}` only.
    private func matches<Node: JSONNode>(
        _ path: FieldPath, of node: Node, by rules: JSONComparisonRules, _ meter: WorkMeter?
    ) -> Bool {
        switch path.target(in: node, meter) {
        case .found(let value): return matches(value, by: path.text == "_id" ? .raw : rules, meter)
        case .missing:
            guard case .condition(let condition) = self else { return false }
            return condition.isAbsence
        case .unreachable: return false
        }
    }
}
