//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConversationCore
import GodwitJSON
import GodwitStore
import GodwitTesting
import Testing

@Suite("Answers from a corpus", .timeLimit(.minutes(5)))
struct AnswerEngineTests {
    private static let topics = [
        ("Psoriasis", ["Plaque psoriasis"]), ("Gout", ["Gouty arthritis"]), ("Asthma", []),
        ("Hereditary hemochromatosis", ["Bronze diabetes"]), ("Malaria", []), ("Migraine", ["Migraine headache"]),
    ]
    private static let kinds = [
        "information": ("What is %@ ?", "%@ is a condition that doctors know."),
        "symptoms": ("What are the symptoms of %@ ?", "The signs of %@ are pain and fever."),
        "treatment": ("What are the treatments for %@ ?", "Doctors treat %@ with drugs, therapy and surgery."),
        "inheritance": ("Is %@ inherited ?", "Parents pass a gene for %@ to their children."),
    ]

    private static var pairs: [QuestionAnswer] {
        topics.flatMap { focus, synonyms in
            kinds.sorted { $0.key < $1.key }.map { kind, texts in
                QuestionAnswer(
                    id: "\(focus)-\(kind)", question: texts.0.replacing("%@", with: focus),
                    answer: texts.1.replacing("%@", with: focus), focus: focus, synonyms: synonyms, kind: kind,
                    source: "test", url: "https://example.org/\(focus)")
            }
        }
    }

    private func withEngine(_ body: (AnswerEngine, AnswerCorpus) async throws -> Void) async throws {
        try await withTemporaryDatastore { datastore in
            let corpus = try await AnswerCorpus(datastore)
            let count = try await corpus.add(Self.pairs)
            #expect(count == Self.pairs.count)
            try await body(try AnswerEngine(corpus, parameters: .health), corpus)
        }
    }

    @Test("Topic and kind are found by other words, a synonym, with a typing error, after other sentences")
    func ranks() async throws {
        try await withEngine { engine, _ in
            for (question, id) in [
                ("how is psoriasis treated?", "Psoriasis-treatment"), ("which drugs help with gout", "Gout-treatment"),
                ("My mother is worried. What are the signs of asthma?", "Asthma-symptoms"),
                ("will my children get bronze diabetes", "Hereditary hemochromatosis-inheritance"),
                ("what is migrain headache", "Migraine-information"), ("symptoms malarai", "Malaria-symptoms"),
            ] {
                let answers = try await engine.answers(to: question)
                #expect(answers.first?.pair.id == id, "\(question): \(answers.map(\.pair.id))")
            }
        }
    }

    @Test("The same question has the same answers, with falling confidence") func order() async throws {
        try await withEngine { engine, _ in
            let first = try await engine.answers(to: "what is asthma", limit: 4)
            let second = try await engine.answers(to: "what is asthma", limit: 4)
            #expect(first.map(\.pair.id) == second.map(\.pair.id))
            #expect(first.map(\.confidence) == second.map(\.confidence))
            #expect(zip(first, first.dropFirst()).allSatisfy { $0.confidence >= $1.confidence })
            #expect(first.allSatisfy { 0...1 ~= $0.confidence && !$0.passage.isEmpty && $0.features.count == 12 })
        }
    }

    @Test(
        "Questions of other topics, without words and with signs of queries have no answer",
        arguments: ["", "?", "who won the world cup", "the of and", "\"*:* AND (", "NOT title:x~2 [1 TO"])
    func noAnswers(question: String) async throws {
        try await withEngine { engine, _ in
            let answers = try await engine.answers(to: question)
            #expect(answers.isEmpty)
        }
    }

    @Test("A corpus that is added again is not written, and changed questions are replaced")
    func addsAgain() async throws {
        try await withEngine { _, corpus in
            let count = try await corpus.add(Self.pairs)
            #expect(count == 0)
            var changed = Self.pairs[0]
            changed.answer = "Another answer."
            let changedCount = try await corpus.add([changed])
            let document = try corpus.datastore.document(changed.id)
            #expect(changedCount == 1 && QuestionAnswer(document) == changed)
        }
    }

    @Test("Questions that a list of ids does not name are deleted, other documents are not")
    func removesOthers() async throws {
        try await withEngine { _, corpus in
            _ = try await corpus.datastore.create(Document(id: "note", body: ["text": "x"]))
            try await corpus.removeAll(except: [Self.pairs[1].id, "absent"])
            let left = try corpus.first(100)
            #expect(left == [Self.pairs[1]])
            #expect(try corpus.datastore.document("note").id == "note")
        }
    }

    @Test("A short answer yields to a longer one of the same topic and kind")
    func shortAnswers() async throws {
        try await withEngine { _, corpus in
            let pointer = QuestionAnswer(
                id: "pointer", question: "What is Gout ?", answer: "More information about gout: what is gout?",
                focus: "Gout", kind: "information")
            var long = Self.pairs.first { $0.id == "Gout-information" }
            long?.answer += String(repeating: " Doctors have known it for a long time.", count: 10)
            _ = try await corpus.add([pointer, try #require(long)])
            let engine = try AnswerEngine(corpus, parameters: .health)
            let answers = try await engine.answers(to: "what is gout")
            #expect(answers.map(\.pair.id).prefix(2) == ["Gout-information", "pointer"])
            #expect(answers[0].confidence >= answers[1].confidence)
            _ = try await corpus.add([try #require(Self.pairs.first { $0.id == "Gout-information" })])
            let short = try await AnswerEngine(corpus, parameters: .health).answers(to: "what is gout")
            #expect(short.first?.pair.id == "pointer")
        }
    }

    @Test("Lines without a question or an answer are no questions") func lines() throws {
        #expect(QuestionAnswer(line: ["question": "x"]) == nil)
        #expect(QuestionAnswer(line: ["question": "", "answer": "y"]) == nil)
        let pair = try #require(QuestionAnswer(line: ["question": "x", "answer": "y", "synonyms": ["z", 1]]))
        #expect(pair.synonyms == ["z"] && pair.id.count == 32)
        // Another answer of the same source replaces it.
        #expect(QuestionAnswer(line: ["question": "x", "answer": "z"])?.id == pair.id)
        #expect(QuestionAnswer(line: ["question": "x", "answer": "y", "source": "s"])?.id != pair.id)
    }
}
