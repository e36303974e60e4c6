//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A query in FTS5's syntax.
struct TextExpression: Equatable {
    /// The expression; `nil` when no document can match.
    var text: String?
    /// For each phrase in the expression, in the order of the phrases, whether the phrase contributes to the score.
    var counts: [Bool] = []
    /// Whether the hits are candidates that must be tested again.
    var needsCheck = false

    /// The truth table of the phrases, in the format of `godwit_text_collection`; 0 if FTS5 must evaluate the
    /// expression.
    var truth: UInt16 = 0

    /// The expression that every document matches.
    static let everything = "\"\(TextContent.mark)\""

    /// Whether every document of the index is a hit or a candidate.
    var isEverything: Bool { ExactText.areEqual(text, Self.everything) }
}

/// Converts queries to FTS5's syntax.
///
/// User input is inserted only as quoted strings (quotes are doubled, NUL and ``TextContent/mark`` removed), so that it
/// is never parsed as syntax. Column names are generated. As in Lucene, a term of the query is removed if the tokenizer
/// finds no word in it. A stop word is also removed, except within a phrase.
///
/// FTS5 cannot evaluate ranges. It also cannot search a field that has no separate column. Therefore, a range is
/// replaced by an expression that matches all documents, and the field is replaced by the shared column. After a `NOT`,
/// both are replaced by an expression that matches no document. The hits of the converted query are candidates.
struct TextExpressionBuilder {
    /// The columns that contain the words of a field.
    enum FieldScope {
        case column(String)
        /// A shared column, which contains the words of this field and of other fields.
        case within(String)
        case nowhere
    }

    let lexer: TextLexer
    /// The column filter for words without a field; empty for all columns, `nil` when such words are not allowed.
    let defaultFilter: String?
    let position: (_ field: String) -> FieldScope
    /// Returns the word that represents membership in a range; `nil` when the table has no such word.
    let mark: (TextRange, _ field: String) -> String?

    fileprivate enum Part {
        /// The part is ignored.
        case vanishing
        case nothing
        case everything
        case some(Words)
    }

    /// A part of an expression.
    fileprivate struct Words {
        var text: String
        var counts: [Bool]
        /// The truth table; `nil` if the part is not a combination of words by AND, OR and NOT.
        var truth: TextTruth?
    }

    func expression(_ query: TextQuery) throws(TextError) -> TextExpression { try expression(query.root) }

    func expression(_ node: TextQuery.Node) throws(TextError) -> TextExpression {
        var expression = TextExpression()
        switch try part(node, isPositive: true, &expression.needsCheck) {
        case .vanishing, .nothing: break
        case .everything: (expression.text, expression.counts) = (Self.everything, [false])
        case .some(let words):
            (expression.text, expression.counts) = (words.text, words.counts)
            expression.truth = words.truth?.table ?? 0
        }
        return expression
    }

    private static let everything = TextExpression.everything

    private func part(
        _ node: TextQuery.Node, isPositive: Bool, _ needsCheck: inout Bool
    ) throws(TextError) -> Part {
        switch node {
        case .all: return .everything
        case .words(let words): return try leaf([words], distance: nil, words.field, isPositive, &needsCheck)
        case .near(let words, let distance, let field):
            return try leaf(words, distance: distance, field, isPositive, &needsCheck)
        case .range(let range, let field):
            if let mark = mark(range, field) { return .some(Words(text: mark, counts: [false], truth: .phrase)) }
            needsCheck = true
            return isPositive ? .everything : .nothing
        case .and(let nodes): return try conjunction(nodes, isPositive: isPositive, &needsCheck)
        case .or(let nodes): return try alternatives(nodes, isPositive: isPositive, &needsCheck)
        case .not: return try conjunction([node], isPositive: isPositive, &needsCheck)
        }
    }

    // MARK: Combinations

