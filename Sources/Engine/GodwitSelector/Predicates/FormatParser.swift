//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Parses a predicate format into a clause.
struct FormatParser {
    private var lexer: FormatLexer
    var token: FormatToken
    private var depth = 0

    /// Parses a complete format.
    static func clause(
        _ format: String, _ arguments: [JSONValue]
    ) throws(QueryPredicateError) -> MangoClause {
        var parser = try FormatParser(FormatLexer(format, arguments))
        let clause = try parser.disjunction()
        guard parser.token.kind == .end else { throw parser.expected("AND, OR or the end") }
        return clause
    }

    private init(_ lexer: FormatLexer) throws(QueryPredicateError) {
        self.lexer = lexer
        token = try self.lexer.next()
    }

    /// Reads the next token.
    mutating func advance() throws(QueryPredicateError) {
        token = try lexer.next()
    }

    func expected(_ what: String) -> QueryPredicateError {
        QueryPredicateError(.syntax, "expected \(what)", at: token.offset)
    }

    private mutating func disjunction() throws(QueryPredicateError) -> MangoClause {
        let offset = token.offset
        var clauses = [try conjunction()]
        while token.keyword == "OR" || token.isSign("||") {
            try advance()
            clauses.append(try conjunction())
        }
        return try Self.located(offset) { () throws(QueryPredicateError) in try .or(clauses) }
    }

    private mutating func conjunction() throws(QueryPredicateError) -> MangoClause {
        let offset = token.offset
        var clauses = [try negation()]
        while token.keyword == "AND" || token.isSign("&&") {
            try advance()
            clauses.append(try negation())
        }
        return try Self.located(offset) { () throws(QueryPredicateError) in try .and(clauses) }
    }

    private mutating func negation() throws(QueryPredicateError) -> MangoClause {
        let isNegated = token.keyword == "NOT" || token.isSign("!")
        guard isNegated || token.isSign("(") else { return try simple() }
        depth += 1
        defer { depth -= 1 }
        guard depth <= PredicateLimits.depthMax else {
            throw QueryPredicateError.tooDeep.located(at: token.offset)
        }
        try advance()
        if isNegated { return try negation().negated() }
        let clause = try disjunction()
        guard token.isSign(")") else { throw expected("AND, OR or )") }
        try advance()
        return clause
    }

    private mutating func simple() throws(QueryPredicateError) -> MangoClause {
        switch token.keyword {
        case "TRUEPREDICATE":
            try advance()
            return .always
        case "FALSEPREDICATE":
            try advance()
            return .never
        default: return try comparison()
        }
    }

    /// Calls a function. If the function throws an error without a position, adds the position to the error.
    static func located<Result>(
        _ offset: Int, _ body: () throws(QueryPredicateError) -> Result
    ) throws(QueryPredicateError) -> Result {
        do throws(QueryPredicateError) {
            return try body()
        } catch {
            throw error.located(at: offset)
        }
    }
}
