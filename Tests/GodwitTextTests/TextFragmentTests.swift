//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitText
import Testing

@Suite("Highlights and facets")
struct TextFragmentTests {
    private func fragments(
        _ query: String, in document: JSONValue, analyzer: JSONValue = "standard",
        _ change: (inout TextHighlighter.Style) -> Void = { _ in }
    ) throws -> [String: [String]] {
        let definition = try TextIndexDefinition(parsing: ["default_field": ["analyzer": analyzer]])
        var style = TextHighlighter.Style(fields: ["t", "other.u"])
        change(&style)
        let highlighter = TextHighlighter(try TextQuery(parsing: query), definition, style: style)
        let found = try highlighter.fragments(of: JSONTape(scanning: document.jsonBytes()))
        return Dictionary(uniqueKeysWithValues: found.map { ($0.key.text, $0.value) })
    }

    @Test("Words, phrases, prefixes and stems are highlighted in the fields that were searched")
    func marks() throws {
        let document: JSONValue = ["t": "The fox jumps over foxes.", "other": ["u": ["a fox", "jumping Füchse"]]]
        #expect(
            try fragments("fox", in: document)
                == ["t": ["The <em>fox</em> jumps over foxes."], "other.u": ["a <em>fox</em>\njumping Füchse"]])
        #expect(try fragments("t:fox*", in: document) == ["t": ["The <em>fox</em> jumps over <em>foxes</em>."]])
        #expect(try fragments("\"fox jumps\" -over", in: document) == ["t": ["The <em>fox jumps</em> over foxes."]])
        #expect(try fragments("fuchse", in: document) == ["other.u": ["a fox\njumping <em>Füchse</em>"]])
        #expect(
            try fragments("t:jumped", in: document, analyzer: "english")
                == ["t": ["The <em>jumps</em> over foxes."]].mapValues {
                    $0.map { _ in "The fox <em>jumps</em> over foxes." }
                })
        #expect(try fragments("nothing", in: document) == [:])
        #expect(
            try fragments("fox NEAR/1 over", in: document) { ($0.before, $0.after) = ("[", "]") }
                == ["t": ["The [fox] jumps [over] foxes."]])
    }

    @Test("Fragments have the requested length and number, and complete words")
    func lengths() throws {
        let filler = Array(repeating: "lorem", count: 30).joined(separator: " ")
        let document: JSONValue = ["t": .string("\(filler) fox \(filler) fox fox \(filler) fox")]
        let one = try #require(try fragments("fox", in: document)["t"])
        #expect(one.count == 1 && one[0].contains("<em>fox</em> <em>fox</em>"))
        #expect(one[0].replacing("<em>", with: "").replacing("</em>", with: "").count <= 100)
        #expect(one[0].split(separator: " ").allSatisfy { ["lorem", "<em>fox</em>"].contains($0) })
        let all = try #require(try fragments("fox", in: document) { ($0.fragmentsMax, $0.length) = (9, 20) }["t"])
        #expect(
            all == ["lorem <em>fox</em> lorem", "lorem <em>fox</em> <em>fox</em> lorem", "lorem lorem <em>fox</em>"])
    }

    @Test("Facets count the values and the ranges of all hits")
    func facets() async throws {
        let documents: [(String, JSONValue)] = [
            ("a", ["t": "red", "kind": "fox", "price": 5]), ("b", ["t": "red", "kind": "fox", "price": 50]),
            ("c", ["t": "red", "kind": ["hen", "fox", "hen"]]), ("d", ["t": "blue", "kind": "hen", "price": 5]),
        ]
        try await withTextStore(documents: documents) { store in
            var facets = TextFacets()
            facets.counts = ["kind", "none"]
            facets.ranges = [
                ExactText("price"): [
                    ExactText("cheap"): try TextRange(parsing: "[0 TO 10]"),
                    ExactText("dear"): try TextRange(parsing: "{10 TO Infinity]"),
                ]
            ]
            let result = try store.search("red") { try facets.result(over: $0) }
            #expect(
                result.counts
                    == [ExactText("kind"): [ExactText("fox"): 3, ExactText("hen"): 1], ExactText("none"): [:]])
            #expect(result.ranges == [ExactText("price"): [ExactText("cheap"): 1, ExactText("dear"): 1]])
            #expect(throws: TextError.self) { try TextRange(parsing: "0 TO 10") }
        }
    }

    @Test("Values, fields and ranges whose texts differ only in their bytes are counted apart")
    func equivalentFacets() async throws {
        let documents: [(String, JSONValue)] = [
            ("a", ["t": "red", "kind": "\u{E9}", "\u{E9}": 1]), ("b", ["t": "red", "kind": "\u{E9}", "e\u{301}": 5]),
            ("c", ["t": "red", "kind": ["e\u{301}", "\u{E9}"]]),
        ]
        try await withTextStore(documents: documents) { store in
            var facets = TextFacets()
            let (one, other) = (ExactText("\u{E9}"), ExactText("e\u{301}"))
            facets.counts = ["kind", one.text, other.text]
            facets.ranges = [
                one: [one: try TextRange(parsing: "[0 TO 9]"), other: try TextRange(parsing: "[2 TO 9]")]
            ]
            let result = try store.search("red") { try facets.result(over: $0) }
            #expect(result.counts[ExactText("kind")] == [one: 3, other: 1])
            #expect(result.counts[one] == [ExactText("1"): 1] && result.counts[other] == [ExactText("5"): 1])
            #expect(result.ranges == [one: [one: 1, other: 0]])
        }
    }
}
