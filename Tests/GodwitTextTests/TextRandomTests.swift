//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitStore
import TestKit
import Testing

@testable import GodwitQuery
@testable import GodwitText

/// A document of the random test: the words of each field, and a number.
private struct PlainDocument {
    var fields: [String: [String]] = [:]
    var number: Int

    var json: JSONValue {
        var object: JSONObject = ["n": .integer(Int64(number))]
        for (field, words) in fields { object[field] = .string(words.joined(separator: " ")) }
        return .object(object)
    }
}

/// A direct implementation of the meaning of a text query.
private struct PlainTextMatcher {
    let document: PlainDocument

    func matches(_ node: TextQuery.Node) -> Bool {
        switch node {
        case .all: true
        case .and(let nodes): nodes.allSatisfy(matches)
        case .or(let nodes): nodes.contains(where: matches)
        case .not(let node): !matches(node)
        case .words(let words): texts(words.field).contains { !ranges(of: words, in: $0).isEmpty }
        case .near(let words, let distance, let field):
            texts(field).contains { text in isNear(words.map { ranges(of: $0, in: text) }, distance) }
        case .range(let range, let field): field == "n" && contains(range)
        }
    }

    private func texts(_ field: String?) -> [[String]] {
        guard let field else { return Array(document.fields.values) + [[String(document.number)]] }
        return field == "n" ? [[String(document.number)]] : document.fields[field].map { [$0] } ?? []
    }

    private func ranges(of words: TextQuery.Words, in text: [String]) -> [Range<Int>] {
        let wanted = words.text.lowercased().split(separator: " ").map(String.init)
        return text.indices.filter { start in
            guard start + wanted.count <= text.count else { return false }
            return wanted.indices.allSatisfy { position in
                let word = text[start + position]
                return words.isPrefix && position == wanted.count - 1
                    ? word.hasPrefix(wanted[position]) : word == wanted[position]
            }
        }.map { $0..<$0 + wanted.count }
    }

    private func isNear(_ places: [[Range<Int>]], _ distance: Int) -> Bool {
        places[0].contains { left in
            places[1].contains { right in
                max(right.lowerBound - left.upperBound, left.lowerBound - right.upperBound) <= distance
            }
        }
    }

    private func contains(_ range: TextRange) -> Bool {
        let number = Double(document.number)
        if case .number(let bound) = range.lower, range.includesLower ? number < bound : number <= bound {
            return false
        }
        if case .number(let bound) = range.upper, range.includesUpper ? number > bound : number >= bound {
            return false
        }
        return true
    }
}

@Suite("Random text queries")
struct TextRandomTests {
    private static let words = ["ant", "antler", "bee", "beetle", "cat", "dog", "do"]

    private func word(_ numbers: inout SeededGenerator) -> String { Self.words.randomElement(using: &numbers)! }

    private func leaf(_ numbers: inout SeededGenerator) -> String {
        let word = word(&numbers)
        let field = ["", "", "", "a:", "b:", "c:", "none:"].randomElement(using: &numbers)!
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0: return field + "\"\(word) \(self.word(&numbers))\""
        case 1: return field + word.prefix(2) + "*"
        case 2: return field + "\"\(word) \(self.word(&numbers).prefix(1))\"*"
        case 3: return "\(field)\(word) NEAR/\(Int.random(in: 0...3, using: &numbers)) \(field)\(self.word(&numbers))"
        case 4: return "n:[\(Int.random(in: 0...9, using: &numbers)) TO \(Int.random(in: 0...9, using: &numbers))}"
        case 5: return "*:*"
        default: return field + word.uppercased()
        }
    }

    private func query(_ depth: Int, _ numbers: inout SeededGenerator) -> String {
        guard depth > 0, Int.random(in: 0..<4, using: &numbers) > 0 else { return leaf(&numbers) }
        let parts = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
            (Int.random(in: 0..<4, using: &numbers) == 0 ? "NOT " : "") + query(depth - 1, &numbers)
        }
        return "(" + parts.joined(separator: [" ", " AND ", " OR "].randomElement(using: &numbers)!) + ")"
    }

    @Test("A search finds the results of a simple interpretation of the query", arguments: TestScale.seeds(4, of: 12))
    func comparison(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        var documents: [String: PlainDocument] = [:]
        for number in 0..<60 {
            var document = PlainDocument(number: Int.random(in: 0...9, using: &numbers))
            for field in ["a", "b", "c"] where Int.random(in: 0..<4, using: &numbers) > 0 {
                document.fields[field] = (0..<Int.random(in: 1...6, using: &numbers)).map { _ in word(&numbers) }
            }
            documents["d\(number)"] = document
        }
        let definition: JSONValue =
            seed % 2 == 0
            ? [:]
            : [
                "fields": .array(
                    [("a", "string"), ("b", "string"), ("c", "string"), ("n", "number")].map {
                        ["name": .string($0), "type": .string($1)]
                    })
            ]
        try await withTextStore(definition, documents: documents.map { ($0, $1.json) }) { store in
            for _ in 0..<250 {
                let text = query(3, &numbers)
                let root = try TextQuery(parsing: text).root
                let expected = documents.filter { PlainTextMatcher(document: $0.value).matches(root) }.keys.sorted()
                try store.expect(text, expected)
                let found = Set(expected)
                for id in documents.keys.shuffled(using: &numbers).prefix(3) {
                    let number = try store.store.read { try $0.row(id: id)?.number } ?? 0
                    #expect(try store.search(text) { try $0.matches(number: number) } == found.contains(id))
                }
            }
        }
    }
}
