//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CText
import GodwitBase
package import GodwitJSON
import GodwitSQLite

/// An analyzer, which splits a text into words. It consists of a tokenizer of FTS5 and a list of stop words.
///
/// | name | words |
/// |---|---|
/// | `standard`, `classic` | runs of letters and digits, without case and diacritics |
/// | `simple`, `simple_asciifolding` | runs of letters, without case and diacritics |
/// | `whitespace` | runs of characters between spaces, without case and diacritics |
/// | `email` | as `standard`; in indexes that functions fill, a mail address is one word |
/// | `keyword` | a value without control characters as one word, without case and diacritics |
/// | `porter` | as `standard`, English words reduced to their stems |
/// | `english` | as `porter`, with stop words |
/// | `danish`, `german`, `french` … | as `standard`, reduced to stems by Snowball, with the language's stop words |
/// | `persian` | as `standard`, with variants of letters unified, with stop words |
/// | `chinese`, `japanese`, `thai` | the words that ICU's dictionary finds, with stop words |
/// | `cjk` | each pair of adjacent Chinese, Japanese or Korean characters, with English stop words |
/// | `bulgarian`, `czech`, `galician`, `latvian`, `polish` | as `standard`, with the language's stop words |
///
/// The languages from `danish` to `cjk` have a custom tokenizer (`CText`). All other analyzers use tokenizers of
/// FTS5.
///
/// The index contains stop words too. A query ignores stop words outside phrases, but a phrase that contains stop words
/// is searched unchanged.
package struct TextAnalyzer: Sendable, Equatable {
    /// The name, as in an index's definition.
    package let name: String
    /// The stop words in the definition of an index; `nil` for the default stop words of the analyzer.
    package let ownStopWords: [String]?
    /// The words that a query ignores, in lower case.
    private let stopWords: Set<String>
    /// The tokenizer of FTS5 with its arguments.
    let tokenizer: [String]

    /// The analyzer of CouchDB's default field.
    package static let standard = TextAnalyzer(name: "standard", tokenizer: unicode, stopWords: nil)

    /// The analyzer of texts that contain one word per line, because another analyzer has already split them. It does
    /// not change the words.
    static let lines = TextAnalyzer(
        name: "lines", tokenizer: ["unicode61", "remove_diacritics", "0", "categories", "L* M* N* P* S* Z* Co"],
        stopWords: nil)

    /// Creates the analyzer with a name.
    ///
    /// - Parameters:
    ///   - name: One of ``names``.
    ///   - stopWords: The stop words; `nil` for the default stop words of the analyzer.
    /// - Throws: ``TextError`` when no analyzer has this name, or when the library for the words of its language is not
    ///   available.
    package init(named name: String, stopWords: [String]? = nil) throws(TextError) {
        guard let tokenizer = Self.tokenizers[name] ?? (TextStopWords.words(of: name) != nil ? Self.unicode : nil)
        else {
            throw .unknownAnalyzer(name)
        }
        if tokenizer[0] == Self.languageTokenizer, let failure = godwit_text_language_failure(name) {
            throw .unavailableAnalyzer(name, String(cString: failure))
        }
        self.init(name: name, tokenizer: tokenizer, stopWords: stopWords)
    }

    private init(name: String, tokenizer: [String], stopWords: [String]?) {
        self.name = name
        self.tokenizer = tokenizer
        ownStopWords = stopWords
        self.stopWords =
            stopWords.map { Set($0.map { TextStopWords.lowercased($0, in: name) }) } ?? TextStopWords.words(of: name)
            ?? []
    }

    /// The names of all analyzers.
    package static let names = Set(tokenizers.keys).union(TextStopWords.languages).sorted()

    private static let unicode = ["unicode61", "remove_diacritics", "2"]

    private static let languageTokenizer = "godwit_language"

    private static let languages: [String: [String]] = {
        var languages: [String: [String]] = [:]
        while let name = godwit_text_language_name(Int32(languages.count)).map(String.init(cString:)) {
            languages[name] = [languageTokenizer, name]
        }
        return languages
    }()

    private static let tokenizers: [String: [String]] = languages.merging(fts5Tokenizers) { $1 }

    private static let fts5Tokenizers: [String: [String]] = [
        "standard": unicode,
        "classic": unicode,
        "email": unicode,
        "simple": unicode + ["categories", "L* Co"],
        "simple_asciifolding": unicode + ["categories", "L* Co"],
        "whitespace": unicode + ["categories", "L* M* N* P* S* Co"],
        "keyword": unicode + ["categories", "L* M* N* P* S* Z* Co"],
        "porter": ["porter"] + unicode,
        "english": ["porter"] + unicode,
    ]

    /// Whether the analyzer uses the custom tokenizer for languages.
    var isOfLanguage: Bool { tokenizer[0] == Self.languageTokenizer }

    /// The version of the tokenizer for languages; `nil` for tokenizers of FTS5. The version changes when the tokenizer
    /// may split a text differently.
    var version: String? {
        isOfLanguage ? String(godwit_text_language_version(name), radix: 16) : nil
    }

    /// Registers the tokenizer for languages with a connection, if the analyzer uses it.
    func register(on connection: SQLiteConnection) throws {
        guard isOfLanguage else { return }
        try connection.extend("text languages") { godwit_text_languages_register($0) }
    }

    /// Whether a query ignores a word. The word must have its original spelling, not the form of the index.
    func isStopWord(_ word: String) -> Bool {
        // Exact: canonically equivalent texts are the same word of a language.
        !stopWords.isEmpty && stopWords.contains(TextStopWords.lowercased(word, in: name))
    }

    /// Whether mail addresses are single words.
    var keepsAddresses: Bool { name == "email" }

    /// The tokenizer as an argument of `CREATE VIRTUAL TABLE`.
    var tokenizerOption: String {
        let words = tokenizer.map { $0.includes(" ") ? "'\($0)'" : $0 }
        return "tokenize=\"\(words.joined(separator: " "))\""
    }
}

extension TextAnalyzer {
    /// Parses an analyzer: its name, or an object with `name` and optionally `stopwords`.
    ///
    /// - Throws: ``TextError`` when the value has another form, the analyzer does not exist or is not available, or its
    ///   stop words are invalid or too many.
    package init(parsing value: JSONValue) throws(TextError) {
        guard let name = value.stringValue ?? value["name"]?.stringValue else {
            throw .invalidValue(of: "analyzer", value.jsonText())
        }
        let stopWordsValue = value["stopwords"]
        let words = stopWordsValue?.arrayValue?.compactMap(\.stringValue)
        guard words?.count == stopWordsValue?.arrayValue?.count, stopWordsValue == nil || words != nil,
            words?.count ?? 0 <= TextLimits.stopWordsMax
        else { throw .invalidValue(of: "stopwords", stopWordsValue?.jsonText() ?? "") }
        try self.init(named: name, stopWords: words)
    }

    /// The analyzer, as in an index's definition.
    package var json: JSONValue {
        guard let ownStopWords else { return .string(name) }
        return ["name": .string(name), "stopwords": .array(ownStopWords.map { .string($0) })]
    }
}
