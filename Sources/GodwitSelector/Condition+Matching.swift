//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Condition {
    /// Whether a value that is there meets the condition.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - rules: How it is compared.
    func matches<Node: JSONNode>(_ node: Node, by rules: JSONComparisonRules) -> Bool {
        switch `operator` {
        case .equal: order(node, rules) == .same
        case .notEqual: order(node, rules) != .same
        case .less: order(node, rules) == .before
        case .lessOrEqual: order(node, rules) != .after
        case .greater: order(node, rules) == .after
        case .greaterOrEqual: order(node, rules) != .before
        case .in: isAmongArguments(node, rules)
        case .notIn: !isAmongArguments(node, rules)
        case .exists: argument.boolValue == true
        case .type: argument.stringValue == Self.typeName(node.kind)
        case .mod: hasRemainder(node)
        case .regex: node.kind == .string && node.withText { expression?.matches($0) == true }
        case .beginsWith: node.kind == .string && beginsWithArgument(node)
        case .all: node.kind == .array && holdsAllArguments(node)
        case .size: node.kind == .array && argument.intValue == node.elementCount
        case .geoWithin, .geoIntersects, .near: place?.matches(node) == true
        }
    }

    private func order<Node: JSONNode>(_ node: Node, _ rules: JSONComparisonRules) -> JSONOrder {
        JSONComparison.compare(node, argument, by: rules)
    }

    /// Whether the value is one of the arguments; of an array, whether any element is.
    private func isAmongArguments<Node: JSONNode>(_ node: Node, _ rules: JSONComparisonRules) -> Bool {
        func isAmongArguments(_ node: Node) -> Bool {
            argument.elements.contains { JSONComparison.compare(node, $0, by: rules) == .same }
        }
        return node.kind == .array ? node.elements.contains(where: isAmongArguments) : isAmongArguments(node)
    }

    /// Whether each argument is an element, exactly; or whether the only argument is an array, and the value this one.
    private func holdsAllArguments<Node: JSONNode>(_ node: Node) -> Bool {
        let arguments = argument.elements
        if arguments.isEmpty { return false }
        let holdsAll = arguments.allSatisfy { argument in
            node.elements.contains { JSONComparison.compare($0, argument, by: .exact) == .same }
        }
        if holdsAll { return true }
        guard arguments.count == 1, arguments[0].kind == .array else { return false }
        return JSONComparison.compare(node, arguments[0], by: .raw) == .same
    }

    private func hasRemainder(_ node: some JSONNode) -> Bool {
        guard node.kind == .integer, let (divisor, remainder) = Self.divisorAndRemainder(of: argument) else {
            return false
        }
        return node.number.remainder(dividingBy: divisor) == remainder
    }

    private func beginsWithArgument(_ node: some JSONNode) -> Bool {
        argument.withText { prefix in node.withText { $0.starts(with: prefix) } }
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
