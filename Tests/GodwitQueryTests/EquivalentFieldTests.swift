//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitText
import Testing

@Suite("Fields with canonically equivalent names are different fields")
struct EquivalentFieldTests {
    @Test(
        "An index on one field does not serve the other, with each order, filter and projection",
        arguments: [("\u{e9}", "e\u{301}"), ("\u{212a}", "K"), ("a.\u{e9}", "a.e\u{301}"), ("\u{2126}", "\u{3a9}")])
    func indexes(_ one: String, _ other: String) async throws {
        #expect(one == other, "Swift takes the names for equal")
        try await withDatastore { store in
            for (id, field) in [("one", one), ("other", other)] {
                for number in 1...3 {
                    _ = try await store.create(
                        Document(id: "\(id)\(number)", body: body(field, .integer(Int64(number)))))
                }
            }
            let cases: [(JSONObject, [String])] = [
                ([one: 2], ["one2"]), ([other: 2], ["other2"]), ([one: ["$gte": 2]], ["one2", "one3"]),
                ([other: ["$gte": 2]], ["other2", "other3"]),
                (["$or": [[one: 1], [other: 3]]], ["one1", "other3"]), (["$and": [[one: 1], [other: 1]]], []),
                ([one: ["$exists": false]], ["other1", "other2", "other3"]),
                (["_id": ["$in": ["one1", "other1"]], other: ["$gt": 0]], ["other1"]),
            ]
            for indexed in [[], [one], [other], [one, other]] {
                for field in indexed {
                    try await store.ensureIndex([QueryField(stringLiteral: field)], named: "i\(field)")
                }
                try await store.catchUpAll()
                for (selector, expected) in cases {
                    let found = try await store.find(selector).map(\.id).reduce(into: [String]()) {
                        $0.append($1 ?? "")
                    }
                    #expect(found.sorted() == expected, "\(selector) with \(indexed.count) indexes")
                }
            }
            let both: [QueryField] = [QueryField(stringLiteral: one), QueryField(stringLiteral: other)]
            try await store.ensureIndex(both, named: "both")
        }
    }

    @Test("A text index has separate columns for them")
    func text() async throws {
        let (one, other) = ("\u{e9}", "e\u{301}")
        try await withDatastore { store in
            _ = try await store.create(Document(id: "one", body: [one: "fox"]))
            _ = try await store.create(Document(id: "other", body: [other: "owl"]))
            _ = try await store.ensureTextIndex()
            try await store.catchUpAll()
            let cases = [
                ("\(one):fox", ["one"]), ("\(other):fox", []), ("\(other):owl", ["other"]), ("\(one):owl", []),
            ]
            for (query, expected) in cases {
                var found: [String] = []
                for try await document in store.find(["$text": .string(query)]) { found.append(document.id ?? "") }
                #expect(found == expected, "\(query)")
            }
        }
    }

    @Test("A text index of both has both, and a search names one of two indexes")
    func namedTextIndexes() async throws {
        let (one, other) = ("\u{e9}", "e\u{301}")
        try await withDatastore { store in
            _ = try await store.create(Document(id: "one", body: [one: "fox"]))
            _ = try await store.create(Document(id: "other", body: [other: "fox"]))
            try await store.ensureTextIndex([one, other], named: one)
            try await store.ensureTextIndex([other], named: other)
            try await store.catchUpAll()
            let both = try await store.search("fox", index: one).hits.compactMap(\.document.id)
            #expect(both.sorted() == ["one", "other"])
            let single = try await store.search("fox", index: other).hits.compactMap(\.document.id)
            #expect(single == ["other"])
        }
    }

    private func body(_ path: String, _ value: JSONValue) -> JSONObject {
        path.utf8.starts(with: "a.".utf8) ? ["a": [String(path.dropFirst(2)): value]] : [path: value]
    }
}
