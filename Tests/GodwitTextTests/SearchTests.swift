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

@testable import GodwitStore

@Suite("Searches")
struct SearchTests {
    private static let animals: [(String, JSONValue)] = [
        ("badger", ["story": "The badger digs setts", "length": 0.9, "diet": "omnivore"]),
        ("elephant", ["story": "The elephant eats grass", "length": 7, "diet": "herbivore"]),
        ("snipe", ["story": "The snipe eats worms", "diet": "omnivore"]),
        ("zebra", ["story": "The zebra eats grass and more grass", "length": 2.5, "diet": "herbivore"]),
    ]

    private func withAnimals(_ body: (Datastore) async throws -> Void) async throws {
        try await withDatastore { store in
            for (id, animal) in Self.animals { _ = try await store.create(Document(id: id, body: animal.objectValue!)) }
            try await body(store)
        }
    }

    /// Returns the ids that a request matches, and its run.
    private func run(_ request: SearchRequest, in store: Datastore) async throws -> (ids: [String], run: SearchRun) {
        var run = try await SearchRun(request, in: store)
        var ids: [String] = []
        while case let found = try run.next(), !found.isEmpty { ids += found.map(\.id) }
        return (ids, run)
    }

    @Test("An app finds documents with snippets, page by page")
    func library() async throws {
        try await withAnimals { store in
            try await store.ensureTextIndex(["story"], named: "words")
            var highlights = SearchHighlights(["story"])
            (highlights.before, highlights.after) = ("[", "]")
            let first = try await store.search("eats", limit: 2, highlighting: highlights)
            #expect(first.total == 3 && first.hits.count == 2)
            #expect(first.hits[0].score >= first.hits[1].score && first.hits[1].score > 0)
            #expect(first.hits[0].highlights["story"]?.first?.contains("[eats]") == true)
            #expect(first.hits[0].document.revision != nil, "it can be saved")
            let rest = try await store.search("eats", index: "words", limit: 2, bookmark: first.bookmark)
            #expect(rest.hits.count == 1 && rest.bookmark == nil)
            #expect(rest.hits[0].highlights.isEmpty)
            let found = Set((first.hits + rest.hits).compactMap(\.document.id))
            #expect(found == ["elephant", "snipe", "zebra"])
        }
    }

    @Test("Errors name what is wrong: the query, the bookmark, the index")
    func errors() async throws {
        try await withAnimals { store in
            let none = await #expect(throws: StoreError.self) { try await store.search("eats") }
            #expect(none?.code == .indexNotFound)
            try await store.ensureTextIndex(named: "words")
            let bookmark = try await store.search("eats", limit: 1).bookmark
            let other = await #expect(throws: StoreError.self) { try await store.search("digs", bookmark: bookmark) }
            #expect(other?.code == .invalidRequest)
            let syntax = await #expect(throws: StoreError.self) { try await store.search("(eats") }
            #expect(syntax?.code == .invalidRequest && syntax?.message.contains("at byte") == true)
            try await store.ensureTextIndex(["story"], named: "stories")
            let several = await #expect(throws: StoreError.self) { try await store.search("eats") }
            #expect(several?.message.contains("words/words, stories/stories") == true)
            #expect(try await store.search("eats", index: "stories/stories").total == 3)
            let missing = await #expect(throws: StoreError.self) { try await store.search("eats", index: "none") }
            #expect(missing?.code == .indexNotFound)
        }
    }

