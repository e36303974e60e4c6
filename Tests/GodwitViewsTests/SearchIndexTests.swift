//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import Testing

@testable import GodwitQuery
@testable import GodwitStore
@testable import GodwitText
@testable import GodwitViews

@Suite("Search indexes that functions make")
struct SearchIndexTests {
    private static let function = """
        function(doc) {
          if (doc.story) index("default", doc.story, {store: true});
          if (doc.name) index("name", doc.name, {store: true, facet: true});
          if (doc.length) index("length", doc.length, {store: true, facet: true});
          if (doc.diet) index("diet", doc.diet, {facet: true});
          if (doc.secret) index("secret", doc.secret, {index: false, store: true});
          (doc.tags || []).forEach(function (tag) { index("tag", tag, {store: true}); });
        }
        """

    private static let animals: [(String, JSONValue)] = [
        (
            "badger",
            [
                "story": "The badger digs setts", "length": 0.9, "diet": "omnivore", "name": "Meles meles",
                "tags": ["a", "b"],
            ]
        ),
        ("elephant", ["story": "The elephant eats grass", "length": 7, "diet": "herbivore", "secret": "grass"]),
        ("snipe", ["story": "The snipe eats worms", "diet": "omnivore"]),
        ("zebra", ["story": "The zebra eats grass and grass", "length": 2.5, "diet": "herbivore", "tags": ["b"]]),
        ("stone", ["weight": 3]),
    ]

    private func withAnimals(
        analyzer: JSONValue = "standard", _ body: (Datastore) async throws -> Void
    ) async throws {
        try await withDatastore { store in
            try await store.define(search: Self.function, analyzer: analyzer)
            for (id, animal) in Self.animals { _ = try await store.create(Document(id: id, body: animal.objectValue!)) }
            try await body(store)
        }
    }

    @Test(
        "Words without a field are those of default, other fields are named",
        arguments: [
            ("grass", ["zebra", "elephant"]), ("story:grass", []), ("omnivore", []),
            ("diet:omnivore", ["badger", "snipe"]),
            ("secret:grass", []), ("tag:b", ["badger", "zebra"]), ("length:[1 TO 5]", ["zebra"]),
            ("length:[2.5 TO Infinity]", ["elephant", "zebra"]), ("*:*", ["badger", "elephant", "snipe", "zebra"]),
            ("\"eats grass\"", ["zebra", "elephant"]), ("eats -diet:herbivore", ["snipe"]), ("name:mel*", ["badger"]),
            ("length:2.50", ["zebra"]), ("length:5", []), ("length:7", ["elephant"]),
        ])
    func queries(text: String, ids: [String]) async throws {
        try await withAnimals { store in
            let found = try await store.found(text)
            #expect(found.sorted() == ids.sorted())
        }
    }

