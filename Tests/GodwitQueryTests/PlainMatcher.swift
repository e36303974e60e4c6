//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitSelector

/// A slow, direct implementation of Mango's documentation, with which the real matcher and every plan must agree.
struct PlainMatcher {
    /// Returns whether a document matches a selector. Negations are moved to the fields, so that a missing field never
    /// matches one.
    static func meets(_ selector: JSONObject, _ document: JSONValue) -> Bool {
        selector.isEmpty || meets(.object(selector), document, [], isNegated: false)
    }

    private static func meets(_ clause: JSONValue, _ root: JSONValue, _ path: [String], isNegated: Bool) -> Bool {
        guard let members = clause.objectValue, let (name, argument) = members.first else {
            return holds("$eq", clause, root, path, isNegated)
        }
        guard members.count == 1 else {
            let parts = members.map { JSONValue.object(JSONObject([($0.key, $0.value)])) }
            return meets(["$and": .array(parts)], root, path, isNegated: isNegated)
        }
        let each = { (isNegated: Bool) in { (clause: JSONValue) in meets(clause, root, path, isNegated: isNegated) } }
        let clauses = argument.arrayValue ?? []
        switch (name, isNegated) {
        case ("$and", false): return clauses.allSatisfy(each(false))
        case ("$and", true): return clauses.isEmpty || clauses.contains(where: each(true))
        case ("$or", false): return clauses.isEmpty || clauses.contains(where: each(false))
        case ("$or", true), ("$nor", false): return clauses.allSatisfy(each(true))
        case ("$nor", true): return clauses.isEmpty || clauses.contains(where: each(false))
        case ("$not", _): return meets(argument, root, path, isNegated: !isNegated)
        case _ where name.hasPrefix("$"): return holds(name, argument, root, path, isNegated)
        default: return meets(argument, root, path + steps(name), isNegated: isNegated)
        }
    }

    /// Inside `$elemMatch` and similar operators a negation only inverts the result.
    private static func meetsPlainly(_ clause: JSONValue, _ value: JSONValue, _ path: [String]) -> Bool {
        guard let members = clause.objectValue, !members.isEmpty else {
            return holds("$eq", clause, value, path, false)
        }
        return members.allSatisfy { name, argument in
            let each = { (clause: JSONValue) in meetsPlainly(clause, value, path) }
            let clauses = argument.arrayValue ?? []
            switch name {
            case "$and": return clauses.allSatisfy(each)
            case "$or": return clauses.isEmpty || clauses.contains(where: each)
            case "$nor": return !clauses.contains(where: each)
            case "$not": return !meetsPlainly(argument, value, path)
            case _ where name.hasPrefix("$"): return holds(name, argument, value, path, false)
            default: return meetsPlainly(argument, value, path + steps(name))
            }
        }
    }

    private static func steps(_ name: String) -> [String] {
        name.replacing("\\.", with: "\u{1}").split(separator: ".").map { String($0.replacing("\u{1}", with: ".")) }
    }

    private static func holds(
        _ name: String, _ argument: JSONValue, _ root: JSONValue, _ path: [String], _ isNegated: Bool
    ) -> Bool {
        var value = root
        for step in path {
            if let members = value.objectValue {
                guard let next = members[step] else { return name == "$exists" && argument == .bool(isNegated) }
                value = next
            } else {
                guard let position = Int(step), let list = value.arrayValue, list.indices.contains(position) else {
                    return false
                }
                value = list[position]
            }
        }
        return test(name, argument, value, path == ["_id"]) != isNegated
    }

    private static func test(_ name: String, _ argument: JSONValue, _ value: JSONValue, _ isID: Bool) -> Bool {
        let order = isID ? idOrder(value, argument) : JSONCollation.compare(value, argument)
        let list = value.arrayValue
        let isListed = { (value: JSONValue) in
            (argument.arrayValue ?? []).contains {
                isID ? idOrder(value, $0) == .same : JSONCollation.compare(value, $0) == .same
            }
        }
        let inner = { (value: JSONValue) in meetsPlainly(argument, value, []) }
        switch name {
        case "$eq": return order == .same
        case "$ne": return order != .same
        case "$lt": return order == .before
        case "$lte": return order != .after
        case "$gt": return order == .after
        case "$gte": return order != .before
        case "$in": return list.map { $0.contains(where: isListed) } ?? isListed(value)
        case "$nin": return !(list.map { $0.contains(where: isListed) } ?? isListed(value))
        case "$exists": return argument == true
        case "$type": return argument.stringValue == type(value)
        case "$regex": return value.stringValue?.utf8.contains(UInt8(ascii: "a")) ?? false
        case "$beginsWith": return value.stringValue?.utf8.starts(with: (argument.stringValue ?? "").utf8) ?? false
        case "$size": return list.map { JSONValue.integer(Int64($0.count)) == argument } ?? false
        case "$elemMatch": return list?.contains(where: inner) ?? false
        case "$allMatch": return list.map { !$0.isEmpty && $0.allSatisfy(inner) } ?? false
        case "$keyMapMatch": return value.objectValue?.keys.contains { inner(.string($0)) } ?? false
        case "$mod":
            guard let parts = argument.arrayValue, let divisor = parts[0].intValue else { return false }
            return remainder(of: value, by: divisor) == parts[1].intValue
        case "$all":
            let wanted = argument.arrayValue ?? []
            return !wanted.isEmpty && wanted.allSatisfy { list?.contains($0) ?? false }
        default: return false
        }
    }

    private static func remainder(of value: JSONValue, by divisor: Int) -> Int? {
        switch value {
        case .integer(let number): Int(number) % divisor
        case .bigInteger(let digits): digits.utf8.reduce(0) { ($0 * 10 + Int($1 - 48)) % divisor }
        default: nil
        }
    }

    /// Ids are compared by their bytes, and a string sorts after any other value.
    private static func idOrder(_ id: JSONValue, _ other: JSONValue) -> JSONOrder {
        guard let left = id.stringValue, let right = other.stringValue else { return .after }
        if left.utf8.elementsEqual(right.utf8) { return .same }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
    }

    private static func type(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        default: "number"
        }
    }
}
