//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitText
import Testing

@Suite("Text queries")
struct TextQueryTests {
    private let people: [(String, JSONValue)] = [
        (
            "mike12",
            [
                "name": "mike", "age": 12, "pet": "cat",
                "comment": "He lives in Bristol, UK and his best friend is Fred.",
            ]
        ),
        (
            "mike34",
            ["name": "mike", "age": 34, "pet": "dog", "comment": "He lives in a van down by the river in Bristol."]
        ),
        (
            "mike72",
            [
                "name": "mike", "age": 72, "pet": "cat",
                "comment": "He's retired and has memories of spending time with Remus and Romulus.",
            ]
        ),
        (
            "fred34",
            [
                "name": "fred", "age": 34, "pet": "parrot",
                "comment": "He lives next door to Mike and his cat is able to fly.",
            ]
        ),
        (
            "fred12",
            ["name": "fred", "age": 12, "comment": "He lives in Bristol with Remus, and his best friend is Mike."]
        ),
        (
            "john44",
            [
                "name": "john", "age": 44, "pets": ["hamster", "snake"],
                "home": ["city": "Köln", "tags": ["über", "Straße"]],
            ]
        ),
    ]

    @Test(
        "The query language finds the expected documents",
        arguments: [
            ("lives in Bristol", ["fred12", "mike12", "mike34"]),
            ("LIVES in bristol", ["fred12", "mike12", "mike34"]),
            ("\"lives in Bristol\"", ["fred12", "mike12"]),
            ("\"he lives in\"", ["fred12", "mike12", "mike34"]),
            ("Remus NOT Romulus", ["fred12"]),
            ("Remus -Romulus", ["fred12"]),
            ("Remus !Romulus", ["fred12"]),
            ("+Remus +Romulus", ["mike72"]),
            ("Remus && Romulus", ["mike72"]),
            ("Remus || van", ["fred12", "mike34", "mike72"]),
            ("Remus OR van AND river", ["fred12", "mike34", "mike72"]),
            ("(Remus OR van) AND river", ["mike34"]),
            ("\"he lives\" NEAR/2 Bristol", ["fred12", "mike12"]),
            ("\"he lives bristol\"~2", ["fred12", "mike12"]),
            ("lives NEAR Bristol", ["fred12", "mike12", "mike34"]),
            ("liv* riv*", ["mike34"]),
            ("liv riv", []),
            ("\"lives ne\"*", ["fred34"]),
            ("he's", ["mike72"]),
            ("12", ["fred12", "mike12"]),
            ("age:12", ["fred12", "mike12"]),
            ("name:mike", ["mike12", "mike34", "mike72"]),
            ("name:mike Fred", ["mike12"]),
            ("comment:mike", ["fred12", "fred34"]),
            ("name:(mike OR john) -pet:cat", ["john44", "mike34"]),
            ("comment:\"best friend\"", ["fred12", "mike12"]),
            ("age:[12 TO 34]", ["fred12", "fred34", "mike12", "mike34"]),
            ("age:{12 TO 34]", ["fred34", "mike34"]),
            ("age:[40 TO Infinity]", ["john44", "mike72"]),
            ("age:[-Infinity TO 12] name:mike", ["mike12"]),
            ("name:[a TO john]", ["fred12", "fred34", "john44"]),
            ("name:[a TO john}", ["fred12", "fred34"]),
            ("-age:[12 TO 34]", ["john44", "mike72"]),
            ("pet:*", ["fred34", "mike12", "mike34", "mike72"]),
            ("*:* -pet:*", ["fred12", "john44"]),
            ("pets:snake", ["john44"]),
            ("home.city:koln", ["john44"]),
            ("UBER", ["john44"]),
            ("home.tags:stra*", ["john44"]),
            ("nosuch:word", []),
            ("NOT nosuch:word name:john", ["john44"]),
            ("*:*", ["fred12", "fred34", "john44", "mike12", "mike34", "mike72"]),
            ("... Bristol &", ["fred12", "mike12", "mike34"]),
            ("name\\:mike", []),
        ])
    func language(query: String, ids: [String]) async throws {
        try await withTextStore(documents: people) { try $0.expect(query, ids) }
        let fields: [JSONValue] = [
            ("name", "string"), ("age", "number"), ("pet", "string"), ("comment", "string"), ("pets.[]", "string"),
            ("home.city", "string"), ("home.tags", "string"),
        ].map { ["name": .string($0), "type": .string($1)] }
        try await withTextStore(["fields": .array(fields)], documents: people) {
            try $0.expect(query, ids)
        }
    }