    @Test("A row shows what is stored, all of it or what is asked for")
    func fields() async throws {
        try await withAnimals { store in
            let hits = try await store.hits(SearchRequest("name:meles OR secret:* OR elephant", in: "i"))
            #expect(
                hits.first { $0.id == "badger" }?.fields
                    == ["default": "The badger digs setts", "name": "Meles meles", "length": 0.9, "tag": ["a", "b"]])
            #expect(
                hits.first { $0.id == "elephant" }?.fields
                    == ["default": "The elephant eats grass", "length": 7, "secret": "grass"])
            var request = SearchRequest("badger", in: "i")
            request.fields = ["length", "diet"]
            let fields = try await store.hits(request).map(\.fields)
            #expect(fields == [["length": 0.9]], "diet is not stored")
        }
    }

    @Test("Highlights are of stored fields, by the field's own analyzer")
    func highlights() async throws {
        try await withAnimals(analyzer: ["name": "perfield", "fields": ["default": "english", "diet": "keyword"]]) {
            store in
            var request = SearchRequest("eating AND diet:herbivore", in: "i")
            request.highlight = TextHighlighter.Style(fields: ["default", "diet"])
            let hits = try await store.hits(request)
            #expect(hits.count == 2)
            #expect(
                hits.first { $0.id == "elephant" }?.highlights == [
                    ExactText("default"): ["The elephant <em>eats</em> grass"]
                ])
        }
    }

    @Test("A sort is descending if its first byte is a minus sign")
    func equivalentSort() throws {
        let order = try SearchOrder(parsing: "-\u{301}x<string>")
        #expect(order.isDescending)
        #expect(order.path.map { Array($0.utf8) } == Array("\u{301}x".utf8))
    }

    @Test("Two functions whose names differ only in their bytes are two indexes")
    func equivalentNames() async throws {
        try await withDatastore { store in
            let indexes: JSONObject = [
                "\u{E9}": ["index": "function(doc) { index('default', 'fox'); }"],
                "e\u{301}": ["index": "function(doc) { index('default', 'owl'); }"],
            ]
            _ = try await store.create(Document(id: "_design/d", body: ["indexes": .object(indexes)]))
            _ = try await store.create(Document(id: "a", body: [:]))
            for (name, word) in [("\u{E9}", "fox"), ("e\u{301}", "owl")] {
                let request = SearchRequest(word, design: "_design/d", index: name)
                #expect(try await store.hits(request).map(\.id) == ["a"], "\(word)")
            }
        }
    }

    @Test("Values are counted where the function says so, and refused elsewhere")
    func facets() async throws {
        try await withAnimals { store in
            var request = SearchRequest("*:*", in: "i")
            request.facets = TextFacets()
            request.facets?.counts = ["diet"]
            request.facets?.ranges = [ExactText("length"): [ExactText("short"): try TextRange(parsing: "[0 TO 3]")]]
            let run = try await SearchRun(request, in: store)
            #expect(run.facets?.counts[ExactText("diet")] == [ExactText("omnivore"): 2, ExactText("herbivore"): 2])
            #expect(run.facets?.ranges == [ExactText("length"): [ExactText("short"): 2]])
            request.facets?.counts = ["tag"]
            let refused = request
            await #expect(throws: TextError.self) { try await SearchRun(refused, in: store) }
            var down = SearchRequest("eats", in: "i")
            down.drilldown = [SearchDrilldown(field: "diet", values: ["omnivore"])]
            #expect(try await store.hits(down).map(\.id) == ["snipe"])
        }
    }

    @Test("Hits are put into groups, each with its first hits")
    func groups() async throws {
        try await withAnimals { store in
            var request = SearchRequest("*:*", in: "i")
            request.grouping = try SearchGrouping(by: "diet")
            request.grouping?.order = [try SearchOrder(parsing: "-length")]
            request.sort = [try SearchOrder(parsing: "length")]
            request.limit = 1
            let run = try await SearchRun(request, in: store)
            #expect(run.groups?.map(\.by) == ["herbivore", "omnivore"] && run.groups?.map(\.total) == [2, 2])
            #expect(try await store.hits(request).map(\.id) == ["zebra", "badger"] && run.total == 4)
            #expect(throws: TextError.self) { try SearchGrouping(by: "length<number>") }
        }
    }

    @Test("An index follows edits and deletions, and stays as it was where that is enough")
    func upkeep() async throws {
        try await withAnimals { store in
            #expect(try await store.found("grass").count == 2)
            var zebra = try store.document("zebra")
            zebra.body["story"] = "The zebra sleeps"
            _ = try await store.update(zebra)
            _ = try await store.delete(try store.document("elephant"))
            var stale = SearchRequest("grass", in: "i")
            stale.acceptsStale = true
            let old = try await store.hits(stale)
            #expect(Set(old.map(\.id)) == ["elephant", "zebra"] && old.contains { $0.document == nil })
            #expect(try await store.found("grass") == [])
            #expect(try await store.found("sleeps") == ["zebra"])
            #expect(try await store.found("*:*").count == 3)
        }
    }

    @Test("Pages go on while documents change")
    func pages() async throws {
        try await withDatastore { store in
            try await store.define(search: "function(doc) { index('default', doc.t) }")
            for number in 0..<30 {
                let text = String(repeating: "fox ", count: number % 4 + 1)
                _ = try await store.create(Document(id: "d\(number)", body: ["t": .string(text)]))
            }
            var (seen, bookmark): ([String], String?) = ([], nil)
            for step in 0..<20 {
                var request = SearchRequest("fox", in: "i")
                (request.limit, request.bookmark) = (4, bookmark)
                var run = try await SearchRun(request, in: store)
                guard run.count > 0 else { break }
                seen += try run.next().map(\.id)
                bookmark = run.bookmark
                var document = try store.document("d\(step)")
                document.body["t"] = "fox fox fox fox fox"
                _ = try await store.update(document)
            }
            #expect(seen.count == 30 && Set(seen).count == 30)
        }
    }

    @Test("Design documents that say the same share an index, which goes when none says it any more")
    func shared() async throws {
        try await withAnimals { store in
            try await store.define(search: Self.function, in: "_design/e")
            func indexes() throws -> Int {
                try store.indexDescriptions().filter { $0.kind == FieldIndex.kindName }.count
            }
            #expect(try indexes() == 1)
            #expect(try await store.search("digs", index: "e/i").hits.map(\.document.id) == ["badger"])
            _ = try await store.delete(try store.document("_design/d"))
            try await store.removeUnwantedIndexes(of: FieldIndex.kindName)
            #expect(try indexes() == 1)
            _ = try await store.delete(try store.document("_design/e"))
            try await store.removeUnwantedIndexes(of: ViewIndex.kindName)
            #expect(try indexes() == 1)
            try await store.removeUnwantedIndexes(of: FieldIndex.kindName)
            #expect(try indexes() == 0)
        }
    }

    @Test("An index whose words were made otherwise is another one, and the old one is in nobody's way")
    func otherWords() async throws {
        try await withDatastore { store in
            try await store.define(search: "function(doc) { index('default', doc.t) }", analyzer: "french")
            _ = try await store.create(Document(id: "a", body: ["t": "révélations"]))
            #expect(try await store.found("révéler") == ["a"])
            try await store.transact { transaction in
                try transaction.connection.execute(
                    #"UPDATE indexes SET name = 'old', definition = replace(definition, '"words":"', '"words":"0')"#)
            }
            _ = try await store.create(Document(id: "b", body: ["t": "révélé"]))
            #expect(try await store.found("révéler").sorted() == ["a", "b"])
            try await store.ensureTextIndex(["t"], analyzer: "french")
            let page = try await store.find(FindQuery(selector: ["$text": "révélation"]))
            #expect(page.documents.compactMap(\.id).sorted() == ["a", "b"])
            #expect(try store.indexDescriptions().filter { $0.kind == FieldIndex.kindName }.count == 2)
            try await store.removeUnwantedIndexes(of: FieldIndex.kindName)
            #expect(try store.indexDescriptions().filter { $0.kind == FieldIndex.kindName }.count == 1)
        }
    }

    @Test("More fields than there are columns are found by their names, also with words of other analyzers")
    func manyFields() async throws {
        try await withDatastore { store in
            try await store.define(
                search: "function(doc) { for (var name in doc) if (name[0] != '_') index(name, doc[name]) }",
                analyzer: ["name": "perfield", "default": "keyword", "fields": ["f99": "english"]])
            for number in 0..<100 {
                var body: JSONObject = ["n": "x.y"]
                body["f\(number)"] = "Red Foxes"
                _ = try await store.create(Document(id: "d\(number)", body: body))
            }
            #expect(try await store.found("f3:\"red foxes\"") == ["d3"])
            #expect(try await store.found("f3:red") == [])
            #expect(try await store.found("f98:\"red foxes\" AND n:x.y") == ["d98"])
            #expect(try await store.found("f98:red") == [])
            #expect(try await store.found("f99:fox") == ["d99"])
        }
    }

    @Test("A document that the function throws at is left out; a function that is none is the client's to know")
    func failures() async throws {
        try await withDatastore { store in
            try await store.define(
                search: "function(doc) { if (doc._id == 'b') throw 'no'; index('default', doc.t, {store: true}) }")
            for id in ["a", "b", "c"] { _ = try await store.create(Document(id: id, body: ["t": "fox"])) }
            _ = try await store.create(Document(id: "d", body: ["t": ["no", "text"]]))
            #expect(try await store.found("fox").sorted() == ["a", "c"])
            try await store.define(search: "function(doc) { index(", in: "_design/e")
            let request = SearchRequest("fox", design: "_design/e", index: "i")
            let error = await #expect(throws: ScriptError.self) { try await SearchRun(request, in: store) }
            #expect(error?.error == "compilation_error")
            try await store.define(
                search: "function(doc) { Array.prototype.push = function () { this[0] = 1e300 }; index('a', 'b') }",
                in: "_design/g")
            let strange = SearchRequest("fox", design: "_design/g", index: "i")
            let answer = await #expect(throws: ScriptError.self) { try await SearchRun(strange, in: store) }
            #expect(answer?.code == .invalidAnswer, "what a function makes of its own world is not believed")
            try await store.define(search: "function(doc) {}", analyzer: "klingon", in: "_design/f")
            let other = SearchRequest("fox", design: "_design/f", index: "i")
            await #expect(throws: TextError.self) { try await SearchRun(other, in: store) }
        }
    }
}

extension SearchRequest {
    fileprivate init(_ text: String, in index: String) { self.init(text, design: "_design/d", index: index) }
}

extension Datastore {
    fileprivate func define(
        search function: String, analyzer: JSONValue = "standard", in design: String = "_design/d"
    ) async throws {
        let index: JSONValue = ["index": .string(function), "analyzer": analyzer]
        _ = try await create(Document(id: design, body: ["indexes": ["i": index]]))
    }

    fileprivate func hits(_ request: SearchRequest) async throws -> [FoundHit] {
        var run = try await SearchRun(request, in: self)
        var hits: [FoundHit] = []
        while case let found = try run.next(), !found.isEmpty { hits += found }
        return hits
    }

    fileprivate func found(_ text: String) async throws -> [String] {
        try await hits(SearchRequest(text, in: "i")).map(\.id)
    }
}
