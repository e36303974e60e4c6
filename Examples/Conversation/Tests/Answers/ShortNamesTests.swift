//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ConversationCore

@Suite("Short names of topics")
struct ShortNamesTests {
    private func names(_ titles: [String], answers: [String] = []) -> ShortNames {
        let topics = titles.map { title in
            ShortNames.Topic(
                title: title, names: Set(TopicTitle(title).names.map { AnswerWords.words(of: $0) }))
        }
        let acronyms = answers.enumerated().flatMap { index, answer in
            Acronym.all(of: QuestionAnswer(id: "\(index)", question: "?", answer: answer))
        }
        return ShortNames(of: topics, acronyms: acronyms)
    }

    private func titles(_ name: String, in names: ShortNames) -> Set<String> {
        names.titles[AnswerWords.stems(of: name)] ?? []
    }

    @Test(
        "A general last word can be left out",
        arguments: [
            ("Celiac Disease", "celiac"), ("Restless Legs Syndrome", "restless legs"),
            ("Restless Legs Syndrome", "restless leg"), ("Irritable Bowel Syndrome in Children", "irritable bowel"),
            ("Lactose Intolerance", "lactose intolerant"), ("Traumatic Brain Injury", "traumatic brain"),
        ])
    func general(title: String, name: String) { #expect(titles(name, in: names([title, "Gout"])) == [title]) }

    @Test("A beginning that can mean another topic is no name")
    func ambiguous() {
        let found = names(["Kidney Disease", "Kidney Stones", "Celiac Disease", "Skin Manifestation of Celiac Disease"])
        #expect(titles("kidney", in: found).isEmpty)
        #expect(titles("celiac", in: found) == ["Celiac Disease"])
    }

    @Test("An acronym after the name of a topic is a name of the topic") func acronyms() {
        let found = names(
            ["Restless Legs Syndrome", "Stroke", "Urinary Tract Infections"],
            answers: [
                "Restless legs syndrome (RLS) is common. (See below.)",
                "Stroke (NINDS) and urinary tract infections (UTIs).",
            ])
        #expect(titles("rls", in: found) == ["Restless Legs Syndrome"])
        #expect(titles("uti", in: found) == ["Urinary Tract Infections"])
        #expect(titles("ninds", in: found).isEmpty && found.explanations["ninds"] == nil)
    }

    @Test("An acronym that is no topic is explained by the line of which it is the subject") func explanations() {
        let found = names(
            ["Cough"],
            answers: [
                "Causes are gastroesophageal reflux disease (GERD), GERD and GERD.",
                "Asthma or gastroesophageal reflux disease (GERD).\nGERD occurs if acid backs up.",
            ])
        #expect(found.explanations["gerd"]?.id == "1" && found.explanations["gerd"]?.paragraph == 1)
    }

    @Test(
        "The title of a topic has its usual names",
        arguments: [
            ("Parasites - American Trypanosomiasis (also known as Chagas Disease)", "Chagas Disease"),
            ("Parasites - Lice - Head Lice", "Head Lice"), ("Peripheral Arterial Disease (P.A.D.)", "PAD"),
        ])
    func titles(title: String, name: String) { #expect(TopicTitle(title).names.contains(name)) }
}