    @Test("An owner finds and counts only its own documents")
    func owners() async throws {
        try await withAnimals { store in
            let ana = store.scoped(to: try .owner("ana"))
            _ = try await ana.create(Document(id: "hen", body: ["story": "The hen eats corn", "diet": "omnivore"]))
            try await store.ensureTextIndex(["story"], named: "words")
            try await store.catchUpAll()
            let page = try await ana.search("eats", limit: 1)
            #expect(page.hits.map(\.document.id) == ["hen"] && page.total == 1)
            for sort in ["<score>", "diet<string>"] {
                var request = SearchRequest("eats")
                request.sort = [try SearchOrder(parsing: sort)]
                request.facets = TextFacets()
                request.facets?.counts = ["diet"]
                let (ids, run) = try await run(request, in: ana)
                #expect(
                    ids == ["hen"] && run.total == 1
                        && run.facets?.counts == [ExactText("diet"): [ExactText("omnivore"): 1]])
            }
            #expect(try await store.search("eats").total == 4)
        }
    }

    @Test(
        "Strings and numbers sort by value, and documents without a value are last",
        arguments: [
            ("n", ["minus", "zero", "half", "ten"]),
            ("-n<number>", ["ten", "half", "zero", "minus"]),
            ("t<string>", ["zero", "ten", "half", "minus"]),
            ("-t<string>", ["minus", "half", "ten", "zero"]),
        ])
    func order(sort: String, expected: [String]) async throws {
        let documents: [(String, JSONValue)] = [
            ("minus", ["n": -1.5, "t": "b"]), ("zero", ["n": 0, "t": ""]), ("half", ["n": 0.5, "t": "a\u{0}"]),
            ("ten", ["n": [10, 1], "t": "a"]), ("text", ["n": "5", "t": 7]), ("none", ["o": true]),
        ]
        try await withTextStore(documents: documents) { text in
            var request = SearchRequest("*:*")
            request.sort = [try SearchOrder(parsing: sort)]
            let whole = try await run(request, in: text.store).ids
            #expect(Array(whole.prefix(4)) == expected && whole.suffix(2).sorted() == ["none", "text"])
            request.limit = 1
            var paged: [String] = []
            while case let (ids, run) = try await run(request, in: text.store), !ids.isEmpty {
                paged += ids
                request.bookmark = run.bookmark
            }
            #expect(paged == whole)
        }
    }

    @Test("Pages of a filtered search with few results have the same hits as a single page")
    func filtered() async throws {
        let documents = (0..<300).map { number -> (String, JSONValue) in
            ("d\(number)", ["t": "fox", "kind": number % 50 == 7 ? "rare" : "common"])
        }
        try await withTextStore(documents: documents) { text in
            var request = SearchRequest("fox")
            request.drilldown = [SearchDrilldown(field: "kind", values: ["rare"])]
            request.limit = 4
            let (first, run) = try await run(request, in: text.store)
            #expect(first == ["d7", "d57", "d107", "d157"] && run.total == 6)
            request.bookmark = run.bookmark
            #expect(try await self.run(request, in: text.store).ids == ["d207", "d257"])
        }
    }

    @Test("Counts and sorts over many hits yield to others, and are of one state of the database")
    func slices() async throws {
        let documents = (0..<3_000).map { number -> (String, JSONValue) in
            ("d\(number)", ["t": "fox", "kind": number % 3 == 0 ? "rare" : "common", "n": .integer(Int64(number))])
        }
        try await withTextStore(documents: documents) { text in
            let store = text.store
            var request = SearchRequest("fox")
            request.sort = [try SearchOrder(parsing: "-n")]
            request.facets = TextFacets()
            request.facets?.counts = ["kind"]
            request.limit = 2
            let writer = Task {
                var number = 0
                while !Task.isCancelled {
                    var document = try store.document("d\(number % 3_000)")
                    document.body["touched"] = .integer(Int64(number))
                    _ = try await store.update(document)
                    number += 7
                    // Without a pause, the log grows beyond its limit when one core runs both tasks.
                    try? await Task.sleep(for: .milliseconds(2))
                }
                return number / 7
            }
            for _ in 0..<5 {
                let (ids, run) = try await run(request, in: store)
                #expect(ids == ["d2999", "d2998"] && run.total == 3_000)
                #expect(
                    run.facets?.counts[ExactText("kind")] == [ExactText("rare"): 1_000, ExactText("common"): 2_000])
            }
            writer.cancel()
            #expect(try await writer.value > 5)
        }
    }
}
