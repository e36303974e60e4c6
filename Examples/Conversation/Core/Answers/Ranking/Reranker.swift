//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitStore

/// Scores the candidates of a question, which the text index has found.
///
/// Without a reranker, the score of a candidate is the sum of its features, each multiplied by a learned weight. A
/// reranker can be, for example, a neural network that reads the question and the answers.
///
/// ```swift
/// struct LongestAnswer: Reranker {
///     func scores(of candidates: [AnswerCandidate], for question: String) async throws(StoreError) -> [Double] {
///         candidates.map { Double($0.pair.answer.count) / 1_000 }
///     }
/// }
/// let engine = try AnswerEngine(corpus, parameters: .health, reranker: LongestAnswer())
/// ```
public protocol Reranker: Sendable {
    /// Returns exactly one score for each candidate, in the order of the candidates. The candidate with the highest
    /// score is the best answer. The logistic function of this score, with the slope and the offset of the parameters,
    /// is the confidence.
    ///
    /// - Parameters:
    ///   - candidates: At most 100 questions of the corpus with their answers. They are sorted by a score, the highest
    ///     first. This score is computed with the learned weights, but without the features of the passage.
    ///   - question: The question as it was asked.
    func scores(of candidates: [AnswerCandidate], for question: String) async throws(StoreError) -> [Double]
}

/// A question of the corpus that may have the answer.
public struct AnswerCandidate: Sendable {
    /// The question of the corpus with its answer.
    public let pair: QuestionAnswer
    /// The values of the features, in the order of ``featureNames``. The features of the passage are computed for the
    /// first ten candidates, and are 0 for the others.
    public let features: [Double]

    /// The names of the features.
    public static var featureNames: [String] { AnswerFeatures.names }
}
