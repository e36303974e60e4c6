//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The words of questions and names: their spelling, their stems, and the stop words.
///
/// `Conversation/Training/answers.py` must have the same rules, because the learned parameters contain stems.
enum AnswerWords {
    private static let apostrophes: Set<Unicode.Scalar> = ["'", "’"]

    /// Returns the runs of letters and digits in lower case. An `s` after an apostrophe is left out: "Alzheimer's" is
    /// "alzheimer".
    static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var followsApostrophe = false
        func end() {
            if !word.isEmpty, !(followsApostrophe && word == "s") { words.append(word) }
            word = ""
        }
        for scalar in text.lowercased().unicodeScalars {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                word.unicodeScalars.append(scalar)
            } else {
                let endsWord = !word.isEmpty
                end()
                followsApostrophe = endsWord && apostrophes.contains(scalar)
            }
        }
        end()
        return words
    }

    /// Returns the stems of a text, in their order.
    static func stems(of text: String) -> [String] { words(of: text).map { stem($0) } }

    private static let endings = [
        "ations", "ation", "ments", "ment", "ings", "ing", "ness", "ers", "er", "ed", "es", "s", "al", "ic", "ly", "e",
    ]
    private static let stemLengthMin = 4

    /// Returns the stem of an English word: the part that the forms of the word share. The stem need not be a word.
    static func stem(_ word: String) -> String {
        let length = word.utf8.count
        if length > 5, word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        for ending in endings where word.hasSuffix(ending) && length - ending.utf8.count >= stemLengthMin {
            return String(word.dropLast(ending.count))
        }
        return word
    }

    /// Whether a word says nothing about the topic.
    static func isStopWord(_ word: String) -> Bool { stopWords.contains(word) }

    private static let stopWords = Set(
        """
        a an the of in on is are was be been do does did to for with and or what how which who when where why can could i my \
        me you your it its that this these those there have has had if at by from as about any will would should am not we our \
        they their he she his her so into than then some more
        """.split(separator: " ").map(String.init))

    /// Returns the last sentence of a question, without its punctuation mark. A colon also ends a sentence. Earlier
    /// sentences are left out, because they often describe the person who asks.
    static func lastSentence(of text: String) -> Substring {
        let ends: Set<Character> = [".", "!", "?", ":"]
        var rest = text[...]
        while let last = rest.last, last.isWhitespace || ends.contains(last) { rest.removeLast() }
        guard
            let end = rest.indices.last(where: { index in
                guard ends.contains(rest[index]) else { return false }
                let next = rest.index(after: index)
                return next < rest.endIndex && rest[next].isWhitespace
            })
        else { return rest }
        return rest[rest.index(after: end)...]
    }
}
