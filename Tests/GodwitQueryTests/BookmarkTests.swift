import EngineTesting
import GodwitJSON
import GodwitQuery
import GodwitStore
import TestKit
//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import Testing

@Suite("Bookmarks")
struct BookmarkTests {
    @Test(
        "Pages during writes: every document that stays comes exactly once",
        arguments: [[], ["n"], [.descending("n")], ["note", "n"]] as [[QueryField]])
    func stablePaging(sort: [QueryField]) async throws {
        try await withDatastore { store in
            var generator = SeededGenerator(seed: 5)
            try await store.defineIndex("n", fields: ["n"])
            let count = TestScale.isLong ? 100_000 : 900
            try await store.transact { transaction in
                for number in 0..<count {
                    _ = try transaction.create(
                        Document(id: "d\(number * 2)", body: ["n": .integer(Int64(number * 7 % 300)), "x": 0]))
                }
            }
            var stayed = Set((0..<count).map { "d\($0 * 2)" })
            var query = FindQuery(selector: ["n": ["$gte": 0]], sort: sort, limit: 50)
            var seen: [String] = []
            while true {
                let page = try await store.find(query)
                seen += page.documents.compactMap(\.id)
                guard page.documents.count == query.limit else { break }
                query.bookmark = page.bookmark
                for _ in 0..<20 { try await write(&stayed, count * 2, store, &generator) }
            }
            let staying = seen.filter(stayed.contains)
            #expect(Set(staying).count == staying.count)
            #expect(Set(staying) == stayed)
        }
    }

    /// Adds a document, deletes one, or changes a member that the query does not use.
    private func write(
        _ stayed: inout Set<String>, _ numbers: Int, _ store: Datastore, _ generator: inout SeededGenerator
    ) async throws {
        let id = "d\(Int.random(in: 0..<numbers, using: &generator))"
        guard let old = try store.documents([id])[0] else {
            _ = try await store.create(
                Document(id: id, body: ["n": .integer(Int64.random(in: 0..<300, using: &generator))]))
            return
        }
        if generator.chance(1, in: 2) {
            try await store.delete(id)
            stayed.remove(id)
        } else {
            var document = old
            document.body["x"] = .integer(Int64.random(in: 1..<1_000_000, using: &generator))
            _ = try await store.update(document)
        }
    }

    @Test(
        "Pages of documents with the same key, in both directions, of all owners or one, by an index of either direction",
        arguments: [[], [.descending("type")], [.descending("_id")]] as [[QueryField]],
        [QueryField.ascending("type"), .descending("type")])
    func oneKey(sort: [QueryField], field: QueryField) async throws {
        try await withDatastore { store in
            try await store.ensureIndex([field], named: "type")
            for scope in [Scope.all, try Scope.owner("ann"), try Scope.owner("bob")] {
                let own = store.scoped(to: scope)
                for number in 10..<50 {
                    let type: JSONValue = number.isMultiple(of: 2) ? "tern" : "terns"
                    _ = try await own.create(Document(id: "d\(number)", body: ["type": type, "n": 1]))
                }
            }
            for scope in [try Scope.owner("ann"), try Scope.owner("bob")] {
                let even = (5..<25).map { "d\($0 * 2)" }
                let expected = sort.isEmpty ? even : even.reversed()
                for selector in [["type": "tern"], ["type": "tern", "n": 1]] as [JSONObject] {
                    #expect(try await store.scoped(to: scope).ids(selector, sort: sort, limit: 3) == expected)
                }
            }
            #expect(try await store.ids(["type": "tern"], sort: sort, limit: 7).count == 60)
        }
    }

    @Test("A bookmark continues with its own index, also if newer ones exist")
    func keepsItsPlan() async throws {
        try await withDatastore { store in
            for number in 0..<40 {
                _ = try await store.create(
                    Document(id: "\(100 + number)", body: ["a": .integer(Int64(number % 4)), "b": 1]))
            }
            try await store.defineIndex("b", fields: ["b"])
            var query = FindQuery(selector: ["a": 1, "b": 1], limit: 3)
            let first = try await store.find(query)
            try await store.defineIndex("ab", fields: ["a", "b"])
            query.bookmark = first.bookmark
            let second = try await store.find(query)
            #expect(
                (first.documents + second.documents).compactMap(\.id) == ["101", "105", "109", "113", "117", "121"])
            try await store.deleteIndex("b")
            let failure = await #expect(throws: StoreError.self) { _ = try await store.find(query) }
            #expect(failure?.message.hasPrefix("invalid_bookmark") == true)
        }
    }

    @Test("A bookmark of another query, and an invalid one, are refused")
    func refused() async throws {
        try await withDatastore { store in
            for number in 0..<5 { _ = try await store.create(Document(id: "\(number)", body: ["a": 1])) }
            let page = try await store.find(FindQuery(selector: ["a": 1], limit: 2))
            let bookmark = try #require(page.bookmark)
            let strangers: [(JSONObject, [QueryField], String)] = [
                (["a": 2], [], bookmark), (["a": 1], ["a"], bookmark), (["a": 1], [], "x"), (["a": 1], [], "AAAA"),
                (["a": 1], [], String(bookmark.dropLast(4))), (["a": 1], [], bookmark + "AAAA"),
            ]
            for (selector, sort, text) in strangers {
                let query = FindQuery(selector: selector, sort: sort, bookmark: text)
                let failure = await #expect(throws: StoreError.self) { _ = try await store.find(query) }
                #expect(failure?.message.hasPrefix("invalid_bookmark") == true)
            }
            let rest = try await store.find(FindQuery(selector: ["a": 1], bookmark: bookmark))
            #expect(rest.documents.compactMap(\.id) == ["2", "3", "4"])
        }
    }
}
