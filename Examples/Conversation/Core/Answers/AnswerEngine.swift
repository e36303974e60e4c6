//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitStore

/// Answers questions from a corpus, without a network.
///
/// ```swift
/// let engine = try await AnswerEngine(AnswerCorpus(datastore), parameters: parameters)
/// for answer in try await engine.answers(to: "how is psoriasis treated?") { print(answer.confidence, answer.passage) }
/// ```
///
/// The engine corrects the spelling of the question with the words of the corpus. It then searches the text index for
/// candidates, which are documents that may have the answer. The index returns the documents with the highest BM25
/// scores. By default, the candidates are ranked by how well their topic, their kind of question and their words match
/// the question. A ``Reranker`` can rank them instead.
public final class AnswerEngine: Sendable {
    private static let candidatesMax = 100
    private static let questionWordsMax = 64
    /// The number of candidates for which a passage is found. Only for these candidates, the passage is part of the
    /// score.
    private static let passagesMax = 10
    /// The number of words below which an answer is short. A longer answer of the same topic and kind is preferred to a
    /// short answer.
    private static let shortWordsMax = 60
    private static let nearestTopicsMax = 5
    /// The confidence of an answer that explains an acronym.
    private static let acronymConfidence = 0.5

    private let corpus: AnswerCorpus
    private let parameters: AnswerParameters
    private let terms: CorpusTerms
    /// The reranker that scores the candidates; `nil` to use the learned weights.
    private let reranker: (any Reranker)?

    /// Reads all documents of a corpus, and stores its topics and words in memory.
    ///
    /// - Parameters:
    ///   - corpus: The corpus.
    ///   - parameters: The learned parameters.
    ///   - reranker: The reranker that scores the candidates; `nil` to use the learned weights.
    public init(
        _ corpus: AnswerCorpus, parameters: AnswerParameters, reranker: (any Reranker)? = nil
    ) throws(StoreError) {
        self.reranker = reranker
        var terms = CorpusTerms()
        try corpus.forEach { terms.add($0) }
        terms.nameTopics()
        (self.corpus, self.parameters, self.terms) = (corpus, parameters, terms)
    }

    /// The number of questions that the corpus has.
    public var questionCount: Int { terms.count }

    /// Example questions for a page: the first five questions of the corpus that have at most 80 characters. If the
    /// corpus has fewer such questions, the list is shorter.
    public var exampleQuestions: [String] { terms.examples }

    /// An answer to a question.
    public struct Answer: Sendable {
        /// The question of the corpus that was found, with its answer.
        public let pair: QuestionAnswer
        /// The part of the answer that agrees best with the question.
        public let passage: String
        /// The probability that the answer is right, from 0 to 1.
        public let confidence: Double
        /// The features from which the score of the answer was computed, each with its name.
        public let features: [(name: String, value: Double)]
    }

    /// The reasons why these answers were chosen for a question.
    public struct Explanation: Sendable {
        /// Each word of the question with the word that was searched for. The two are equal if the word was not
        /// corrected.
        public internal(set) var words: [(asked: String, used: String)] = []
        /// The stems of the topic that was recognized in the question; empty if there is none.
        public internal(set) var topic: [String] = []
        /// The probability of each kind of question. It is estimated from the words of known questions.
        public internal(set) var kinds: [String: Double] = [:]
        /// The number of candidates that the text index found.
        public internal(set) var candidateCount = 0
        /// The confidence of the best candidate; 0 if there is no candidate.
        public internal(set) var confidence = 0.0
        /// The confidence below which there is no answer.
        public internal(set) var confidenceMin = 0.0
        /// The topics that are nearest to a question without an answer, the nearest first; empty if there is an answer,
        /// or if no topic is near.
        public internal(set) var nearestTopics: [String] = []
    }

    /// Returns the answers to a question, the best first. If the first answer has too little confidence, the list is
    /// empty. The confidence of the other answers has no minimum.
    ///
    /// - Parameters:
    ///   - question: The question. Its first 64 words are searched for. The kind of the question is estimated from the
    ///     first 64 words of its last sentence.
    ///   - limit: The maximum number of answers.
    public func answers(to question: String, limit: Int = 5) async throws(StoreError) -> [Answer] {
        try await explainedAnswers(to: question, limit: limit).answers
    }

