//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitDatabase

/// A question that the user asked, with its answers. Each question is a document of the history.
public struct AskedQuestion: Equatable, Sendable {
    /// The value of the member `type` of each document.
    public static let type = "question"

    /// An answer as it was shown.
    public struct Answer: Equatable, Sendable {
        /// The text.
        public var text: String
        /// The confidence, from 0 to 1.
        public var confidence: Double
        /// The question of the corpus.
        public var question: String
        /// The name of the source.
        public var source: String
        /// The address of the source; empty if there is none.
        public var url: String

        /// Creates an answer.
        public init(text: String, confidence: Double, question: String, source: String, url: String) {
            (self.text, self.confidence) = (text, confidence)
            (self.question, self.source, self.url) = (question, source, url)
        }
    }

    /// The id of the document.
    public let id: String
    /// The question.
    public var question: String
    /// The time at which the question was asked, in milliseconds since 1970.
    public var askedAt: Int64
    /// Whether the question was spoken.
    public var isSpoken: Bool
    /// The answers, the best first. The list is empty if the corpus had no answer.
    public var answers: [Answer]
    /// The topics of the corpus that are nearest to a question without an answer.
    public var nearestTopics: [String]

    init(
        id: String, question: String, askedAt: Int64, isSpoken: Bool, answers: [Answer], nearestTopics: [String] = []
    ) {
        (self.id, self.question, self.askedAt) = (id, question, askedAt)
        (self.isSpoken, self.answers, self.nearestTopics) = (isSpoken, answers, nearestTopics)
    }

    /// Reads a document. `nil` for any other document.
    init?(_ document: Document) {
        guard let id = document.id, document.body["type"]?.stringValue == AskedQuestion.type,
            let question = document.body["question"]?.stringValue, let askedAt = document.body["askedAt"]?.intValue
        else { return nil }
        self.init(
            id: id, question: question, askedAt: Int64(askedAt),
            isSpoken: document.body["isSpoken"]?.boolValue ?? false,
            answers: (document.body["answers"]?.arrayValue ?? []).compactMap { Answer($0) },
            nearestTopics: (document.body["topics"]?.arrayValue ?? []).compactMap(\.stringValue))
    }

    /// The document.
    var document: Document {
        var body: JSONObject = [
            "type": .string(AskedQuestion.type), "question": .string(question), "askedAt": .integer(askedAt),
            "isSpoken": .bool(isSpoken), "answers": .array(answers.map(\.json)),
        ]
        if !nearestTopics.isEmpty { body["topics"] = .array(nearestTopics.map { .string($0) }) }
        return Document(id: id, body: body)
    }

    /// The question as JSON.
    public var json: JSONValue {
        var members = document.body
        members["id"] = .string(id)
        return .object(members)
    }
}

extension AskedQuestion.Answer {
    fileprivate init?(_ value: JSONValue) {
        guard let text = value["text"]?.stringValue else { return nil }
        let member = { (name: String) in value[name]?.stringValue ?? "" }
        self.init(
            text: text, confidence: value["confidence"]?.doubleValue ?? 0, question: member("question"),
            source: member("source"), url: member("url"))
    }

    fileprivate var json: JSONValue {
        [
            "text": .string(text), "confidence": .double(confidence), "question": .string(question),
            "source": .string(source), "url": .string(url),
        ]
    }
}
