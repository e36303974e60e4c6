//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What is asked of a text index, in Lucene's words.
///
/// | written | means |
/// |---|---|
/// | `red fox`, `red AND fox`, `red && fox`, `+red +fox` | both |
/// | `red OR fox`, `red \|\| fox` | one or both |
/// | `red NOT fox`, `red -fox`, `red !fox` | the first without the second |
/// | `"red fox"` | the words after one another |
/// | `"red fox"~2`, `red NEAR/2 fox` | both with at most two words between; `NEAR` alone says ten |
/// | `fo*`, `"red fo"*` | words that begin so |
/// | `title:fox`, `title:"red fox"`, `title:(red OR fox)` | in one field, by its dotted path |
/// | `age:[1 TO 5]`, `age:{1 TO 5}`, `age:[1 TO Infinity]`, `name:[a TO f}` | a value between; braces leave the bound out |
/// | `title:*` | the field is there |
/// | `*:*`, `*` | every document of the index |
///
/// A backslash takes its meaning from the character that follows. `AND` binds closer than `OR`, and `NOT` closest.
/// Operators are written in capitals.
///
/// Three things differ from Lucene. Words beside one another are joined with `AND`, where Lucene's own choice is `OR`: so
/// it is with CouchDB's `$text` and with the library before this one, and `_search` follows. A query may be a negation
/// alone and then finds all other documents, where Lucene finds nothing. Fuzzy words, `?` and boosts are not known.
package struct TextQuery: Sendable, Equatable {
    /// The query as it is written.
    package let text: String
    let root: Node

    /// Reads a query.
    ///
    /// - Throws: ``TextError`` with the offset of the first mistake, also when one of ``TextLimits`` is passed.
    package init(parsing text: String) throws(TextError) {
        var parser = try TextQueryParser(text)
        root = try parser.query()
        self.text = text
    }

    private init(text: String, root: Node) { (self.text, self.root) = (text, root) }

    /// The same query for an index of the fields that a function gives: words without a field are those of one of them, and
    /// what looks like a number may be one.
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
        /// Whether it was written in quotes: then no stop word is left out.
        var isQuoted = false
        /// Whether the last word is the beginning of one.
        var isPrefix = false
        /// The path of the field; `nil` for all.
        var field: String?
        /// Whether a number is meant, written as an index has it (``TextLexer/number(_:)``).
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
        case .near(let words, let distance, let own): .near(words.map(named), distance: distance, field: own ?? field)
        case .and(let nodes): .and(nodes.map { $0.naming(field) })
        case .or(let nodes): .or(nodes.map { $0.naming(field) })
        case .not(let node): .not(node.naming(field))
        case .all, .range: self
        }
    }

    /// The words that a hit may hold, those after `NOT` left out.
    var positiveLeaves: [TextQuery.Node] {
        switch self {
        case .words, .near: [self]
        case .and(let nodes), .or(let nodes): nodes.flatMap(\.positiveLeaves)
        case .not, .all, .range: []
        }
    }

    /// All parts that are no combinations.
    var leaves: [TextQuery.Node] {
        switch self {
        case .words, .near, .all, .range: [self]
        case .and(let nodes), .or(let nodes): nodes.flatMap(\.leaves)
        case .not(let node): node.leaves
        }
    }

    /// The field that a part names.
    var field: String? {
        switch self {
        case .words(let words): words.field
        case .near(_, _, let field): field
        case .range(_, let field): field
        default: nil
        }
    }
}
