//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The numbers by which a candidate is ranked, in the order of the learned weights.
struct AnswerFeatures: Sendable {
    /// The names of the features, for explanations.
    static let names = [
        "relevance", "topicCoverage", "topicPhrase", "topicWeight", "topicPhraseWeight", "topicComplete",
        "questionOverlap", "kindByQuestions", "kindByAnswers", "topicAndKind", "passageCoverage", "passageProximity",
    ]
    /// The number that is added to a probability before its logarithm is computed, because the logarithm of 0 is
    /// infinite.
    private static let probabilityMin = 1e-3

    private(set) var values: [Double]

    /// - Parameters:
    ///   - relevance: The BM25 score, divided by the highest BM25 score of all candidates.
    ///   - topic: The match of the topic.
    ///   - topicWeightMax: The highest weight among the topic matches of all candidates.
    ///   - overlap: The overlap between the user's question and the question of the candidate.
    ///   - kinds: The probabilities of the candidate's kind, according to both estimates of ``KindModel``.
    init(
        relevance: Double, topic: CorpusTerms.TopicMatch, topicWeightMax: Double, overlap: Double,
        kinds: (byQuestions: Double, byAnswers: Double)
    ) {
        let weight = topicWeightMax > 0 ? topic.weight / topicWeightMax : 0
        let isPhrase = topic.isPhrase ? 1.0 : 0
        values = [
            relevance, topic.coverage, isPhrase, weight, isPhrase * weight, topic.coverage > 0.99 ? 1 : 0, overlap,
            logarithm(kinds.byQuestions + Self.probabilityMin), logarithm(kinds.byAnswers + Self.probabilityMin),
            topic.coverage * kinds.byQuestions, 0, 0,
        ]
    }

    /// Sets the features of the passage. Without this call, they are 0.
    mutating func add(_ passage: Passage) {
        values.removeLast(2)
        values += [passage.coverage, passage.proximity]
    }

    /// Returns the sum of the features, each multiplied by its weight.
    func score(_ weights: [Double]) -> Double { zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } }
}
