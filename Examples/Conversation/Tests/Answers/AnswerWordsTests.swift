//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ConversationCore

@Suite("Words of questions")
struct AnswerWordsTests {
    @Test("Words are runs of letters and digits in lower case") func words() {
        #expect(AnswerWords.words(of: "What's Gaucher, TYPE 2?") == ["what", "gaucher", "type", "2"])
        #expect(
            AnswerWords.words(of: "Alzheimer’s, vitamin s' and I'm") == ["alzheimer", "vitamin", "s", "and", "i", "m"])
        #expect(AnswerWords.words(of: "Sjögren") == ["sjögren"])
        #expect(AnswerWords.words(of: " ,.? ").isEmpty)
    }

    @Test(
        "Forms of a word share a stem",
        arguments: [
            ["treat", "treats", "treated", "treating", "treatment", "treatments"], ["therapy", "therapies"],
            ["mutation", "mutations"], ["cancer", "cancers"], ["alzheimer", "alzheimers"],
        ])
    func stems(forms: [String]) { #expect(Set(forms.map { AnswerWords.stem($0) }).count == 1) }

    @Test("Short words keep their endings", arguments: ["as", "bed", "king", "aids", "eyes"])
    func shortWords(word: String) { #expect(AnswerWords.stem(word) == word) }

    @Test(
        "The last sentence asks",
        arguments: [
            ("I am 45. What is gout?", " What is gout?"), ("What is gout?", "What is gout?"), ("gout", "gout"),
            ("Please help: what causes v. cholera infections? ", " cholera infections?"), ("?", ""), ("", ""),
        ])
    func lastSentence(text: String, sentence: String) {
        let stripped = sentence.hasSuffix("?") ? String(sentence.dropLast()) : sentence
        #expect(AnswerWords.lastSentence(of: text) == stripped[...])
    }
}

@Suite("Mending the spelling")
struct VocabularyTests {
    private var vocabulary: Vocabulary {
        var vocabulary = Vocabulary()
        vocabulary.add(["psoriasis", "diabetes", "gout"])
        vocabulary.add(["diabetes", "scabies", "rabies"])
        return vocabulary
    }

    @Test(
        "One letter is inserted, left out, replaced or exchanged",
        arguments: ["psoriasis", "psoriaasis", "psoiasis", "psoreasis", "psoraisis", "psoriasi", "psoriasiss"])
    func oneEdit(word: String) { #expect(vocabulary.mended(word) == "psoriasis") }

    @Test("Other words stay", arguments: ["gou", "goat", "psrasis", "treatment", ""])
    func others(word: String) { #expect(vocabulary.mended(word) == word) }

    @Test("Of several words the most frequent one is taken, then the first one by the alphabet") func frequent() {
        var vocabulary = vocabulary
        vocabulary.add(["labies"])
        #expect(vocabulary.mended("babies") == "labies")
        vocabulary.add(["rabies"])
        #expect(vocabulary.mended("babies") == "rabies")
    }

    @Test("Two words are near if one edit leads from one to the other, in each direction") func near() {
        let near = [("abc", "abd"), ("abc", "acb"), ("abc", "ab"), ("abc", "xabc"), ("abc", "abc"), ("", "a")]
        for (left, right) in near {
            #expect(Vocabulary.areNear(left, right) && Vocabulary.areNear(right, left), "\(left) \(right)")
        }
        for (left, right) in [("abc", "cab"), ("abc", "a"), ("abcd", "badc"), ("abc", "xyc")] {
            #expect(!Vocabulary.areNear(left, right) && !Vocabulary.areNear(right, left), "\(left) \(right)")
        }
    }
}
