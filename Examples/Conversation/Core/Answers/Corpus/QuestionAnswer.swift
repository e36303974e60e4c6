//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
public import GodwitJSON
public import GodwitStore

/// A question of a corpus with its answer: a document.
public struct QuestionAnswer: Equatable, Sendable {
    /// The id of the document.
    public var id: String
    /// The question, as its source writes it.
    public var question: String
    /// The answer: paragraphs that are divided by newlines.
    public var answer: String
    /// The topic, for example the name of a disease.
    public var focus: String
    /// Other names of the topic.
    public var synonyms: [String]
    /// The kind of the question, such as `symptoms` or `treatment`; empty if the corpus has no kinds.
    public var kind: String
    /// The name of the source.
    public var source: String
    /// The address of the source; empty if there is none.
    public var url: String

    /// Creates a question with its answer.
    public init(
        id: String, question: String, answer: String, focus: String = "", synonyms: [String] = [], kind: String = "",
        source: String = "", url: String = ""
    ) {
        (self.id, self.question, self.answer) = (id, question, answer)
        (self.focus, self.synonyms, self.kind) = (focus, synonyms, kind)
        (self.source, self.url) = (source, url)
    }

    /// Reads a line of a corpus: an object with `question` and `answer`, and optionally `id`, `focus`, `synonyms`,
    /// `kind`, `source` and `url`. The result is `nil` if the question or the answer is absent, empty or not a text. If
    /// `id` is absent or empty, the id is derived from the question and its source, so that a new answer to the
    /// question replaces the earlier answer.
    public init?(line object: JSONObject) {
        let text = { (member: String) in object[member]?.stringValue ?? "" }
        guard !text("question").isEmpty, !text("answer").isEmpty else { return nil }
        let id = text("id")
        self.init(
            id: id.isEmpty ? QuestionAnswer.derivedID("\(text("source"))\n\(text("question"))") : id,
            question: text("question"), answer: text("answer"),
            focus: text("focus"), synonyms: QuestionAnswer.synonyms(object["synonyms"]),
            kind: text("kind"), source: text("source"), url: text("url"))
    }

    private static let derivedIDBytes = 16

    private static func derivedID(_ text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).prefix(derivedIDBytes).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Reads a list of names, or a text with semicolons between the names, as in CSV files.
    private static func synonyms(_ value: JSONValue?) -> [String] {
        if let names = value?.arrayValue { return names.compactMap(\.stringValue) }
        return (value?.stringValue ?? "").unicodeScalars.split(separator: ";").map { String($0.drop { $0 == " " }) }
    }

    /// Reads a document; `nil` if the document has no id or is not a question with an answer.
    public init?(_ document: Document) {
        guard let id = document.id, let pair = QuestionAnswer(line: document.body) else { return nil }
        self = pair
        self.id = id
    }

    /// The document.
    public var document: Document {
        var body: JSONObject = ["question": .string(question), "answer": .string(answer)]
        if !focus.isEmpty { body["focus"] = .string(focus) }
        if !synonyms.isEmpty { body["synonyms"] = .array(synonyms.map { .string($0) }) }
        for (member, text) in [("kind", kind), ("source", source), ("url", url)] where !text.isEmpty {
            body[member] = .string(text)
        }
        return Document(id: id, body: body)
    }
}
