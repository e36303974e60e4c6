//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitDatabase

/// Random values that depend on a seed alone.
struct Values {
    /// Letters of twelve scripts, with marks.
    private static let scripts = [
        "aAbcdeéèêëÄßzñøłŻ", "αάβγΔεςσώ", "абвЖёїщя", "אבגדשׁת", "ابتثجحآةى", "अआकखगािी़", "กขคเแไั้", "가각난한글힣", "あいうがぎアイウガー",
        "一丁万日本語鳥", "აბგდჰ", "աբգդև",
    ]
    .map { Array($0.unicodeScalars) }
    private static let patterns = [
        "^", "$", ".", "..$", "^.{2,4}$", "[aeiou]", "(?i)^[a-m]", "é|ä|ñ", "\\d", "^\\W+$", "(*UTF)^.{3}$",
        "(*UTF)(?i)[дΔ]", "(*UTF)\\p{Lu}",
        "(*UTF)^\\p{Lo}+$", "(a|b)*c",
    ]

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func number(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func word() -> String {
        let letters = Self.scripts[number(below: Self.scripts.count)]
        var word = String.UnicodeScalarView()
        for _ in 0...number(below: 5) { word.append(letters[number(below: letters.count)]) }
        return String(word)
    }

    mutating func words(_ count: Int) -> String { (0..<count).map { _ in word() }.joined(separator: " ") }

    mutating func document() -> Document {
        Document(body: [
            "name": .string(word()), "n": .integer(Int64(number(below: 50))), "text": .string(words(6)),
            "tags": .array((0..<number(below: 4)).map { _ in .string(word()) }),
        ])
    }

    mutating func query() -> FindQuery {
        let (word, other, number) = (JSONValue.string(word()), JSONValue.string(self.word()), number(below: 50))
        switch self.number(below: 8) {
        case 0: return FindQuery(selector: ["name": ["$gt": word]], sort: ["name"], limit: 20)
        case 1: return FindQuery(selector: ["name": ["$gte": word, "$lt": other]], limit: 50)
        case 2: return FindQuery(selector: ["$or": [["name": word], ["name": ["$beginsWith": other]]]], limit: 50)
        case 3: return FindQuery(selector: ["name": ["$in": [word, other]]], limit: 50)
        case 4:
            let n: JSONValue = ["$gt": .integer(Int64(number))]
            return FindQuery(selector: ["n": n, "name": ["$ne": word]], sort: ["n", "name"], limit: 30)
        case 5: return FindQuery(selector: ["tags": ["$elemMatch": ["$gt": word, "$lte": other]]], limit: 30)
        case 6: return FindQuery(selector: ["$text": word], limit: 30)
        default:
            let pattern = Self.patterns[self.number(below: Self.patterns.count)]
            return FindQuery(selector: ["name": ["$gt": word, "$regex": .string(pattern)]], limit: 30)
        }
    }
}
