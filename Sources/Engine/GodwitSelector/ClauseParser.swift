//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Parses a selector into clauses. This is the first of CouchDB's three steps of normalization (`norm_ops`).
///
/// An object with several members becomes an `$and`, and a bare value becomes an `$eq`. The arguments of operators are
/// checked.
struct ClauseParser {
    private var clauseCount = 0

    /// Parses the value at the root, under a field, or in an operator's argument.
    mutating func clause(_ value: JSONValue) throws(SelectorError) -> Clause {
        guard case .object(let members) = value, let first = members.first else {
            try countClause()
            return .condition(Condition(equalTo: value))
        }
        if members.count == 1 { return try clause(first.key, first.value) }
        try countClause()
        var clauses: [Clause] = []
        for (name, argument) in members { clauses.append(try clause(name, argument)) }
        return .and(clauses)
    }

    private mutating func countClause() throws(SelectorError) {
        clauseCount += 1
        if clauseCount > SelectorLimits.clauseCountMax { throw .tooManyClauses }
    }

    private mutating func clause(_ name: String, _ argument: JSONValue) throws(SelectorError) -> Clause {
        try countClause()
        guard name.utf8.first == UInt8(ascii: "$") else {
            if name.utf8.count > SelectorLimits.fieldBytesMax { throw .fieldTooLong }
            return .field(FieldPath(name), try clause(argument))
        }
        if let `operator` = Operator(rawValue: name) { return .condition(try Condition(`operator`, argument)) }
        switch name {
        case "$and": return .and(try list(name, argument))
        case "$or": return .or(try list(name, argument))
        case "$nor": return .nor(try list(name, argument))
        case "$not": return .not(try object(name, argument))
        case "$elemMatch": return .elemMatch(try elementCondition(name, argument))
        case "$allMatch": return .allMatch(try elementCondition(name, argument))
        case "$keyMapMatch": return .keyMapMatch(try elementCondition(name, argument))
        case "$text", "$default": return .text(try text(name, argument))
        case "$where", "$nearSphere": throw .notSupported(name)
        default: throw .invalidOperator(name)
        }
    }

    private mutating func list(_ name: String, _ argument: JSONValue) throws(SelectorError) -> [Clause] {
        guard case .array(let values) = argument else { throw .badArgument(name, argument) }
        var clauses: [Clause] = []
        for value in values { clauses.append(try clause(value)) }
        return clauses
    }

    private mutating func object(_ name: String, _ argument: JSONValue) throws(SelectorError) -> Clause {
        guard argument.kind == .object else { throw .badArgument(name, argument) }
        return try clause(argument)
    }

    /// Parses a condition on elements. A text index finds complete documents, so the condition has no `$text`.
    private mutating func elementCondition(_ name: String, _ argument: JSONValue) throws(SelectorError) -> Clause {
        let clause = try object(name, argument)
        guard !clause.usesText else { throw .badArgument(name, argument) }
        return clause
    }

    /// Returns the argument of a `$text`. In a normalized selector, this argument is within an object `$default`.
    private func text(_ name: String, _ argument: JSONValue) throws(SelectorError) -> JSONValue {
        guard name == "$text" else {
            guard let members = argument.objectValue, members.count == 1, let inner = members["$text"] else {
                throw .badField([name: argument])
            }
            return inner
        }
        switch argument.kind {
        case .string, .integer, .double, .true, .false: return argument
        case .object:
            // The notation of Cloudant Sync and MongoDB.
            guard let members = argument.objectValue, members.count == 1, let words = members["$search"]?.stringValue
            else { throw .badArgument(name, argument) }
            return .string(words)
        case .null, .array: throw .badArgument(name, argument)
        }
    }
}
