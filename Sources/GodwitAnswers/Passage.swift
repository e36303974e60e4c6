//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The part of an answer that is shown and spoken.
enum Passage {
    private static let lengthMax = 600

    /// Returns the paragraph with the highest weight of words of the question, at most 600 characters of whole sentences.
    static func best(of answer: String, for stems: Set<String>, weight: (String) -> Double) -> String {
        let paragraphs = answer.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        let weighted = paragraphs.map { paragraph in
            (paragraph, Set(AnswerWords.stems(of: String(paragraph))).intersection(stems).reduce(0) { $0 + weight($1) })
        }
        guard var best = weighted.first else { return "" }
        for candidate in weighted where candidate.1 > best.1 { best = candidate }
        return beginning(of: best.0)
    }

    private static func beginning(of paragraph: Substring) -> String {
        guard paragraph.count > lengthMax else { return String(paragraph) }
        let beginning = paragraph.prefix(lengthMax)
        let end = beginning.indices.last { index in
            [".", "!", "?"].contains(beginning[index]) && beginning.index(after: index) < beginning.endIndex
                && beginning[beginning.index(after: index)].isWhitespace
        }
        return end.map { String(beginning[...$0]) } ?? "\(beginning)…"
    }
}
