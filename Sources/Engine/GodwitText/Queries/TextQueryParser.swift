//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Parses a text query. See ``TextQuery`` for the syntax.
struct TextQueryParser {
    var scanner: TextQueryScanner
    private var termCount = 0
    /// The number of open parentheses.
    private var depth = 0

    init(_ text: String) throws(TextError) {
        guard text.utf8.count <= TextLimits.queryBytesMax else {
            throw .syntax(
                "A query may have at most \(TextLimits.queryBytesMax) bytes, not \(text.utf8.count)", at: 0)
        }
        scanner = TextQueryScanner(text)
    }

    mutating func query() throws(TextError) -> TextQuery.Node {
        scanner.skipSpace()
        guard !scanner.isAtEnd else { throw .syntax("The query is empty. Write *:* for all documents", at: 0) }
        let node = try alternatives(in: nil)
        guard scanner.isAtEnd else { throw .syntax("The closing parenthesis has no opening one", at: scanner.position) }
        return node
    }

    mutating func wholeRange() throws(TextError) -> TextRange {
        scanner.skipSpace()
        guard scanner.isAtRange else { throw .syntax("A range must begin with [ or {", at: scanner.position) }
        let range = try scanner.range()
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw .syntax("The range must be the end of the text", at: scanner.position) }
        return range
    }

    // MARK: Combinations

    private mutating func alternatives(in field: String?) throws(TextError) -> TextQuery.Node {
        var nodes = [try conjunction(in: field)]
        while scanner.skip(operator: "OR") || scanner.skip(operator: "||") {
            nodes.append(try conjunction(in: field))
        }
        return nodes.count == 1 ? nodes[0] : .or(nodes)
    }

    private mutating func conjunction(in field: String?) throws(TextError) -> TextQuery.Node {
        var nodes = [try negation(in: field)]
        while !scanner.isAtEnd, scanner.peek != UInt8(ascii: ")"), !scanner.isAt(operator: "OR"),
            !scanner.isAt(operator: "||")
        {
            _ = scanner.skip(operator: "AND") || scanner.skip(operator: "&&")
            nodes.append(try negation(in: field))
        }
        return nodes.count == 1 ? nodes[0] : .and(nodes)
    }

    private mutating func negation(in field: String?) throws(TextError) -> TextQuery.Node {
        var isNegative = false
        while true {
            if scanner.skip(operator: "NOT") || scanner.skip(sign: "-") || scanner.skip(sign: "!") {
                isNegative.toggle()
            } else if !scanner.skip(sign: "+") {
                break
            }
        }
        let node = try neighbours(in: field)
        return isNegative ? .not(node) : node
    }

    private mutating func neighbours(in field: String?) throws(TextError) -> TextQuery.Node {
        var pairs: [TextQuery.Node] = []
        var offset = scanner.position
        var left = try part(in: field)
        while let distance = try scanner.skipNear() {
            let leftWords = try words(of: left, at: offset)
            offset = scanner.position
            let right = try part(in: field)
            let pair = [leftWords, try words(of: right, at: offset)]
            guard ExactText.areEqual(pair[0].field, pair[1].field) else {
                throw .syntax("NEAR needs words of the same field", at: offset)
            }
            pairs.append(.near(pair, distance: distance, field: pair[0].field))
            left = right
        }
        return pairs.isEmpty ? left : pairs.count == 1 ? pairs[0] : .and(pairs)
    }

    private func words(of node: TextQuery.Node, at offset: Int) throws(TextError) -> TextQuery.Words {
        guard case .words(let words) = node else { throw .syntax("NEAR needs words or phrases", at: offset) }
        return words
    }

    // MARK: Parts

    private mutating func part(in field: String?) throws(TextError) -> TextQuery.Node {
        termCount += 1
        guard termCount <= TextLimits.queryTermsMax else {
            throw .syntax("A query may have at most \(TextLimits.queryTermsMax) words", at: scanner.position)
        }
        scanner.skipSpace()
        if scanner.skip("(") { return try group(in: field) }
        if scanner.isAtRange { return try range(in: field) }
        if scanner.peek == UInt8(ascii: "\"") { return try phrase(in: field) }
        return try word(in: field)
    }

    private mutating func group(in field: String?) throws(TextError) -> TextQuery.Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= TextLimits.queryDepthMax else {
            throw .syntax(
                "Parentheses may be nested at most \(TextLimits.queryDepthMax) levels deep", at: scanner.position - 1)
        }
        let node = try alternatives(in: field)
        guard scanner.skip(")") else { throw .syntax("A parenthesis is not closed", at: scanner.position) }
        scanner.skipSpace()
        return node
    }

    private mutating func range(in field: String?) throws(TextError) -> TextQuery.Node {
        guard let field else { throw .syntax("A range needs a field: field:[1 TO 5]", at: scanner.position) }
        return .range(try scanner.range(), field: field)
    }

    private mutating func phrase(in field: String?) throws(TextError) -> TextQuery.Node {
        let text = try scanner.quoted()
        if let distance = try scanner.slop() {
            let words = text.split(whereSeparator: \.isWhitespace).map {
                TextQuery.Words(text: String($0), isQuoted: true, field: field)
            }
            return .near(words, distance: distance, field: field)
        }
        let isPrefix = scanner.skip("*")
        try scanner.endPart()
        return .words(.init(text: text, isQuoted: true, isPrefix: isPrefix, field: field))
    }

    private mutating func word(in field: String?) throws(TextError) -> TextQuery.Node {
        let start = scanner.position
        if scanner.skip("*") { return try starPart(in: field) }
        let word = try scanner.word()
        if scanner.skip(":") {
            scanner.skipSpace()
            guard !scanner.isAtEnd else { throw .syntax("The field has no value", at: scanner.position) }
            return try part(in: TextPath.normalized(word.name))
        }
        if !word.isEscaped, TextQueryScanner.operators.contains(word.text) {
            throw .syntax("Expected a word instead of \(word.text)", at: start)
        }
        let isPrefix = scanner.skip("*")
        try scanner.endPart()
        return .words(.init(text: word.text, isPrefix: isPrefix, field: field))
    }

    /// Parses the rest of a part that begins with a star: `*:*`, `*`, or, after a field, `field:*`.
    private mutating func starPart(in field: String?) throws(TextError) -> TextQuery.Node {
        if field == nil, scanner.skip(":"), !scanner.skip("*") {
            throw .syntax("*: must be followed by *", at: scanner.position)
        }
        try scanner.endPart()
        guard let field else { return .all }
        return .range(TextRange(lower: nil, upper: nil, includesLower: true, includesUpper: true), field: field)
    }
}
