//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CTextWords
package import GodwitJSON
import GodwitSQLite

/// How a text is taken apart into words: a tokenizer of FTS5, and stop words.
///
/// | name | words |
/// |---|---|
/// | `standard`, `classic` | runs of letters and digits, without case and diacritics |
/// | `simple`, `simple_asciifolding` | the same, of letters alone |
/// | `whitespace` | whatever stands between spaces, without case and diacritics |
/// | `email` | as `standard`, an address of mail being one word where a function gives the fields |
/// | `keyword` | each value as a whole, without case and diacritics |
/// | `porter` | as `standard`, English words reduced to their stems |
/// | `english` | as `porter`, with stop words |
/// | `danish`, `german`, `french` … | as `standard`, reduced to their stems by Snowball, with the language's stop words |
/// | `persian` | as `standard`, letters that are written in several ways being one, with stop words |
/// | `chinese`, `japanese`, `thai` | those that ICU's dictionary finds, with stop words |
/// | `cjk` | each two characters of Chinese, Japanese and Korean beside one another, and English stop words |
/// | `bulgarian`, `czech`, `galician`, `latvian`, `polish` | as `standard`, with the language's stop words |
///
/// The languages from `danish` to `cjk` have a tokenizer of our own (`CTextWords`); the others have FTS5's.
///
/// Stop words are in the index all the same: a query leaves them out where they stand alone, and a phrase with them is
/// found as it is.
package struct TextAnalyzer: Sendable, Equatable {
    /// The name, as an index's definition has it.
    package let name: String
    /// The stop words that an index's definition brings; `nil` for those of the name.
    package let ownStopWords: [String]?
    /// Words that count for nothing in a query, in lower case.
    private let stopWords: Set<String>
    /// The tokenizer of FTS5 with its arguments.
    let tokenizer: [String]

    /// The analyzer of CouchDB's default field.
    package static let standard = TextAnalyzer(name: "standard", tokenizer: unicode, stopWords: nil)

    /// What takes texts apart whose words stand on lines of their own already; it leaves them as they are.
    static let lines = TextAnalyzer(
        name: "lines", tokenizer: ["unicode61", "remove_diacritics", "0", "categories", "L* M* N* P* S* Z* Co"],
        stopWords: nil)

    /// The analyzer of a name.
    ///
    /// - Parameters:
    ///   - name: One of ``names``.
    ///   - stopWords: Stop words in place of the name's.
    /// - Throws: ``TextError`` when there is none of this name, or the library is missing that reduces its words.
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

    private static let tokenizers: [String: [String]] = languages.merging(own) { $1 }

    private static let own: [String: [String]] = [
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

    /// Whether words come of the tokenizer for languages.
    var isOfLanguage: Bool { tokenizer[0] == Self.languageTokenizer }

    /// Changes when the words of a text may be others than before; `nil` where they are FTS5's.
    var version: String? {
        isOfLanguage ? String(godwit_text_language_version(name), radix: 16) : nil
    }

    /// Makes the tokenizer known to a connection.
    func register(on connection: SQLiteConnection) throws {
        guard isOfLanguage else { return }
        try connection.extend("text languages") { godwit_text_languages_register($0) }
    }

    /// Whether a word, as it is written, counts for nothing.
    func isStopWord(_ word: String) -> Bool {
        !stopWords.isEmpty && stopWords.contains(TextStopWords.lowercased(word, in: name))
    }

    /// Whether addresses of mail are words.
    var keepsAddresses: Bool { name == "email" }

    /// The tokenizer as an argument of `CREATE VIRTUAL TABLE`.
    var tokenizerOption: String {
        let words = tokenizer.map { $0.contains(" ") ? "'\($0)'" : $0 }
        return "tokenize=\"\(words.joined(separator: " "))\""
    }
}

extension TextAnalyzer {
    /// Reads an analyzer: its name, or an object with `name` and perhaps `stopwords`.
    ///
    /// - Throws: ``TextError`` when there is no such analyzer.
    package init(parsing value: JSONValue) throws(TextError) {
        guard let name = value.stringValue ?? value["name"]?.stringValue else {
            throw .invalidValue(of: "analyzer", value.jsonText())
        }
        let given = value["stopwords"]
        let words = given?.arrayValue?.compactMap(\.stringValue)
        guard words?.count == given?.arrayValue?.count, given == nil || words != nil,
            words?.count ?? 0 <= TextLimits.stopWordsMax
        else { throw .invalidValue(of: "stopwords", given?.jsonText() ?? "") }
        try self.init(named: name, stopWords: words)
    }

    /// The analyzer as an index's definition has it.
    package var json: JSONValue {
        guard let ownStopWords else { return .string(name) }
        return ["name": .string(name), "stopwords": .array(ownStopWords.map { .string($0) })]
    }
}
