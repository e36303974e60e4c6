//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Compares two values with an explicit stack instead of recursion, because documents can be nested up to ten thousand
/// levels.
struct JSONComparison<Left: JSONNode, Right: JSONNode> {
    private let rules: JSONComparisonRules
    private let meter: WorkMeter?
    /// The pairs of containers being compared, the innermost last.
    private var openContainers: [Frame] = []

    private enum Frame {
        case arrays(Left.Elements.Iterator, Right.Elements.Iterator)
        case objects(Left.Members.Iterator, Right.Members.Iterator)
    }

    /// Returns the position of `left` relative to `right`.
    ///
    /// - Parameter meter: Counts the work. After it has stopped the work, the result is meaningless.
    static func compare(
        _ left: Left, _ right: Right, by rules: JSONComparisonRules, _ meter: WorkMeter? = nil
    ) -> JSONOrder {
        var comparison = JSONComparison(rules: rules, meter: meter)
        var order = comparison.compareHeads(left, right)
        while order == .same, meter?.end == nil, let frame = comparison.openContainers.popLast() {
            order = comparison.advance(frame)
        }
        return order
    }

    private init(rules: JSONComparisonRules, meter: WorkMeter?) {
        self.rules = rules
        self.meter = meter
    }

    /// Compares the kinds of two values and, if both are scalars, the values. If both are arrays or both are objects,
    /// pushes their contents on the stack.
    private mutating func compareHeads(_ left: Left, _ right: Right) -> JSONOrder {
        if let meter, !meter.spend(left.textSteps + right.textSteps) { return .before }
        let kind = left.kind
        let kindOrder = JSONOrder(of: rules.rank(kind), relativeTo: rules.rank(right.kind))
        guard kindOrder == .same else { return kindOrder }
        switch kind {
        case .null, .true, .false: return .same
        case .integer, .double: return rules.compareNumbers(left.number, right.number)
        case .string: return left.withText { left in right.withText { rules.compareTexts(left, $0) } }
        case .array: openContainers.append(.arrays(left.elements.makeIterator(), right.elements.makeIterator()))
        case .object: openContainers.append(.objects(left.members.makeIterator(), right.members.makeIterator()))
        }
        return .same
    }

    /// Compares the next elements or members of two containers. The containers remain on the stack until one of them
    /// ends.
    private mutating func advance(_ frame: Frame) -> JSONOrder {
        switch frame {
        case .arrays(var left, var right):
            let pair = (left.next(), right.next())
            guard let element = pair.0, let other = pair.1 else { return Self.orderAtEnd(pair.0, pair.1) }
            openContainers.append(.arrays(left, right))
            return compareHeads(element, other)
        case .objects(var left, var right):
            let pair = (left.next(), right.next())
            guard let member = pair.0, let other = pair.1 else { return Self.orderAtEnd(pair.0, pair.1) }
            openContainers.append(.objects(left, right))
            let nameOrder = compareHeads(member.key, other.key)
            return nameOrder == .same ? compareHeads(member.value, other.value) : nameOrder
        }
    }

    private static func orderAtEnd(_ left: (some Any)?, _ right: (some Any)?) -> JSONOrder {
        JSONOrder(of: left == nil ? 0 : 1, relativeTo: right == nil ? 0 : 1)
    }
}
