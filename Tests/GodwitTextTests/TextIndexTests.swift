//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import Foundation
import GodwitJSON
import GodwitQuery
import GodwitSQLite
import GodwitStore
import GodwitText
import TestKit
import Testing

@Suite("Text indexes")
struct TextIndexTests {
    @Test("An index follows edits, deletions and purges, and excludes design documents")
    func following() async throws {
        try await withTextStore(documents: [("a", ["t": "red fox"]), ("b", ["t": "red hen"])]) { store in
            try store.expect("red", ["a", "b"])
            try await store.edit("a", ["t": "grey wolf"])
            try store.expect("red", ["b"])
            try store.expect("fox", [])
            try store.expect("wolf", ["a"])
            try await store.delete("b")
            try store.expect("red", [])
            try store.expect("*:*", ["a"])
            try await store.add([("b", ["t": "red again"]), ("_design/red", ["t": "red"])])
            try store.expect("red", ["b"])
            _ = try await store.store.purge("b")
            try store.expect("red OR again", [])
            try await store.add([("b", ["t": "red once more"])])
            try store.expect("red", ["b"])
        }
    }

    @Test("Of many states of a document in one transaction the last one is indexed")
    func together() async throws {
        try await withTextStore { store in
            try await store.store.transact { transaction in
                var document = try transaction.create(Document(id: "a", body: ["t": "one"]))
                for word in ["two", "three"] {
                    document.body["t"] = .string(word)
                    document = try transaction.update(document)
                }
                _ = try transaction.create(Document(id: "b", body: ["t": "one"]))
            }
            try store.expect("one", ["b"])
            try store.expect("three", ["a"])
        }
    }

    @Test("An edit that does not change the texts keeps the score and returns the new revision")
    func sequenceAlone() async throws {
        let fields: JSONValue = ["fields": [["name": "t", "type": "string"]]]
        try await withTextStore(fields, documents: [("a", ["t": "red fox"]), ("b", ["t": "red"])]) { store in
            let before = try store.search("red") { try $0.page(limit: 10) }.hits
            try await store.edit("a", ["t": "red fox", "n": 5])
            let after = try store.search("red") { try $0.page(limit: 10) }.hits
            #expect(before.map(\.score) == after.map(\.score))
            #expect(after.map(\.storedID) == ["b", "a"])
            #expect(after[1].sequence > before[0].sequence && after[1].number == before[1].number)
        }
    }

    @Test("A filter selects the indexed documents, by the fields of the index and the id too")
    func partialFilter() async throws {
        let documents: [(String, JSONValue)] = [
            ("a1", ["t": "red", "kind": "x"]), ("b1", ["t": "red", "kind": "y"]), ("a2", [:]),
        ]
        try await withTextStore(["partial_filter_selector": ["kind": "x"]], documents: documents) { store in
            try store.expect("red", ["a1"])
            try await store.edit("b1", ["t": "red", "kind": "x"])
            try await store.edit("a1", ["t": "red", "kind": "z"])
            try store.expect("red", ["b1"])
        }
        try await withTextStore(["selector": ["_id": ["$gt": "a1"]]], documents: documents) { store in
            try store.expect("*:*", ["a2", "b1"])
        }
    }

    @Test("An index includes existing documents, continues after a restart, and is removed with its tables")
    func building() async throws {
        let path = NSTemporaryDirectory() + "godwit-text-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let definition = try TextIndexDefinition(parsing: [:])
        for round in 0..<3 {
            let manager = try DatastoreManager(
                directory: path, durability: .normal, key: testKey, indexes: [TextIndex()])
            let text = TextStore(store: try await manager.datastore(named: "test"), definition: definition)
            if round == 0 {
                try await text.store.transact { transaction in
                    for n in 0..<1_200 {
                        _ = try transaction.create(Document(id: "d\(n)", body: ["t": "word w\(n % 7)x"]))
                    }
                }
            }
            if round == 0 {
                try await text.store.defineTextIndex(definition)
            } else {
                try await text.store.catchUpAll()
            }
            if round == 1 { try await text.edit("d0", ["t": "changed"]) }
            if round == 2 {
                #expect(try text.search("word") { try $0.count() } == 1_199)
                try text.expect("changed", ["d0"])
                try await text.store.deleteIndex("text")
                let left = try text.store.read { table in
                    let statement = try table.connection.statement(
                        "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'text%'")
                    defer { statement.reset() }
                    return try statement.step() ? statement.int(0) : -1
                }
                #expect(left == 0)
            }
            await manager.close()
        }
    }