    /// Returns the answers to a question as ``answers(to:limit:)`` does, and the reasons for them.
    ///
    /// - Parameters:
    ///   - question: The question. Its first 64 words are searched for. The kind of the question is estimated from the
    ///     first 64 words of its last sentence.
    ///   - limit: The maximum number of answers.
    public func explainedAnswers(
        to question: String, limit: Int = 5
    ) async throws(StoreError) -> (answers: [Answer], explanation: Explanation) {
        let asked = AnswerWords.words(of: question).prefix(Self.questionWordsMax)
        let words = asked.map { terms.vocabulary.mended($0) }
        var explanation = Explanation()
        explanation.words = Array(zip(asked, words))
        explanation.confidenceMin = parameters.confidenceMin
        let ranked = try await ranked(words, question, &explanation)
        guard let best = ranked.first else { return ([], explanation) }
        explanation.confidence = confidence(best.score)
        let stems = AnswerEngine.contentStems(words)
        guard explanation.confidence >= parameters.confidenceMin else {
            if limit > 0, let answer = try explanationOfAcronym(words) {
                explanation.confidence = answer.confidence
                return ([answer], explanation)
            }
            explanation.nearestTopics = nearestTopics(ranked.map(\.candidate), stems)
            return ([], explanation)
        }
        let answers = ranked.prefix(max(0, limit)).map { (candidate, score) in
            Answer(
                pair: candidate.pair,
                passage: Passage(of: candidate.pair.answer, for: stems, weight: terms.weight).text,
                confidence: confidence(score), features: Array(zip(AnswerFeatures.names, candidate.features)))
        }
        return (answers, explanation)
    }

    /// Returns the paragraph that explains an acronym, if the question asks for nothing else: "what is GERD". The
    /// acronym is the name of no topic.
    private func explanationOfAcronym(_ words: [String]) throws(StoreError) -> Answer? {
        let content = words.filter { !AnswerWords.isStopWord($0) }
        guard content.count == 1, let acronym = terms.explanation(of: content[0]),
            let pair = try corpus.datastore.documents([acronym.id]).first?.flatMap({ QuestionAnswer($0) })
        else { return nil }
        // Exact: the paragraphs are counted as in ShortNames.
        let lines = pair.answer.split(separator: "\n", omittingEmptySubsequences: false)
        return Answer(
            pair: pair,
            passage: Passage(
                of: lines.dropFirst(acronym.paragraph).joined(separator: "\n"),
                for: [AnswerWords.stem(content[0])], weight: terms.weight
            ).text,
            confidence: max(Self.acronymConfidence, parameters.confidenceMin),
            features: AnswerFeatures.names.map { ($0, 0) })
    }

    /// Returns the topics of the candidates whose name shares a word with the question, or whose answer has all words of
    /// the question.
    private func nearestTopics(_ candidates: [AnswerCandidate], _ stems: Set<String>) -> [String] {
        let passageCoverage = AnswerFeatures.names.firstIndex(of: "passageCoverage") ?? 0
        let (complete, others) = (
            candidates.filter { $0.features[passageCoverage] > 0.99 },
            candidates.filter { terms.isNear($0.pair.id, stems) }
        )
        var topics: [String] = []
        for topic in (complete + others).map(\.pair.focus)
        where !topic.isEmpty && !topics.contains(where: { $0.utf8.elementsEqual(topic.utf8) })
            && topics.count < Self.nearestTopicsMax
        {
            topics.append(topic)
        }
        return topics
    }

    /// Returns the stems of the words that are not stop words. If all words are stop words, returns the stems of all
    /// words.
    private static func contentStems(_ words: [String]) -> Set<String> {
        let content = words.filter { !AnswerWords.isStopWord($0) }
        return Set((content.isEmpty ? words : content).map { AnswerWords.stem($0) })
    }

