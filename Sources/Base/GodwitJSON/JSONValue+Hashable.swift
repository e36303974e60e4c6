//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Comparing and hashing use a list of pending containers. If they were recursive, a debug build would overflow a stack
// of 512 KB at 400 levels.

extension JSONValue: Hashable {
    /// Whether both values have the same kind and are equal. Strings are equal if they have the same Unicode scalars.
    /// Objects are equal if they have the same members, in any order. Doubles are compared by `==`, so NaN is not equal
    /// to any value.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        var pending: [(JSONValue, JSONValue)] = []
        guard matches(left, right, pending: &pending) else { return false }
        while let (left, right) = pending.popLast() {
            guard childrenMatch(left, right, pending: &pending) else { return false }
        }
        return true
    }

    /// Feeds the value into a hasher.
    ///
    /// Each nested value adds a hash of the value and of its path. The order of an array's elements changes the hash;
    /// the order of an object's members does not.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        var pending: [(value: JSONValue, pathHash: Int)] = [(self, 0)]
        while let (value, pathHash) = pending.popLast() {
            var node = Hasher()
            node.combine(pathHash)
            value.hashNode(into: &node)
            let hash = node.finalize()
            sum &+= hash
            value.appendChildren(pathHash: hash, to: &pending)
        }
        hasher.combine(sum)
    }

    /// Compares two scalars. If the values are containers of the same kind and size, appends them to `pending` and
    /// returns `true`.
    private static func matches(
        _ left: JSONValue,
        _ right: JSONValue,
        pending: inout [(JSONValue, JSONValue)]
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.integer(let left), .integer(let right)): return left == right
        case (.double(let left), .double(let right)): return left == right
        case (.bigInteger(let left), .bigInteger(let right)): return left.isIdenticalText(to: right)
        case (.string(let left), .string(let right)): return left.isIdenticalText(to: right)
        case (.array(let elements), .array(let others)) where elements.count == others.count: break
        case (.object(let members), .object(let others)) where members.count == others.count: break
        default: return false
        }
        pending.append((left, right))
        return true
    }

    private static func childrenMatch(
        _ left: JSONValue,
        _ right: JSONValue,
        pending: inout [(JSONValue, JSONValue)]
    ) -> Bool {
        if case .array(let elements) = left, case .array(let others) = right {
            for (element, other) in zip(elements, others) {
                guard matches(element, other, pending: &pending) else { return false }
            }
        } else if case .object(let members) = left, case .object(let others) = right {
            for position in members.indices {
                let (key, value) = members[position]
                // Usually both objects have their members in the same order.
                let isSamePosition = key.isIdenticalText(to: others[position].key)
                guard let otherPosition = isSamePosition ? position : others.position(of: key) else { return false }
                guard matches(value, others[otherPosition].value, pending: &pending) else { return false }
            }
        }
        return true
    }

    /// Feeds a scalar or the size of a container into a hasher.
    private func hashNode(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .integer(let integer): hasher.combine(integer)
        case .double(let double): hasher.combine(double)
        case .bigInteger(let digits): hasher.combine(digits)
        case .string(let string): string.hashText(into: &hasher)
        case .array(let elements): hasher.combine(elements.count)
        case .object(let members): hasher.combine(members.count)
        }
    }

    private func appendChildren(pathHash: Int, to pending: inout [(value: JSONValue, pathHash: Int)]) {
        switch self {
        case .array(let elements):
            for (position, element) in elements.enumerated() { pending.append((element, pathHash &* 31 &+ position)) }
        case .object(let members):
            for (key, value) in members {
                var hasher = Hasher()
                hasher.combine(pathHash)
                key.hashText(into: &hasher)
                pending.append((value, hasher.finalize()))
            }
        default: break
        }
    }
}
