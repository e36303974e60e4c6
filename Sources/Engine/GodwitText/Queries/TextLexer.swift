//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite

/// Splits texts into words for an index.
///
/// An FTS5 table has one tokenizer. If all fields have the same analyzer, and this analyzer uses a tokenizer of FTS5,
/// the table uses this tokenizer and receives the texts unchanged. For the index of a function, or for an analyzer of a
/// language, FTS5 receives the words of each text, one per line, instead of the text (``TextAnalyzer/lines``). The
/// words of a query have the same form.
struct TextLexer {
    private let analyzers: TextAnalyzers
    private let givesLines: Bool
    /// Whether a number that a function emitted as a number, not as a string, is one word.
    private let keepsNumbers: Bool
    /// The tokenizer of all fields that have no separate tokenizer.
    private let usual: TextTokenizer
    /// The separate tokenizers of fields, keyed by path.
    private let fieldTokenizers: [ExactText: TextTokenizer]

    init(_ definition: TextIndexDefinition, on connection: SQLiteConnection) throws {
        try self.init(
            definition.fieldAnalyzers ?? TextAnalyzers(definition.analyzer),
            givesLines: definition.givesLines, keepsNumbers: definition.isOfFunctions, on: connection)
    }

    /// Creates the lexer of one field's texts.
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
        fieldTokenizers = try analyzers.mapFields { try TextTokenizer($0, on: connection) }
    }

    private func tokenizer(of path: String?) -> TextTokenizer {
        path.flatMap { fieldTokenizers[ExactText($0)] } ?? usual
    }

    /// Returns the text of a document's value in the form for FTS5.
    func content(of value: Int, in tape: JSONTape, at path: String) -> [UInt8] {
        let text = TextContent.text(of: value, in: tape)
        guard givesLines else { return text }
        if keepsNumbers, tape.kind(value) != .string, let number = Self.number(String(decoding: text, as: UTF8.self)) {
            return Array(number.utf8)
        }
        return tokenizer(of: path).lines(text)
    }

    /// Returns the number of words of a document.
    func count(_ content: TextContent) -> Int {
        content.texts.reduce(0) { count, part in
            guard givesLines else { return count + usual.count(part.text) }
            return part.text.isEmpty ? count : part.text.reduce(count + 1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        }
    }

    /// Returns the canonical notation of a number in an index; `nil` for a text that is not a number.
    static func number(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ numberCharacters.contains($0) }), let number = Double(text), number.isFinite else {
            return nil
        }
        return Int64(exactly: number).map { "\($0)" } ?? number.description
    }

    private static let numberCharacters = Set("0123456789+-.eE".utf8)

    /// Returns words of a query as a quoted phrase for FTS5; `nil` when the text has no word, or is a single stop word
    /// without quotes and without a star.
    func phrase(_ words: TextQuery.Words) -> String? {
        let text = String(decoding: TextContent.cleaned(Array(words.text.utf8)), as: UTF8.self)
        if words.isNumber { return "\"\(text)\"" }
        let tokenizer = tokenizer(of: words.field)
        let queryWords = tokenizer.words(Array(text.utf8))
        let isPlain = !words.isQuoted && !words.isPrefix
        if queryWords.isEmpty || isPlain && isStopWord(text, queryWords, analyzers.analyzer(of: words.field)) {
            return nil
        }
        let phraseText = givesLines ? queryWords.map(\.text).joined(separator: "\n") : text
        return Self.quoted(phraseText) + (words.isPrefix ? " *" : "")
    }

    /// Returns a text as a string of FTS5. Each quote is doubled, including a quote with which a mark combines.
    static func quoted(_ text: String) -> String {
        let quote = UInt8(ascii: "\"")
        let bytes = [quote] + text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a text is a stop word, possibly after an elided article as in `d'un`.
    private func isStopWord(_ text: String, _ words: [TextTokenizer.Word], _ analyzer: TextAnalyzer) -> Bool {
        analyzer.isStopWord(text) || words.count == 1 && analyzer.isStopWord(words[0].written)
    }
}