    private func ranked(
        _ words: [String], _ question: String, _ explanation: inout Explanation
    ) async throws(StoreError) -> [(candidate: AnswerCandidate, score: Double)] {
        let content = words.filter { !AnswerWords.isStopWord($0) }
        let searched = content.isEmpty ? words : content
        guard !searched.isEmpty else { return [] }
        let stems = words.map { AnswerWords.stem($0) }
        let hits = try await corpus.search(
            AnswerEngine.query(searched + terms.longNames(in: stems)), limit: Self.candidatesMax)
        let topics = hits.map { terms.topicMatch($0.pair.id, stems) }
        let best = topics.max { $0.rank < $1.rank }
        let sentence = AnswerWords.lastSentence(of: question)
        let asked = AnswerWords.words(of: String(sentence)).prefix(Self.questionWordsMax).map {
            terms.vocabulary.mended($0)
        }
        let kinds = parameters.kinds.estimate(asked, without: Set(best?.name ?? []))
        let (scoreMax, weightMax) = (hits.first?.score ?? 1, topics.map(\.weight).max() ?? 0)
        let found = Set(stems)
        (explanation.topic, explanation.kinds) = (best?.name ?? [], kinds.byQuestions)
        explanation.candidateCount = hits.count
        var described = zip(hits, topics).map { hit, topic in
            let features = AnswerFeatures(
                relevance: scoreMax > 0 ? hit.score / scoreMax : 0, topic: topic, topicWeightMax: weightMax,
                overlap: terms.overlap(hit.pair.id, found),
                kinds: kinds.probabilities(of: hit.pair.kind))
            return (pair: hit.pair, features: features, score: features.score(parameters.weights))
        }
        // Passages are computed only for the best candidates, because answers are long.
        described.sort { ($0.score, $1.pair.id) > ($1.score, $0.pair.id) }
        let contentStems = AnswerEngine.contentStems(words)
        for index in described.indices.prefix(Self.passagesMax) {
            described[index].features.add(
                Passage(of: described[index].pair.answer, for: contentStems, weight: terms.weight))
        }
        let candidates = described.map { AnswerCandidate(pair: $0.pair, features: $0.features.values) }
        let scores =
            try await reranker?.scores(of: candidates, for: question)
            ?? described.map { $0.features.score(parameters.weights) }
        let sorted = zip(candidates, scores).map { (candidate: $0, score: $1) }.sorted {
            ($0.score, $1.candidate.pair.id) > ($1.score, $0.candidate.pair.id)
        }
        return reranker == nil ? AnswerEngine.preferringLonger(sorted) : sorted
    }

    /// If the first answer is short, for example "More information is available at …", exchanges it with the best
    /// answer of the same topic and kind that is not short. Only the first `passagesMax` candidates are considered. The
    /// scores are not exchanged: the first score remains the highest.
    private static func preferringLonger(
        _ ranked: [(candidate: AnswerCandidate, score: Double)]
    ) -> [(candidate: AnswerCandidate, score: Double)] {
        let isShort = { (pair: QuestionAnswer) in
            pair.answer.split(whereSeparator: \.isWhitespace).count < shortWordsMax
        }
        guard let first = ranked.first?.candidate.pair, !first.focus.isEmpty, !first.kind.isEmpty, isShort(first),
            let longer = ranked.prefix(passagesMax).firstIndex(where: {
                $0.candidate.pair.focus.utf8.elementsEqual(first.focus.utf8)
                    && $0.candidate.pair.kind.utf8.elementsEqual(first.kind.utf8)
                    && !isShort($0.candidate.pair)
            })
        else { return ranked }
        var ranked = ranked
        (ranked[0].candidate, ranked[longer].candidate) = (ranked[longer].candidate, ranked[0].candidate)
        return ranked
    }

    /// Returns a query of the text index for the documents that contain at least one of the words, in any field.
    private static func query(_ words: [String]) -> String {
        var seen: Set<String> = []
        return words.filter { seen.insert($0).inserted }.map { "\"\($0)\"" }.joined(separator: " OR ")
    }

    private func confidence(_ score: Double) -> Double {
        1 / (1 + exponential(-(parameters.confidence.slope * score + parameters.confidence.offset)))
    }
}
