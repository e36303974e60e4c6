//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The words of a corpus, with which the spelling of questions is corrected.
///
/// A word of 5 to 40 letters that the corpus does not contain is replaced by the most frequent word of the corpus that
/// differs by one letter. A letter may be inserted, omitted or replaced, or two neighboring letters exchanged. To find
/// similar words, a table contains each word of the corpus, and each form of the word with one letter left out. A
/// number word is replaced by its digits if the corpus contains the digits more often.
struct Vocabulary: Sendable {
    /// The lengths of words that are corrected. Longer texts are not words, and would have many forms.
    private static let lengths = 5...40

    private static let digits = [
        "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
        "eight": "8", "nine": "9", "ten": "10",
    ]

    private var counts: [String: Int] = [:]
    private var shortened: [String: [String]] = [:]

    /// Adds the words of a text, each once.
    mutating func add(_ words: Set<String>) {
        for word in words {
            let count = counts[word, default: 0]
            counts[word] = count + 1
            guard count == 0, Vocabulary.lengths ~= word.count else { continue }
            for form in Vocabulary.shortened(word) { shortened[form, default: []].append(word) }
        }
    }

    /// Returns the word of the corpus that replaces a word of a question. If the corpus contains no similar word,
    /// returns the word unchanged.
    func mended(_ word: String) -> String {
        // Speech recognition writes "type two" for "type 2".
        if let digit = Vocabulary.digits[word], counts[digit, default: 0] > counts[word, default: 0] { return digit }
        guard Vocabulary.lengths ~= word.count, counts[word] == nil else { return word }
        var best: (word: String, count: Int)?
        for form in Vocabulary.shortened(word) {
            for candidate in shortened[form] ?? [] where Vocabulary.areNear(word, candidate) {
                let count = counts[candidate] ?? 0
                let isBetter = best.map { (count, $0.word) > ($0.count, candidate) } ?? true
                if isBetter { best = (candidate, count) }
            }
        }
        return best?.word ?? word
    }

    /// Returns the word and its forms with one letter left out.
    private static func shortened(_ word: String) -> Set<String> {
        var forms: Set = [word]
        for index in word.indices {
            var form = word
            form.remove(at: index)
            forms.insert(form)
        }
        return forms
    }

    /// Whether two words are equal, differ by one letter, or differ by two neighboring letters that are exchanged.
    static func areNear(_ left: String, _ right: String) -> Bool {
        let (short, long) = left.count <= right.count ? (Array(left), Array(right)) : (Array(right), Array(left))
        guard long.count - short.count <= 1 else { return false }
        let start = zip(short, long).prefix { $0 == $1 }.count
        guard start < long.count else { return true }
        if short.count < long.count { return short[start...].elementsEqual(long[(start + 1)...]) }
        if short[(start + 1)...].elementsEqual(long[(start + 1)...]) { return true }
        return start + 1 < short.count && short[start] == long[start + 1] && short[start + 1] == long[start]
            && short[(start + 2)...].elementsEqual(long[(start + 2)...])
    }
}
