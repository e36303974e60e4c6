//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

extension Condition {
    /// Whether an existing value matches the condition.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - rules: The comparison rules.
    ///   - meter: Counts the work. After it has stopped the work, the result is meaningless.
    func matches<Node: JSONNode>(_ node: Node, by rules: JSONComparisonRules, _ meter: WorkMeter?) -> Bool {
        switch `operator` {
        case .equal: order(node, rules, meter) == .same
        case .notEqual: order(node, rules, meter) != .same
        case .less: order(node, rules, meter) == .before
        case .lessOrEqual: order(node, rules, meter) != .after
        case .greater: order(node, rules, meter) == .after
        case .greaterOrEqual: order(node, rules, meter) != .before
        case .in: isAmongArguments(node, rules, meter)
        case .notIn: !isAmongArguments(node, rules, meter)
        case .exists: argument.boolValue == true
        case .type: ExactText.areEqual(argument.stringValue, Self.typeName(node.kind))
        case .mod: hasRemainder(node)
        case .regex: node.kind == .string && node.withText { expression?.matches($0, meter) == true }
        case .beginsWith: node.kind == .string && beginsWithArgument(node, meter)
        case .all: node.kind == .array && holdsAllArguments(node, meter)
        case .size: node.kind == .array && argument.intValue == node.elementCount
        case .geoWithin, .geoIntersects, .near: geoCondition.map { node.meets($0, meter) } == true
        }
    }

    private func order<Node: JSONNode>(_ node: Node, _ rules: JSONComparisonRules, _ meter: WorkMeter?) -> JSONOrder {
        JSONComparison.compare(node, argument, by: rules, meter)
    }

    /// Whether the meter has stopped the work, so that a loop must end.
    private func isOver(_ meter: WorkMeter?) -> Bool { meter?.end != nil }

    /// Whether the value equals one of the arguments. If the value is an array, one of its elements must equal one of
    /// the arguments.
    private func isAmongArguments<Node: JSONNode>(
        _ node: Node, _ rules: JSONComparisonRules, _ meter: WorkMeter?
    ) -> Bool {
        func isAmongArguments(_ node: Node) -> Bool {
            if let texts, node.kind == .string {
                meter?.spend(node.textSteps)
                return node.withText { texts.contains($0, by: rules) }
            }
            return argument.elements.contains {
                isOver(meter) || JSONComparison.compare(node, $0, by: rules, meter) == .same
            }
        }
        return node.kind == .array ? node.elements.contains(where: isAmongArguments) : isAmongArguments(node)
    }

    /// Whether each argument exactly equals an element of the value. If there is only one argument and this argument is
    /// an array, the argument may also equal the value itself.
    private func holdsAllArguments<Node: JSONNode>(_ node: Node, _ meter: WorkMeter?) -> Bool {
        let arguments = argument.elements
        if arguments.isEmpty { return false }
        let holdsAll = arguments.allSatisfy { argument in
            node.elements.contains { isOver(meter) || JSONComparison.compare($0, argument, by: .exact, meter) == .same }
        }
        if holdsAll { return true }
        guard arguments.count == 1, arguments[0].kind == .array else { return false }
        return JSONComparison.compare(node, arguments[0], by: .raw, meter) == .same
    }

    private func hasRemainder(_ node: some JSONNode) -> Bool {
        guard node.kind == .integer, let (divisor, remainder) = Self.divisorAndRemainder(of: argument) else {
            return false
        }
        return node.number.remainder(dividingBy: divisor) == remainder
    }

    private func beginsWithArgument(_ node: some JSONNode, _ meter: WorkMeter?) -> Bool {
        meter?.spend(node.textSteps)
        return argument.withText { prefix in node.withText { $0.starts(with: prefix) } }
    }

    static func typeName(_ kind: JSONKind) -> String {
        switch kind {
        case .null: "null"
        case .true, .false: "boolean"
        case .integer, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
