//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSQLite

/// Makes words of texts, as an index wants them.
///
/// An FTS5 table has one tokenizer. Where all fields have the same analyzer and it is one of FTS5, the table has that one, and
/// is given texts as they are. Where fields have analyzers of their own, or the words are those of a language, FTS5 is given
/// each text as the lines of its words (``TextAnalyzer/lines``), and so are the words of a query.
struct TextLexer {
    private let analyzers: TextAnalyzers
    private let givesLines: Bool
    /// Whether a number is one word: where a function gave it and did not write it as a text.
    private let keepsNumbers: Bool
    private let usual: TextTokenizer
    private let own: [String: TextTokenizer]

    init(_ definition: TextIndexDefinition, on connection: SQLiteConnection) throws {
        try self.init(
            definition.fieldAnalyzers ?? TextAnalyzers(definition.analyzer),
            givesLines: definition.givesLines, keepsNumbers: definition.isOfFunctions, on: connection)
    }

    /// The lexer of texts of one field.
    init(_ analyzer: TextAnalyzer, on connection: SQLiteConnection) throws {
        try self.init(TextAnalyzers(analyzer), givesLines: false, keepsNumbers: false, on: connection)
    }

    private init(
        _ analyzers: TextAnalyzers, givesLines: Bool, keepsNumbers: Bool, on connection: SQLiteConnection
    ) throws {
        self.analyzers = analyzers
        self.givesLines = givesLines
        self.keepsNumbers = keepsNumbers
        usual = try TextTokenizer(analyzers.usual, on: connection)
        own = try analyzers.mapFields { try TextTokenizer($0, on: connection) }
    }

    private func tokenizer(of path: String?) -> TextTokenizer { path.flatMap { own[$0] } ?? usual }

    /// A value of a document as FTS5 is given it.
    func content(of value: Int, in tape: JSONTape, at path: String) -> [UInt8] {
        let text = TextContent.text(of: value, in: tape)
        guard givesLines else { return text }
        if keepsNumbers, tape.kind(value) != .string, let number = Self.number(String(decoding: text, as: UTF8.self)) {
            return Array(number.utf8)
        }
        return tokenizer(of: path).lines(text)
    }

    /// How many words a document has.
    func count(_ content: TextContent) -> Int {
        content.texts.reduce(0) { count, part in
            guard givesLines else { return count + usual.count(part.text) }
            return part.text.isEmpty ? count : part.text.reduce(count + 1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        }
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
        let tokenizer = tokenizer(of: words.field)
        let made = tokenizer.words(Array(text.utf8))
        let isPlain = !words.isQuoted && !words.isPrefix
        if made.isEmpty || isPlain && isStopWord(text, made, analyzers.analyzer(of: words.field)) { return nil }
        let given = givesLines ? made.map(\.text).joined(separator: "\n") : text
        return "\"\(given.replacing("\"", with: "\"\""))\"" + (words.isPrefix ? " *" : "")
    }

    /// Whether a text is a stop word, perhaps with an article that goes: `d'un`.
    private func isStopWord(_ text: String, _ words: [TextTokenizer.Word], _ analyzer: TextAnalyzer) -> Bool {
        analyzer.isStopWord(text) || words.count == 1 && analyzer.isStopWord(words[0].written)
    }
}
