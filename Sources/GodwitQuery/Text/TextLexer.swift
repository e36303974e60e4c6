//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

/// Makes words of texts, as an index wants them.
///
/// An FTS5 table has one tokenizer. Where all fields have the same analyzer it is that one's, and FTS5 is given texts as they
/// are. Where fields have analyzers of their own, FTS5 is given each text as the lines of its words
/// (``TextAnalyzer/lines``), and so are the words of a query.
struct TextLexer {
    private let analyzers: TextAnalyzers
    private let givesLines: Bool
    private let usual: TextTokenizer
    private let own: [String: TextTokenizer]

    init(_ definition: TextIndexDefinition, on connection: SQLiteConnection) throws {
        try self.init(
            definition.fieldAnalyzers ?? TextAnalyzers(definition.analyzer),
            givesLines: definition.fieldAnalyzers != nil, on: connection)
    }

    /// The lexer of texts of one field.
    init(_ analyzer: TextAnalyzer, on connection: SQLiteConnection) throws {
        try self.init(TextAnalyzers(analyzer), givesLines: false, on: connection)
    }

    private init(_ analyzers: TextAnalyzers, givesLines: Bool, on connection: SQLiteConnection) throws {
        self.analyzers = analyzers
        self.givesLines = givesLines
        usual = try TextTokenizer(analyzers.usual, on: connection)
        own = try analyzers.mapFields { try TextTokenizer($0, on: connection) }
    }

    private func tokenizer(of path: String?) -> TextTokenizer { path.flatMap { own[$0] } ?? usual }

    /// A value of a document as FTS5 is given it. Where it is given lines, a number is one word.
    func content(of value: Int, in tape: JSONTape, at path: String) -> [UInt8] {
        let text = TextContent.text(of: value, in: tape)
        guard givesLines else { return text }
        if tape.kind(value) != .string, let number = Self.number(String(decoding: text, as: UTF8.self)) {
            return Array(number.utf8)
        }
        return tokenizer(of: path).lines(text)
    }

    /// The one way that a number is written in an index; `nil` for what is no number.
    static func number(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ numberCharacters.contains($0) }), let number = Double(text), number.isFinite else {
            return nil
        }
        return Int64(exactly: number).map { "\($0)" } ?? number.description
    }

    private static let numberCharacters = Set("0123456789+-.eE".utf8)

    /// Words of a query as FTS5 is given them, in quotes; `nil` when nothing of them counts.
    func phrase(_ words: TextQuery.Words) -> String? {
        let text = words.text.replacing("\0", with: " ").replacing(TextContent.mark, with: " ")
        if words.isNumber { return "\"\(text)\"" }
        let isPlain = !words.isQuoted && !words.isPrefix
        if isPlain, analyzers.analyzer(of: words.field).stopWords.contains(text.lowercased()) { return nil }
        let tokenizer = tokenizer(of: words.field)
        guard tokenizer.count(text) > 0 else { return nil }
        let given = givesLines ? String(decoding: tokenizer.lines(Array(text.utf8)), as: UTF8.self) : text
        return "\"\(given.replacing("\"", with: "\"\""))\"" + (words.isPrefix ? " *" : "")
    }
}
