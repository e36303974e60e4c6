//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The paragraph of an answer that agrees best with a question. Its beginning is shown and spoken. If the paragraph
/// introduces a list, the list follows it.
struct Passage: Sendable {
    private static let lengthMax = 600

    /// The weight of the question's words that the paragraph contains, divided by the weight of all words of the
    /// question: from 0 to 1.
    let coverage: Double
    /// The closeness of the question's words in the paragraph. It is the number of different words of the question that
    /// the paragraph contains, divided by the number of all words in the shortest range that contains these words. It
    /// is 0 if the paragraph contains no word of the question.
    let proximity: Double
    /// The best paragraph and all paragraphs after it.
    private let paragraphs: ArraySlice<Substring>

    /// Finds the paragraph with the highest weight of words of the question.
    ///
    /// - Parameters:
    ///   - answer: Paragraphs that are divided by newlines.
    ///   - stems: The stems of the question's words.
    ///   - weight: The weight of a stem.
    init(of answer: String, for stems: Set<String>, weight: (String) -> Double) {
        let all = answer.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        var (best, bestWeight, bestStems) = (0, -1.0, [String]())
        for (index, paragraph) in all.enumerated() {
            let found = AnswerWords.stems(of: String(paragraph))
            let shared = Set(found).intersection(stems).reduce(0) { $0 + weight($1) }
            if shared > bestWeight { (best, bestWeight, bestStems) = (index, shared, found) }
        }
        paragraphs = all[best...]
        let total = stems.reduce(0) { $0 + weight($1) }
        coverage = total > 0 ? max(0, bestWeight) / total : 0
        proximity = Passage.proximity(of: stems, in: bestStems)
    }

    private static func proximity(of stems: Set<String>, in words: [String]) -> Double {
        let wanted = Set(words).intersection(stems).count
        guard wanted > 0 else { return 0 }
        var (counts, start, shortest) = ([String: Int](), 0, words.count)
        for (end, word) in words.enumerated() where stems.contains(word) {
            counts[word, default: 0] += 1
            while counts.count == wanted {
                shortest = min(shortest, end - start + 1)
                if let count = counts[words[start]] { counts[words[start]] = count == 1 ? nil : count - 1 }
                start += 1
            }
        }
        return Double(wanted) / Double(shortest)
    }

    /// The beginning of the paragraph. If the paragraph is an introduction, the following paragraphs are included. The
    /// text has at most 600 characters. A longer text is cut after a sentence or a line. If no sentence and no line
    /// ends within the 600 characters, the text is cut there and ends with `…`.
    var text: String {
        let first = String(paragraphs.first ?? "")
        var text = first
        let isIntroduction = Passage.isIntroduction(first)
        if isIntroduction {
            for next in paragraphs.dropFirst() where text.count <= Passage.lengthMax { text += "\n\(next)" }
        }
        guard text.count > Passage.lengthMax else { return text }
        let beginning = text.prefix(Passage.lengthMax)
        // If the text is shortened, at least a part of the list must remain after the introduction.
        let required = isIntroduction ? first.count + 1 : 0
        let end = beginning.indices.dropFirst(required).last { index in
            let next = beginning.index(after: index)
            guard next < beginning.endIndex, beginning[next].isWhitespace else { return false }
            return beginning[next].isNewline || [".", "!", "?"].contains(beginning[index])
        }
        return end.map { String(beginning[...$0]) } ?? "\(beginning.dropLast())…"
    }

    /// Whether a paragraph is a title, a question, or the beginning of a sentence that a list completes.
    private static func isIntroduction(_ paragraph: String) -> Bool {
        guard let last = paragraph.last(where: { !$0.isWhitespace && !["\"", "”", ")", "]"].contains($0) }) else {
            return true
        }
        return ![".", "!", "…"].contains(last)
    }
}
