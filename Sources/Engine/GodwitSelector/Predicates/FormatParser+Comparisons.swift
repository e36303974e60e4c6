//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// One operand of a comparison.
enum FormatOperand {
    case field([String])
    case value(JSONValue)
}

extension FormatParser {
    /// Parses a comparison, including a preceding quantifier such as `ANY`.
    mutating func comparison() throws(QueryPredicateError) -> MangoClause {
        let quantifier = try quantifier()
        let start = token.offset
        let left = try operand()
        let operation = try operation()
        let rightOffset = token.offset
        let right = try operand()
        return try Self.located(operation.offset) { () throws(QueryPredicateError) in
            switch (left, right) {
            case (.field(let steps), .value(let value)):
                return try Self.clause(quantifier, steps) { steps throws(QueryPredicateError) in
                    try operation.clause(steps, value)
                }
            case (.value(let value), .field(let steps)):
                guard quantifier == nil else { throw QueryPredicateError(.syntax, "expected a field", at: start) }
                return try operation.flipped().clause(steps, value)
            case (.field, .field):
                throw QueryPredicateError(
                    .unsupported, "Mango compares a field with a value, not with another field", at: rightOffset)
            case (.value, .value):
                throw QueryPredicateError(.syntax, "expected a field on one side", at: start)
            }
        }
    }

    private mutating func quantifier() throws(QueryPredicateError) -> MangoClause.Quantifier? {
        let quantifiers: [String: MangoClause.Quantifier] = ["ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none]
        guard let quantifier = token.keyword.flatMap({ quantifiers[$0] }) else { return nil }
        try advance()
        return quantifier
    }

    /// Returns the condition on a field. If there is a quantifier, returns the condition on the elements of an array.
    /// In this case, the value at each step of the path can be the array.
    private static func clause(
        _ quantifier: MangoClause.Quantifier?, _ steps: [String],
        _ condition: ([String]) throws(QueryPredicateError) -> MangoClause
    ) throws(QueryPredicateError) -> MangoClause {
        guard let quantifier else { return try condition(steps) }
        let arrayPositions = steps.indices.reversed().map {
            MangoClause.ArrayPosition(array: Array(steps[...$0]), rest: Array(steps[($0 + 1)...]))
        }
        return try .elements(quantifier, of: arrayPositions, condition([]))
    }

    private mutating func operand() throws(QueryPredicateError) -> FormatOperand {
        switch token.kind {
        case .value(let value):
            try advance()
            return .value(value)
        case .sign("{"): return .value(.array(try list()))
        case .word, .name, .keyPath:
            if let value = constant {
                try advance()
                return .value(value)
            }
            return .field(try path())
        case .sign, .options, .end: throw expected("a value or a field")
        }
    }

    private var constant: JSONValue? {
        switch token.keyword {
        case "TRUE", "YES": true
        case "FALSE", "NO": false
        case "NULL", "NIL": .some(.null)
        default: nil
        }
    }

    /// Parses the values in braces.
    private mutating func list() throws(QueryPredicateError) -> [JSONValue] {
        var values: [JSONValue] = []
        try advance()
        if token.isSign("}") {
            try advance()
            return values
        }
        while true {
            guard !token.isSign("{"), case .value(let value) = try operand() else { throw expected("a value") }
            values.append(value)
            let isEnd = token.isSign("}")
            guard isEnd || token.isSign(",") else { throw expected(", or }") }
            try advance()
            if isEnd { return values }
        }
    }

    private static let reserved: Set = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "ANY", "SOME",
        "ALL",
        "NONE", "TRUEPREDICATE", "FALSEPREDICATE", "TRUE", "FALSE", "YES", "NO", "NULL", "NIL", "SELF",
    ]

    /// Parses a key path. The argument of a `%K` can contain several steps. In its names, periods are escaped.
    private mutating func path() throws(QueryPredicateError) -> [String] {
        var steps: [String] = []
        while true {
            switch token.kind {
            case .word(let word)
            where steps.isEmpty && Self.reserved.contains(where: word.uppercased().isIdenticalText):
                throw expected("a field or a value; write # before the name of a field that is a keyword")
            case .word(let name), .name(let name): steps.append(name)
            case .keyPath(let path):
                if let mistake = DottedPath.mistake(in: path) {
                    throw QueryPredicateError(
                        .arguments, "expected a key path as the argument: \(mistake)", at: token.offset)
                }
                steps += DottedPath.steps(of: path)
            default: throw expected("a name")
            }
            try advance()
            guard token.isSign(".") else { return steps }
            try advance()
        }
    }
}
