//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The short names of the topics of a corpus: "celiac" for "Celiac Disease", "traumatic brain" for "Traumatic Brain
/// Injury", "lactose intolerant" for "Lactose Intolerance", "RLS" for "Restless Legs Syndrome".
///
/// A beginning of a name is a short name only if it can mean no other topic: "kidney" is no name of "Kidney Disease",
/// because "Kidney Stones" contains it too. Acronyms are read from the answers, where they follow the long form in
/// parentheses.
struct ShortNames: Sendable {
    /// Words at the end of a name that a short name leaves out.
    private static let generalEndings = [
        ["in", "children"], ["in", "adults"], ["in", "older", "adults"], ["in", "women"], ["in", "men"],
        ["disease"], ["diseases"], ["syndrome"], ["syndromes"], ["disorder"], ["disorders"], ["infection"],
        ["infections"],
    ]
    /// The minimum number of words of a beginning that leaves out words which are not general.
    private static let beginningWordsMin = 2
    /// The maximum length of a word that is also known without its `s`. Longer words lose it in their stems.
    private static let pluralLengthMax = 5
    private static let adjectives = ["ance": "ant", "ence": "ent"]

    /// A topic: its names as they are written, as lists of words.
    struct Topic {
        let title: String
        var names: Set<[String]> = []
    }

    /// The short names of each topic as lists of stems, by the title of the topic.
    private(set) var byTitle: [String: Set<[String]>] = [:]
    /// The titles of the topics that have a short name, by the stems of the short name.
    private(set) var titles: [[String]: Set<String>] = [:]
    /// The acronyms that are the names of no topic, each from the document that explains it best, by the acronym in
    /// lower case.
    private(set) var explanations: [String: Acronym] = [:]

    /// Creates no short names.
    init() {}

    /// - Parameters:
    ///   - topics: The topics of the corpus.
    ///   - acronyms: The acronyms of the answers.
    init(of topics: [Topic], acronyms: [Acronym]) {
        let all = topics.map { ($0.title, $0.names.sorted { $0.lexicographicallyPrecedes($1) }) }
        // Each name, by each stem that it contains.
        var containing: [String: Set<[String]>] = [:]
        for name in all.flatMap(\.1).map(ShortNames.stems) {
            for stem in name { containing[stem, default: []].insert(name) }
        }
        var longForms: [[String]: Set<String>] = [:]
        for (title, names) in all {
            for name in names {
                let full = ShortNames.stems(name)
                longForms[full, default: []].insert(title)
                for short in ShortNames.beginnings(of: name) {
                    let stems = ShortNames.stems(short)
                    let isClear = (containing[stems[0]] ?? []).allSatisfy {
                        !$0.contains(phrase: stems) || $0.contains(phrase: full)
                    }
                    guard isClear else { continue }
                    add(stems, to: title)
                    longForms[stems, default: []].insert(title)
                }
                for other in ShortNames.otherForms(of: name) { add(ShortNames.stems(other), to: title) }
            }
        }
        add(acronyms, longForms)
    }

    private mutating func add(_ stems: [String], to title: String) {
        assert(!stems.isEmpty, "A name has a word.")
        byTitle[title, default: []].insert(stems)
        titles[stems, default: []].insert(title)
    }

    /// An acronym whose long form is a topic becomes a name of the topic. Any other one is explained by the document
    /// that has a sentence about it, or else mentions it most often.
    private mutating func add(_ acronyms: [Acronym], _ longForms: [[String]: Set<String>]) {
        for acronym in acronyms.sorted(by: { $0.id < $1.id }) where !AnswerWords.isStopWord(acronym.word) {
            let found = (1...max(1, acronym.before.count)).reversed().lazy.compactMap { count -> Set<String>? in
                let words = acronym.before.suffix(count)
                return words.first?.first == acronym.word.first ? longForms[ShortNames.stems(Array(words))] : nil
            }.first
            if let found {
                for title in found { add([AnswerWords.stem(acronym.word)], to: title) }
            } else if acronym.isOfInitials, acronym.rank > explanations[acronym.word]?.rank ?? (-1, 0) {
                explanations[acronym.word] = acronym
            }
        }
        for name in titles.keys where name.count == 1 { explanations[name[0]] = nil }
    }

    private static func stems(_ words: [String]) -> [String] { words.map { AnswerWords.stem($0) } }