    @Test("In an index over all fields, fields beyond its columns are found by name too")
    func manyFields() async throws {
        let names = (0..<(TextLimits.columnsMax + 20)).map { "f\($0)" }
        try await withTextStore(documents: names.map { ($0, [$0: "common", "t": .string("in \($0)")]) }) { store in
            for name in [names[0], names[60], names[70], names[80]] {
                try store.expect("\(name):common", [name])
                try store.expect("\(name):common AND t:in", [name])
                #expect(try store.ids("common -\(name):common").count == names.count - 1)
                #expect(try store.ids("NOT \(name):common").count == names.count - 1)
                #expect(
                    try store.search("\(name):common common") { try $0.page(limit: 1).hits.map(\.storedID) } == [name])
            }
            let number = try store.search("f70") { try $0.page(limit: 1).hits[0].number }
            #expect(try store.search("f70:common") { try $0.matches(number: number) })
            #expect(try !store.search("f71:common") { try $0.matches(number: number) })
        }
    }

    @Test("Values are found at any depth, if they have the types that the index names")
    func nesting() async throws {
        let deep: JSONValue = ["a": [["b": ["c": "bottom"]], [["deeper"]], true, 12.5], "a.b": "dotted", "n": .null]
        try await withTextStore(documents: [("x", deep)]) { store in
            for query in [
                "bottom", "a.b.c:bottom", "a:deeper", "a:true", "a:12.5", "12.5", "a\\.b:dotted", "a.\\[\\].b.c:bottom",
            ] { try store.expect(query, ["x"]) }
            for query in ["a.b:bottom", "a.b:dotted", "null", "n:*"] { try store.expect(query, []) }
        }
        let typed: JSONValue = ["fields": [["name": "v", "type": "number"]]]
        try await withTextStore(typed, documents: [("s", ["v": "12"]), ("n", ["v": 12]), ("o", ["w": 12])]) { store in
            try store.expect("12", ["n"])
        }
    }

    @Test(
        "A definition is parsed and written like CouchDB does",
        arguments: [
            ("{}", "\"all_fields\"", "[]"),
            (#"{"fields":[]}"#, "\"all_fields\"", "[]"),
            (#"{"fields":"all_fields"}"#, "\"all_fields\"", "[]"),
            (
                #"{"fields":[{"type":"string","name":"a.b"}]}"#, #"[{"name":"a.b","type":"string"}]"#,
                #"[{"a.b":"string"}]"#
            ),
        ])
    func definitions(text: String, fields: String, listed: String) throws {
        let definition = try TextIndexDefinition(parsing: JSONValue(parsing: text))
        #expect(definition.json["fields"]?.jsonText() == fields)
        #expect(definition.listingJSON["fields"]?.jsonText() == listed)
        #expect(definition.listingJSON["partial_filter_selector"] == nil)
        #expect(
            definition.designJSON["analyzer"]?.jsonText()
                == #"{"name":"perfield","default":"keyword","fields":{"$default":"standard"}}"#)
        #expect(try TextIndexDefinition(stored: definition.bytes) == definition)
        #expect(try TextIndexDefinition(parsing: try #require(definition.designJSON["index"])) == definition)
    }

    @Test(
        "An invalid definition is refused with CouchDB's error",
        arguments: [
            ("[]", "invalid_index"), (#"{"field":[]}"#, "invalid_key"),
            (#"{"fields":["a"]}"#, "invalid_index_fields_definition"),
            (#"{"fields":[{"name":"","type":"string"}]}"#, "invalid_index_fields_definition"),
            (#"{"fields":[{"name":"a","type":"date"}]}"#, "invalid_index_fields_definition"),
            (#"{"fields":[{"name":"a"}]}"#, "invalid_index_fields_definition"),
            (#"{"index_array_lengths":1}"#, "invalid_boolean"),
            (#"{"default_field":{"analyzer":"klingon"}}"#, "invalid_analyzer"),
            (#"{"default_field":{"analyzer":{"name":"standard","stopwords":[1]}}}"#, "invalid_value"),
        ])
    func badDefinitions(text: String, error: String) throws {
        let value = try JSONValue(parsing: text)
        let thrown = #expect(throws: TextError.self) { try TextIndexDefinition(parsing: value) }
        #expect(thrown?.error == error)
    }

    @Test("Every analyzer makes an index that finds a word", arguments: TextAnalyzer.names.filter(isLinked))
    func analyzers(name: String) async throws {
        try await withTextStore(
            ["default_field": ["analyzer": .string(name)]], documents: [("a", ["t": "Quetzalcoatl"])]
        ) { store in
            try store.expect("quetzalcoatl", ["a"])
            try store.expect("-quetzalcoatl", [])
            try store.expect("t:[a TO z] OR t:[A TO Z]", ["a"])
        }
    }
}
