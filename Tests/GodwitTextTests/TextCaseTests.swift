//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitStore
import Testing

/// `$text` in selectors with other conditions.
@Suite("Text in selectors")
struct TextCaseTests {
    private static let documents = [
        "mike12": #"{"name":"mike","age":12,"comment":"He lives in Bristol, UK and his best friend is Fred."}"#,
        "mike34": #"{"name":"mike","age":34,"comment":"He lives in a van down by the river in Bristol."}"#,
        "mike72":
            #"{"name":"mike","age":72,"comment":"He's retired and has memories of spending time with his cat Remus."}"#,
        "fred34":
            #"{"name":"fred","age":34,"comment":"He lives next door to Mike and his cat Romulus is brother to Remus."}"#,
        "fred12": #"{"name":"fred","age":12,"comment":"He lives in Bristol, UK and his best friend is Mike."}"#,
    ]

    private func withPeople(
        analyzer: String = "standard", fields: [String]? = ["comment"], _ body: (Datastore) async throws -> Void
    ) async throws {
        try await withDatastore { store in
            for (id, text) in Self.documents { _ = try await store.create(Document(id: id, body: try object(text))) }
            try await store.ensureTextIndex(fields, named: "words", analyzer: analyzer)
            try await store.catchUpAll()
            try await body(store)
        }
    }

    @Test("Words, phrases, prefixes and their combinations find the expected documents")
    func language() async throws {
        let cases: [(String, Set<String>)] = [
            ("lives in Bristol", ["mike12", "mike34", "fred12"]), (#""lives in Bristol""#, ["mike12", "fred12"]),
            ("Remus NOT Romulus", ["mike72"]), (#""he lives" NEAR/2 Bristol"#, ["mike12", "fred12"]),
            ("liv* riv*", ["mike34"]), ("liv riv", []), ("LIVES bristol VAN", ["mike34"]), ("he's", ["mike72"]),
            ("comment:romulus OR van", ["fred34", "mike34"]), ("name:mike", []),
        ]
        try await withPeople { store in
            for (text, found) in cases {
                let ids = Set(try await store.ids(["$text": .string(text)]))
                #expect(ids == found, "\(text)")
            }
        }
        try await withPeople(analyzer: "porter") { store in
            let ids = try await store.ids(["$text": "retire memory"])
            #expect(ids == ["mike72"])
        }
        try await withPeople(fields: nil) { store in
            let numbers = try await store.ids(["$text": "12"])
            #expect(Set(numbers) == ["mike12", "fred12"])
            let named = try await store.ids(["$text": "name:mike Bristol"])
            #expect(Set(named) == ["mike12", "mike34"])
        }
    }

    @Test("Other conditions apply too, in $or by a scan, in any order and page by page")
    func combined() async throws {
        try await withPeople { store in
            for indexed in [false, true] {
                if indexed { try await store.defineIndex("age", fields: ["age"]) }
                #expect(try await store.ids(["$text": "lives", "age": 34], limit: 1).sorted() == ["fred34", "mike34"])
                let either: JSONObject = ["$or": [["$text": "romulus"], ["age": 12]]]
                #expect(try await store.ids(either, limit: 2).sorted() == ["fred12", "fred34", "mike12"])
                #expect(try await store.count(either) == 3)
                #expect(
                    try await store.ids(["$text": "lives"], sort: [.descending("age"), "_id"], limit: 2) == [
                        "fred34", "mike34", "fred12", "mike12",
                    ])
            }
            #expect(try await store.count(["$text": "lives"]) == 4)
            let joined: [(JSONObject, String)] = [
                (["$and": [["$text": "lives"], ["$text": "romulus OR remus"]]], "lives AND (romulus OR remus)"),
                (["$or": [["$text": "romulus"], ["$text": "remus"]]], "romulus OR remus"),
                (
                    ["$text": "lives", "$or": [["$text": "romulus"], ["$text": "remus"]]],
                    "lives AND (romulus OR remus)"
                ),
            ]
            for (selector, query) in joined {
                #expect(try await store.ids(selector).sorted() == store.ids(["$text": .string(query)]).sorted())
            }
            let either: JSONObject = ["$or": [["$text": "romulus"], ["age": 12], ["$text": "remus"]]]
            let ids = try await store.ids(["$text": "romulus OR remus"]) + store.ids(["age": 12])
            #expect(try await store.ids(either).sorted() == Set(ids).sorted())
            let page = try await store.find(FindQuery(selector: ["$text": "romulus"], fields: ["_id", "age"]))
            #expect(page.documents.map(\.body) == [["age": 34]])
        }
    }

    @Test("An edited document is found by its new text, a deleted one not at all")
    func following() async throws {
        try await withPeople { store in
            var document = try store.document("fred34")
            document.body["comment"] = "Moved to Bath."
            _ = try await store.update(document)
            try await store.delete("mike72")
            #expect(try await store.ids(["$text": "romulus OR remus"]) == [])
            #expect(try await store.ids(["$text": "bath"]) == ["fred34"])
        }
    }

    @Test("Without a text index, with several, with two searches or an invalid one, the query is refused")
    func refused() async throws {
        try await withDatastore { store in
            func failure(_ selector: JSONObject) async -> String? {
                do {
                    _ = try await store.find(FindQuery(selector: selector))
                    return nil
                } catch {
                    return error.message
                }
            }
            #expect(await failure(["$text": "a"])?.hasPrefix("no_usable_index:") == true)
            try await store.ensureTextIndex(named: "one")
            #expect(try await store.ids(["$text": "a"]) == [])
            let different: JSONObject = ["$or": [["$text": "a", "x": 1], ["$text": "b", "x": 2]]]
            #expect(await failure(different)?.hasPrefix("multiple_text_selector:") == true)
            #expect(await failure(["$text": #""open"#]) != nil)
            try await store.ensureTextIndex(["a"], named: "two")
            #expect(await failure(["$text": "a"])?.hasPrefix("multiple_text_indexes:") == true)
            #expect(try await store.ids(["$text": "a"], index: ["two"]) == [])
            await #expect(throws: StoreError.self) { try await store.ensureTextIndex(analyzer: "klingon") }
        }
    }
}
