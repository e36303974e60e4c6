//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parsed query of a text index, in Lucene's syntax.
///
/// | syntax | finds |
/// |---|---|
/// | `red fox`, `red AND fox`, `red && fox`, `+red +fox` | both |
/// | `red OR fox`, `red \|\| fox` | one or both |
/// | `red NOT fox`, `red -fox`, `red !fox` | the first without the second |
/// | `"red fox"` | the words in sequence |
/// | `"red fox"~2`, `red NEAR/2 fox` | both with at most two words between; `NEAR` without a number permits ten |
/// | `fo*`, `"red fo"*` | words with this prefix |
/// | `title:fox`, `title:"red fox"`, `title:(red OR fox)` | in one field, by its dotted path |
/// | `age:[1 TO 5]`, `age:{1 TO 5}`, `age:[1 TO Infinity]`, `name:[a TO f}` | in a range; braces exclude the bound |
/// | `title:*` | documents that have the field |
/// | `*:*`, `*` | every document of the index |
///
/// A backslash escapes the following character. `AND` has a higher precedence than `OR`, and `NOT` the highest.
/// Operators must be in upper case.
///
/// Some behaviors differ from Lucene. A `+` before a word has no effect. Adjacent words are joined with `AND`, although
/// Lucene's default is `OR`. `AND` is the behavior of CouchDB's `$text` and of the library that Godwit replaces.
/// `_search` has the same behavior. If a query consists only of a negation, it finds all other documents. In Lucene, it
/// finds no document. Fuzzy words, `?` and boosts are not supported.
package struct TextQuery: Sendable, Equatable {
    /// The query in its original notation.
    package let text: String
    let root: Node

    /// Parses a query.
    ///
    /// - Throws: ``TextError`` with the offset of the first error. A query that exceeds one of ``TextLimits`` is an
    ///   error too.
    package init(parsing text: String) throws(TextError) {
        var parser = try TextQueryParser(text)
        root = try parser.query()
        self.text = text
    }

    /// Creates a query for documents that match all queries or at least one of them.
    ///
    /// - Throws: ``TextError`` if the queries together exceed one of ``TextLimits``.
    package init(joining queries: [TextQuery], matchesAll: Bool) throws(TextError) {
        try self.init(parsing: queries.map { "(\($0.text))" }.joined(separator: matchesAll ? " AND " : " OR "))
    }

    /// The query that every document of an index matches.
    package static let everything = TextQuery(text: "*:*", root: .all)

    private init(text: String, root: Node) { (self.text, self.root) = (text, root) }

    /// Returns the query for an index of a function. In this query, words without a field refer to the given field. A
    /// word that is a number also finds values that are this number.
    func naming(_ field: String) -> TextQuery { TextQuery(text: text, root: root.naming(field)) }

    indirect enum Node: Sendable, Equatable {
        case all
        case words(Words)
        /// Words within a distance of each other.
        case near([Words], distance: Int, field: String?)
        case range(TextRange, field: String)
        case and([Node])
        case or([Node])
        case not(Node)
    }

    /// A word or a phrase.
    struct Words: Sendable, Equatable {
        var text: String
        /// Whether the text was in quotes. Stop words of a text in quotes are not removed.
        var isQuoted = false
        /// Whether the last word is a prefix.
        var isPrefix = false
        /// The path of the field; `nil` for all fields.
        var field: String?
        /// Whether the text is a number in its canonical notation (``TextLexer/number(_:)``).
        var isNumber = false
    }
}

extension TextQuery.Node {
    private static func wordsOrNumber(_ words: TextQuery.Words) -> TextQuery.Node {
        guard !words.isQuoted, !words.isPrefix, let number = TextLexer.number(words.text) else { return .words(words) }
        return .or([.words(words), .words(.init(text: number, field: words.field, isNumber: true))])
    }

    fileprivate func naming(_ field: String) -> TextQuery.Node {
        func named(_ words: TextQuery.Words) -> TextQuery.Words {
            var words = words
            words.field = words.field ?? field
            return words
        }
        return switch self {
        case .words(let words): Self.wordsOrNumber(named(words))
        case .near(let words, let distance, let nearField):
            .near(words.map(named), distance: distance, field: nearField ?? field)
        case .and(let nodes): .and(nodes.map { $0.naming(field) })
        case .or(let nodes): .or(nodes.map { $0.naming(field) })
        case .not(let node): .not(node.naming(field))
        case .all, .range: self
        }
    }

    /// The words and phrases that a hit may contain, without those after `NOT`.
    var positiveLeaves: [TextQuery.Node] {
        switch self {
        case .words, .near: [self]
        case .and(let nodes), .or(let nodes): nodes.flatMap(\.positiveLeaves)
        case .not, .all, .range: []
        }
    }

    /// All parts that are not combinations.
    var leaves: [TextQuery.Node] {
        switch self {
        case .words, .near, .all, .range: [self]
        case .and(let nodes), .or(let nodes): nodes.flatMap(\.leaves)
        case .not(let node): node.leaves
        }
    }

    /// The field that a part names; `nil` when it names no field.
    var field: String? {
        switch self {
        case .words(let words): words.field
        case .near(_, _, let field): field
        case .range(_, let field): field
        default: nil
        }
    }
}
