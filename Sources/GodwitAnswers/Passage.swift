//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The paragraph of an answer that agrees best with a question. Its beginning is shown and spoken.
struct Passage: Sendable {
    private static let lengthMax = 600

    /// The part of the question's words that the paragraph has, by weight, from 0 to 1.
    let coverage: Double
    /// How near these words are to each other: their number in relation to that of all words between the first and the last
    /// one, in the shortest such range; 0 without any.
    let proximity: Double
    private let paragraph: Substring

    /// Finds the paragraph with the highest weight of words of the question.
    ///
    /// - Parameters:
    ///   - answer: Paragraphs that are divided by newlines.
    ///   - stems: The stems of the question's words.
    ///   - weight: The weight of a stem.
    init(of answer: String, for stems: Set<String>, weight: (String) -> Double) {
        var (best, bestWeight, bestStems) = (Substring(), -1.0, [String]())
        for paragraph in answer.split(separator: "\n") where !paragraph.allSatisfy(\.isWhitespace) {
            let found = AnswerWords.stems(of: String(paragraph))
            let shared = Set(found).intersection(stems).reduce(0) { $0 + weight($1) }
            if shared > bestWeight { (best, bestWeight, bestStems) = (paragraph, shared, found) }
        }
        let all = stems.reduce(0) { $0 + weight($1) }
        paragraph = best
        coverage = all > 0 ? max(0, bestWeight) / all : 0
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

    /// The beginning of the paragraph: at most 600 characters of whole sentences.
    var text: String {
        guard paragraph.count > Passage.lengthMax else { return String(paragraph) }
        let beginning = paragraph.prefix(Passage.lengthMax)
        let end = beginning.indices.last { index in
            [".", "!", "?"].contains(beginning[index]) && beginning.index(after: index) < beginning.endIndex
                && beginning[beginning.index(after: index)].isWhitespace
        }
        return end.map { String(beginning[...$0]) } ?? "\(beginning)…"
    }
}