    private func conjunction(
        _ nodes: [TextQuery.Node], isPositive: Bool, _ needsCheck: inout Bool
    ) throws(TextError) -> Part {
        var (requiredParts, excludedParts): ([Part], [Part]) = ([], [])
        for node in nodes {
            if case .not(let inner) = node {
                excludedParts.append(try part(inner, isPositive: !isPositive, &needsCheck))
            } else {
                requiredParts.append(try part(node, isPositive: isPositive, &needsCheck))
            }
        }
        if requiredParts.contains(where: \.isNothing) || excludedParts.contains(where: \.isEverything) {
            return .nothing
        }
        let matchesEverything =
            requiredParts.contains(where: \.isEverything) || excludedParts.contains(where: \.isNothing)
        let base = Part.joined(requiredParts, by: .and)
        guard let exclusion = Part.joined(excludedParts, by: .or) else {
            return base ?? (matchesEverything ? .everything : .vanishing)
        }
        let requiredWords = base?.words ?? Words(text: Self.everything, counts: [false], truth: nil)
        guard let excludedWords = exclusion.words else { return .vanishing }
        return .some(
            Words(
                text: "(\(requiredWords.text) NOT \(excludedWords.text))",
                counts: requiredWords.counts + excludedWords.counts.map { _ in false },
                truth: TextTruth(requiredWords.truth, excludedWords.truth) { $0 && !$1 }))
    }

    private func alternatives(
        _ nodes: [TextQuery.Node], isPositive: Bool, _ needsCheck: inout Bool
    ) throws(TextError) -> Part {
        var parts: [Part] = []
        for node in nodes { parts.append(try part(node, isPositive: isPositive, &needsCheck)) }
        if parts.contains(where: \.isEverything) { return .everything }
        return Part.joined(parts, by: .or) ?? (parts.contains(where: \.isNothing) ? .nothing : .vanishing)
    }

    // MARK: Words

    private func leaf(
        _ words: [TextQuery.Words], distance: Int?, _ field: String?, _ isPositive: Bool, _ needsCheck: inout Bool
    ) throws(TextError) -> Part {
        let phrases = words.compactMap(lexer.phrase)
        guard !phrases.isEmpty else { return .vanishing }
        let text = phrases.count == 1 ? phrases[0] : "NEAR(\(phrases.joined(separator: " ")), \(distance ?? 0))"
        var words = Words(text: text, counts: phrases.map { _ in true }, truth: phrases.count == 1 ? .phrase : nil)
        guard let field else {
            guard let defaultFilter else { throw .noDefaultField }
            words.text = defaultFilter + text
            return .some(words)
        }
        switch position(field) {
        case .column(let column): words.text = "{\(column)} : \(text)"
        case .nowhere: return .nothing
        case .within(let column):
            needsCheck = true
            guard isPositive else { return .nothing }
            words.text = "{\(column)} : \(text)"
        }
        return .some(words)
    }
}

extension TextExpressionBuilder.Part {
    fileprivate var isNothing: Bool { if case .nothing = self { true } else { false } }
    fileprivate var isEverything: Bool { if case .everything = self { true } else { false } }

    fileprivate var words: TextExpressionBuilder.Words? { if case .some(let words) = self { words } else { nil } }

    /// Returns the parts that have words, joined; `nil` when no part has words.
    fileprivate static func joined(_ parts: [Self], by operator: Operator) -> Self? {
        let all = parts.compactMap(\.words)
        guard var joined = all.first else { return nil }
        guard all.count > 1 else { return .some(joined) }
        for words in all.dropFirst() {
            joined.counts += words.counts
            joined.truth = TextTruth(joined.truth, words.truth) { `operator` == .and ? $0 && $1 : $0 || $1 }
        }
        joined.text = "(\(all.map(\.text).joined(separator: " \(`operator`.rawValue) ")))"
        return .some(joined)
    }

    fileprivate enum Operator: String {
        case and = "AND"
        case or = "OR"
    }
}