    @Test("Porter finds other forms of a word, the standard analyzer does not")
    func porter() async throws {
        try await withTextStore(["default_field": ["analyzer": "porter"]], documents: people) { store in
            try store.expect("retire memory", ["mike72"])
        }
        try await withTextStore(documents: people) { try $0.expect("retire memory", []) }
    }

    @Test("Stop words alone match nothing, and in a phrase they keep their position")
    func stopWords() async throws {
        try await withTextStore(["default_field": ["analyzer": "english"]], documents: people) { store in
            try store.expect("the van and Saturn", [])
            try store.expect("the van and this is him", ["mike34"])
            try store.expect("the", [])
            try store.expect("\"by the river\"", ["mike34"])
            try store.expect("\"by a river\"", [])
        }
        let own: JSONValue = ["analyzer": ["name": "standard", "stopwords": ["Bristol"]]]
        try await withTextStore(["default_field": own], documents: people) { store in
            try store.expect("van bristol", ["mike34"])
        }
        try await withTextStore(
            ["default_field": ["analyzer": "german"]], documents: [("a", ["t": "Die Füchse der Stadt"])]
        ) { try $0.expect("der fuchse", ["a"]) }
    }

    @Test(
        "An invalid query is refused with the offset of the error",
        arguments: [
            ("", 0), ("   ", 0), ("\"open", 0), ("(a", 2), ("a)", 1), ("a OR", 4), ("AND a", 0), ("a AND OR b", 6),
            ("a:", 2),
            ("[1 TO 5]", 0), ("a:[1 5]", 2), ("a:[1 TO 5", 2), ("te*t", 2), ("a^2", 1), ("a~", 1), ("*a", 0),
            ("a\\", 1),
            ("a NEAR/x b", 2), ("a NEAR (b c)", 7), ("NEAR a", 0), ("a NEAR/2", 8),
        ])
    func mistakes(query: String, offset: Int) {
        let error = #expect(throws: TextError.self) { try TextQuery(parsing: query) }
        #expect(error?.offset == offset, "\(String(describing: error))")
    }

    @Test("Queries beyond the limits are refused")
    func limits() {
        for query in [
            String(repeating: "a", count: TextLimits.queryBytesMax + 1),
            String(repeating: "a ", count: TextLimits.queryTermsMax + 1),
            String(repeating: "(", count: 5_000) + "a",
        ] {
            #expect(throws: TextError.self) { try TextQuery(parsing: query) }
        }
    }

    @Test("A query of the maximum depth and width is answered")
    func widest() async throws {
        try await withTextStore(documents: people) { store in
            let depth = TextLimits.queryDepthMax
            let deep = (0..<depth).map { $0 % 2 == 0 ? "(van OR " : "(river -" }.joined()
            _ = try store.ids(deep + "a" + String(repeating: ")", count: depth))
            let many = (0..<TextLimits.queryTermsMax)
            try store.expect(many.map { "w\($0)" }.joined(separator: " OR "), [])
            try store.expect("van " + many.dropLast().map { "-w\($0)" }.joined(separator: " "), ["mike34"])
        }
    }

    @Test(
        "No part of a user's text is interpreted as FTS5's syntax",
        arguments: [
            "\\\"van\\\"", "van\\^", "\\^van", "{c0}van", "c0\\:van", "van\\*", "van; DROP TABLE text_1",
            "van' OR '1'='1",
            "van\\\" OR c0 \\: \\\"", "mark\\:van", "rank", "van\u{0}", "\u{0}", "\u{E0F5}", "text_1", "-- van",
            "van/*", "\\{c0\\}", "\"a\\\"b\"",
            "NEAR\\(van river\\)", "van,river", "c0 \\- van", "\u{FEFF}van", "\"\"", "\"...\"*", "'", "van + river",
            "a AND \u{0}",
        ])
    func injection(query: String) async throws {
        try await withTextStore(documents: people) { store in
            do { _ = try store.ids(query) } catch let error as TextError { #expect(error.offset != nil) }
        }
    }

    @Test("An index without a default field needs a field before each word")
    func noDefaultField() async throws {
        try await withTextStore(["default_field": false], documents: people) { store in
            try store.expect("name:mike pet:dog", ["mike34"])
            #expect(throws: TextError.self) { try store.ids("mike") }
        }
    }
}
