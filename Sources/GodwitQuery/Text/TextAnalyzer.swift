//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// How a text is taken apart into words: one of FTS5's tokenizers, and stop words.
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
/// | `danish`, `german`, `french` … | as `standard`, with the language's stop words |
///
/// Stop words are in the index all the same: a query leaves them out where they stand alone, and a phrase with them is
/// found as it is.
package struct TextAnalyzer: Sendable, Equatable {
    /// The name, as an index's definition has it.
    package let name: String
    /// The stop words that an index's definition brings; `nil` for those of the name.
    package let ownStopWords: [String]?
    /// Words that count for nothing in a query, in lower case.
    let stopWords: Set<String>
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
    /// - Throws: ``TextError`` when there is none of this name.
    package init(named name: String, stopWords: [String]? = nil) throws(TextError) {
        guard let tokenizer = Self.tokenizers[name] ?? (TextStopWords.languages[name] != nil ? Self.unicode : nil)
        else {
            throw .unknownAnalyzer(name)
        }
        self.init(name: name, tokenizer: tokenizer, stopWords: stopWords)
    }

    private init(name: String, tokenizer: [String], stopWords: [String]?) {
        self.name = name
        self.tokenizer = tokenizer
        ownStopWords = stopWords
        self.stopWords = stopWords.map { Set($0.map { $0.lowercased() }) } ?? TextStopWords.languages[name] ?? []
    }

    /// The names of all analyzers.
    package static let names = (Array(tokenizers.keys) + TextStopWords.languages.keys.filter { $0 != "english" })
        .sorted()

    private static let unicode = ["unicode61", "remove_diacritics", "2"]

    private static let tokenizers: [String: [String]] = [
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
            words?.count ?? 0 <= QueryLimits.textStopWordsMax
        else { throw .invalidValue(of: "stopwords", given?.jsonText() ?? "") }
        try self.init(named: name, stopWords: words)
    }

    /// The analyzer as an index's definition has it.
    package var json: JSONValue {
        guard let ownStopWords else { return .string(name) }
        return ["name": .string(name), "stopwords": .array(ownStopWords.map { .string($0) })]
    }
}