    /// Returns the beginnings of a name without its last words.
    private static func beginnings(of name: [String]) -> [[String]] {
        var found: [[String]] = []
        var rest = name[...]
        while let ending = generalEndings.first(where: {
            rest.count > $0.count && rest.suffix($0.count).elementsEqual($0)
        }) {
            rest = rest.dropLast(ending.count)
            found.append(Array(rest))
        }
        while rest.count > beginningWordsMin {
            rest = rest.dropLast()
            found.append(Array(rest))
        }
        return found.filter { short in
            short.last.map { !AnswerWords.isStopWord($0) } ?? false && !short.allSatisfy(AnswerWords.isStopWord)
        }.flatMap { [$0] + otherForms(of: $0) }
    }

    /// Returns a name with the last word as an adjective, and with short words in the singular.
    private static func otherForms(of name: [String]) -> [[String]] {
        var found: [[String]] = []
        if let last = name.last, let ending = adjectives.first(where: { last.hasSuffix($0.key) }), name.count > 1 {
            found.append(name.dropLast() + [last.dropLast(ending.key.count) + ending.value])
        }
        let singular = name.map { $0.hasSuffix("s") && 4...pluralLengthMax ~= $0.count ? String($0.dropLast()) : $0 }
        if singular != name { found.append(singular) }
        return found
    }
}

/// An acronym of an answer, with the words before it: "gastroesophageal reflux disease (GERD)".
struct Acronym: Sendable {
    private static let lengths = 2...7
    private static let wordsMax = 8
    private static let charactersMax = 120

    /// The acronym in lower case and without the `s` of a plural.
    let word: String
    /// The words before it, at most eight.
    let before: [String]
    /// The id of the document.
    let id: String
    /// The number of times that the answer contains the acronym.
    let count: Int
    /// The index of the line that explains it.
    let paragraph: Int
    /// Whether it is the subject of a sentence there: "GERD occurs if …".
    let isSubject: Bool

    /// The value by which explanations of the same acronym are compared.
    var rank: (Int, Int) { (isSubject ? 1 : 0, count) }

    private static let verbs = ["is", "are", "occurs", "happens", "means"]

    /// Whether the last words before the acronym contain its letters in their order, the first one at the beginning of
    /// a word.
    var isOfInitials: Bool {
        (1...max(1, before.count)).contains { count in
            let words = before.suffix(count)
            guard words.first?.first == word.first else { return false }
            var rest = word[...]
            for letter in words.joined() where letter == rest.first { rest = rest.dropFirst() }
            return rest.isEmpty && words.count <= word.count
        }
    }

    /// Returns the acronyms in the answer of a document that are in parentheses, each once.
    static func all(of pair: QuestionAnswer) -> [Acronym] {
        let text = pair.answer
        var found: [String: Acronym] = [:]
        var start = text.startIndex
        while let open = text.utf8[start...].firstIndex(of: UInt8(ascii: "(")) {
            start = text.utf8.index(after: open)
            guard let close = text.utf8[start...].prefix(lengths.upperBound + 2).firstIndex(of: UInt8(ascii: ")")),
                let word = acronym(text[start..<close]), found[word] == nil
            else { continue }
            let before = AnswerWords.words(of: String(text[..<open].suffix(charactersMax))).suffix(wordsMax)
            guard !before.isEmpty else { continue }
            let written = text[start..<close]
            let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
            let subject = paragraphs.firstIndex { paragraph in
                verbs.contains { paragraph.contains("\(written) \($0) ") }
            }
            found[word] = Acronym(
                word: word, before: Array(before), id: pair.id,
                count: text.split(separator: written, omittingEmptySubsequences: false).count - 1,
                paragraph: subject ?? paragraphs.firstIndex { $0.contains(written) } ?? 0, isSubject: subject != nil)
        }
        return found.values.sorted { $0.word < $1.word }
    }

    private static func acronym(_ text: Substring) -> String? {
        let letters = text.last == "s" ? text.dropLast() : text
        let areLetters = letters.utf8.allSatisfy {
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        }
        let isAcronym = areLetters && lengths ~= letters.utf8.count && letters.first?.isLetter == true
        return isAcronym ? letters.lowercased() : nil
    }
}

extension Array where Element == String {
    /// Whether the list contains another one as consecutive elements.
    func contains(phrase: [String]) -> Bool {
        guard !phrase.isEmpty, phrase.count <= count else { return false }
        return (0...(count - phrase.count)).contains { self[$0..<($0 + phrase.count)].elementsEqual(phrase) }
    }
}
