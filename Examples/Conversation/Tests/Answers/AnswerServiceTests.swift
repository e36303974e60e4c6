//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitTesting
import Testing

@testable import ConversationCore

@Suite("A corpus that changes", .timeLimit(.minutes(5)))
struct AnswerServiceTests {
    private static let pairs = ["Gout", "Malaria"].map { topic in
        QuestionAnswer(
            id: topic, question: "What is \(topic) ?", answer: "\(topic) is a disease.", focus: topic,
            kind: "information")
    }

    @Test("Questions are answered after the corpus is indexed, and from later changes") func changes() async throws {
        try await withTemporaryDatastore { datastore in
            let service = AnswerService(datastore, parameters: .health)
            await #expect(throws: AnswerService.NotReady.self) { try await service.answers(to: "what is gout") }
            let running = Task { await service.run() }
            defer { running.cancel() }
            let corpus = try await AnswerCorpus(datastore)
            _ = try await corpus.add(Self.pairs)
            while !service.isCurrent { try await Task.sleep(for: .milliseconds(20)) }
            let found = try await service.answers(to: "what is gout")
            #expect(found.answers.first?.pair.id == "Gout")
            #expect(found.explanation.topic == ["gout"])
            var changed = Self.pairs[0]
            (changed.id, changed.focus, changed.question) = ("Mumps", "Mumps", "What is Mumps ?")
            _ = try await corpus.add([changed])
            while !service.isCurrent { try await Task.sleep(for: .milliseconds(20)) }
            let later = try await service.answers(to: "what is mumps").answers
            #expect(later.first?.pair.id == "Mumps")
        }
    }

    @Test("A reranker decides the order") func reranker() async throws {
        struct Backwards: Reranker {
            func scores(of candidates: [AnswerCandidate], for question: String) -> [Double] {
                candidates.map { $0.pair.id == "Malaria" ? 100 : 50 }
            }
        }
        try await withTemporaryDatastore { datastore in
            let corpus = try await AnswerCorpus(datastore)
            _ = try await corpus.add(Self.pairs)
            let engine = try AnswerEngine(corpus, parameters: .health, reranker: Backwards())
            let answers = try await engine.answers(to: "what is gout, and what is malaria")
            #expect(answers.map(\.pair.id) == ["Malaria", "Gout"])
        }
    }

    @Test("A corpus of a file is read in batches, and wrong lines are named") func file() async throws {
        let line = #"{"question": "What is x ?", "answer": "y", "id": "same", "synonyms": "a; b"}"#
        let text = Array(String(repeating: line + "\n\n", count: 1_203).utf8)
        var (sizes, ids) = ([Int](), Set<String>())
        let count = try await CorpusFile(text).read { batch in
            sizes.append(batch.count)
            ids.formUnion(batch.map(\.id))
            #expect(batch[0].synonyms == ["a", "b"])
        }
        #expect(count == 1_203 && sizes == [500, 500, 203] && ids.count == 1_203)
        for (text, reason) in [("{}", "Line 1"), (line + "\nno", "Line 2"), ("[]\n", "Line 1")] {
            let error = await #expect(throws: CorpusFile.Failure.self) {
                try await CorpusFile(Array(text.utf8)).read { _ in }
            }
            #expect(error?.description.contains(reason) == true)
        }
        #expect(throws: CorpusFile.Failure.self) { try CorpusFile(path: "/absent/corpus.jsonl") }
    }

    @Test("Titles contain shorter names")
    func titles() {
        let names = { (title: String) in TopicTitle(title).names }
        #expect(names("Kidney Failure: What to Expect").contains("Kidney Failure"))
        #expect(names("What I need to know about Kidney Failure and How Its Treated").contains("Kidney Failure"))
        #expect(names("Chronic Fatigue Syndrome (CFS)").contains("CFS"))
        #expect(names("Parkinson's Disease") == ["Parkinson's Disease", "Parkinson"])
        #expect(names("Kidney Disease") == ["Kidney Disease"] && names("Crohn's Disease: Eating").contains("Crohn"))
        #expect(names("Crohn (a remark of many words) disease").contains { !$0.contains("(") })
        #expect(names("Gout") == ["Gout"] && names("") == [""] && names(")(") == [")("])
        #expect(names("Crohn's Disease (regional enteritis)").contains("Crohn"))
    }

    @Test("The passage is the paragraph with the words of the question, near to each other")
    func passages() {
        let answer = "Gout is old.\n\nDrugs treat gout. Many drugs are known, and all help against gout.\nRest."
        let passage = Passage(of: answer, for: ["drug", "gout"]) { _ in 1 }
        #expect(passage.text.hasPrefix("Drugs treat gout.") && passage.coverage == 1)
        #expect(passage.proximity == 2.0 / 3)
        let none = Passage(of: answer, for: ["asthma"]) { _ in 1 }
        #expect(none.text == "Gout is old." && none.coverage == 0 && none.proximity == 0)
        let empty = Passage(of: "\n \n", for: []) { _ in 1 }
        #expect(empty.text.isEmpty && empty.coverage == 0)
    }

    @Test("A number is read as the corpus writes it") func numbers() {
        var vocabulary = Vocabulary()
        vocabulary.add(["type", "2", "diabetes"])
        #expect(vocabulary.mended("two") == "2" && vocabulary.mended("three") == "three")
    }
}
