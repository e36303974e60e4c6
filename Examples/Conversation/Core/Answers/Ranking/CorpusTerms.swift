//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The topics and the words of a corpus, in memory. For twenty thousand questions, they need some megabytes.
struct CorpusTerms: Sendable {
    /// The names of each document's topic, as lists of stems, by the id of the document.
    private var names: [String: [[String]]] = [:]
    /// The topic of each document, by the id of the document.
    private var titles: [String: String] = [:]
    /// The topics until ``nameTopics()`` reads them.
    private var topics: [String: ShortNames.Topic] = [:]
    /// The acronyms of the answers until ``nameTopics()`` reads them.
    private var acronyms: [Acronym] = []
    /// The short names of the topics.
    private var shortNames = ShortNames()
    /// The stems of each question, by the id of the document.
    private var questions: [String: Set<String>] = [:]
    /// The number of documents whose topic or synonyms contain a stem, by the stem.
    private var frequencies: [String: Int] = [:]
    /// The words with which spelling is corrected.
    private(set) var vocabulary = Vocabulary()
    /// The first short questions, as examples.
    private(set) var examples: [String] = []

    private static let examplesMax = 5
    private static let exampleCharactersMax = 80
    /// The maximum number of words of a short name that is looked for in a question.
    private static let nameWordsMax = 8
    private static let longNamesMax = 4

    /// Adds a question of the corpus.
    mutating func add(_ pair: QuestionAnswer) {
        let written = [pair.focus] + pair.synonyms
        let words = (TopicTitle(pair.focus).names + pair.synonyms).map { AnswerWords.words(of: $0) }.filter {
            !$0.isEmpty
        }
        let stems = words.map { $0.map { AnswerWords.stem($0) } }
        if examples.count < Self.examplesMax, pair.question.count <= Self.exampleCharactersMax {
            examples.append(pair.question)
        }
        names[pair.id] = stems
        questions[pair.id] = Set(AnswerWords.stems(of: pair.question))
        for stem in Set(stems.joined()) { frequencies[stem, default: 0] += 1 }
        vocabulary.add(Set((written + [pair.question]).flatMap { AnswerWords.words(of: $0) }))
        if !pair.focus.isEmpty {
            titles[pair.id] = pair.focus
            topics[pair.focus, default: ShortNames.Topic(title: pair.focus)].names.formUnion(words)
        }
        acronyms += Acronym.all(of: pair)
    }

    /// Finds the short names of the topics, after all questions were added.
    mutating func nameTopics() {
        shortNames = ShortNames(of: Array(topics.values), acronyms: acronyms)
        vocabulary.add(Set(acronyms.map(\.word)))
        (topics, acronyms) = ([:], [])
    }

    /// Returns the words of the topics whose short names a question contains. With them the index also finds the
    /// documents that only have the long name.
    func longNames(in stems: [String]) -> [String] {
        var found: Set<String> = []
        for start in stems.indices {
            for end in (start + 1)...min(stems.count, start + Self.nameWordsMax) {
                found.formUnion(shortNames.titles[Array(stems[start..<end])] ?? [])
            }
        }
        return found.sorted().prefix(Self.longNamesMax).flatMap { AnswerWords.words(of: $0) }.filter {
            !AnswerWords.isStopWord($0)
        }
    }

    /// Returns an acronym which is the name of no topic, from the document that explains it.
    func explanation(of acronym: String) -> Acronym? { shortNames.explanations[acronym] }

    /// Whether the name of a document's topic shares one of the stems.
    func isNear(_ id: String, _ stems: Set<String>) -> Bool { allNames(id).contains { !stems.isDisjoint(with: $0) } }

    private func allNames(_ id: String) -> [[String]] {
        (names[id] ?? []) + (titles[id].flatMap { shortNames.byTitle[$0] } ?? [])
    }

    /// The number of questions.
    var count: Int { names.count }

    /// Returns the weight of a stem. Rarer stems have higher weights.
    func weight(_ stem: String) -> Double {
        logarithm(1 + Double(names.count) / Double(1 + (frequencies[stem] ?? 0)))
    }

    /// The agreement of a question with one of the names of a document's topic.
    struct TopicMatch: Sendable {
        /// The weight of the stems that the question shares with the name, divided by the weight of all stems of the
        /// name: from 0 to 1.
        var coverage = 0.0
        /// Whether the question contains the complete name as one phrase.
        var isPhrase = false
        /// The weight of the stems that the question and the name share.
        var weight = 0.0
        /// The stems of the name.
        var name: [String] = []

        /// The value by which matches are compared. A match of a phrase has a higher rank than a match of scattered
        /// words, because a phrase is more likely to be the topic of the question. A longer phrase has a higher rank
        /// than a shorter phrase.
        var rank: (Double, Double) { (isPhrase ? weight : 0, coverage * weight) }
    }

    /// Compares a question with all names of a document's topic, and returns the match of the name that agrees best.
    /// Returns an empty match if the document has no topic, or if the question shares no stem with the topic.
    func topicMatch(_ id: String, _ stems: [String]) -> TopicMatch {
        let found = Set(stems)
        var best = TopicMatch()
        for name in allNames(id) {
            let parts = Set(name)
            let all = parts.reduce(0) { $0 + weight($1) }
            let shared = parts.intersection(found).reduce(0) { $0 + weight($1) }
            let match = TopicMatch(
                coverage: all > 0 ? shared / all : 0, isPhrase: stems.contains(phrase: name), weight: shared,
                name: name)
            let isBetter =
                (match.isPhrase ? 1 : 0, match.coverage, match.weight)
                > (best.isPhrase ? 1 : 0, best.coverage, best.weight)
            if isBetter { best = match }
        }
        return best
    }

    /// Returns the weight of the stems that a question shares with a question of the corpus, divided by the weight of
    /// all stems of both.
    func overlap(_ id: String, _ stems: Set<String>) -> Double {
        guard let question = questions[id] else { return 0 }
        let all = question.union(stems).reduce(0) { $0 + weight($1) }
        return all > 0 ? question.intersection(stems).reduce(0) { $0 + weight($1) } / all : 0
    }
}
