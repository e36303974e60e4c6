//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Estimates the kind of a question from those of its words that do not belong to the topic, by naive Bayes
/// classification.
///
/// Two estimates are made. The first uses the words of the questions of each kind. The second uses the words that are
/// more frequent in the answers of a kind than in other answers. Therefore, the second estimate can also use words that
/// no training question contains.
struct KindModel: Sendable {
    /// For each kind, the logarithms of the probabilities with which words occur in its questions.
    private let questionWords: [String: [String: Double]]
    /// For each kind, the logarithm of the probability of a word that its known questions do not contain.
    private let unknownWord: [String: Double]
    /// For each kind, the logarithms of ratios: the frequency of a word in the answers of the kind, divided by the
    /// frequency of the word in all answers.
    private let answerWords: [String: [String: Double]]

    /// Reads the model from the learned parameters: `questionWords`, `unknownWord` and `answerWords`.
    init(_ parameters: JSONValue) {
        questionWords = KindModel.table(parameters["questionWords"])
        unknownWord = (parameters["unknownWord"]?.objectValue ?? [:]).reduce(into: [:]) {
            $0[$1.key] = $1.value.doubleValue
        }
        answerWords = KindModel.table(parameters["answerWords"])
    }

    private static func table(_ value: JSONValue?) -> [String: [String: Double]] {
        (value?.objectValue ?? [:]).reduce(into: [:]) { table, kind in
            table[kind.key] = (kind.value.objectValue ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.doubleValue }
        }
    }

    /// The probabilities of the kinds by both estimates.
    struct Estimate: Sendable {
        let byQuestions: [String: Double]
        let byAnswers: [String: Double]

        /// The probability that is used for a question of the corpus without a kind.
        private static let unknown = 0.5

        /// Returns the probabilities of a kind by both estimates. For an empty kind, which means that the kind is
        /// unknown, both probabilities are 0.5.
        func probabilities(of kind: String) -> (byQuestions: Double, byAnswers: Double) {
            kind.isEmpty ? (Self.unknown, Self.unknown) : (byQuestions[kind] ?? 0, byAnswers[kind] ?? 0)
        }
    }

    /// Estimates the kind.
    ///
    /// - Parameters:
    ///   - words: The words of the last sentence of the question.
    ///   - topic: The stems of the topic, which say nothing about the kind.
    func estimate(_ words: [String], without topic: Set<String>) -> Estimate {
        let stems = words.map { (word: $0, stem: AnswerWords.stem($0)) }.filter { !topic.contains($0.stem) }
        let pairs = zip(stems, stems.dropFirst()).map { "\($0.stem)_\($1.stem)" }
        let known = (stems.map(\.stem) + pairs).filter { stem in questionWords.values.contains { $0[stem] != nil } }
        let content = Set(stems.filter { !AnswerWords.isStopWord($0.word) }.map(\.stem))
        return Estimate(
            byQuestions: KindModel.probabilities(questionWords) { kind, words in
                known.reduce(0) { $0 + (words[$1] ?? unknownWord[kind] ?? 0) }
            },
            byAnswers: KindModel.probabilities(answerWords) { _, words in content.reduce(0) { $0 + (words[$1] ?? 0) } })
    }

    private static func probabilities(
        _ table: [String: [String: Double]], _ logarithm: (String, [String: Double]) -> Double
    ) -> [String: Double] {
        let logarithms = table.map { ($0.key, logarithm($0.key, $0.value)) }
        let highest = logarithms.map(\.1).max() ?? 0
        let weights = logarithms.map { ($0.0, exponential($0.1 - highest)) }
        let sum = weights.reduce(0) { $0 + $1.1 }
        return Dictionary(uniqueKeysWithValues: weights.map { ($0.0, $0.1 / sum) })
    }
}
