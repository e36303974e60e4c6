//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitStore
import Testing

@testable import GodwitQuery
@testable import GodwitText

@Suite("Text search with other conditions")
struct TextPlanTests {
    private static let count = 600

    private func fill(_ store: Datastore) async throws {
        try await store.write { transaction in
            for number in 0..<Self.count {
                let note = "gull\(number % 7) tide\(number % 2)" + String(repeating: " gull0", count: number % 5)
                let body: JSONObject = ["km": .integer(Int64(number)), "note": .string(note)]
                _ = try transaction.create(Document(id: "d\(1_000 + number)", body: body))
            }
        }
        try await store.ensureTextIndex(["note"], named: "words")
        try await store.catchUpAll()
    }

    private func matches(_ word: String, _ number: Int) -> Bool {
        word == "gull0" ? number % 7 == 0 || number % 5 > 0 : number % 2 == 1
    }

    private func run(_ selector: JSONObject, in store: Datastore) async throws -> (plan: String, examined: Int) {
        let run = try await QueryRun(PreparedQuery(FindQuery(selector: selector, limit: 10)), in: store)
        while try await !run.next().isEmpty {}
        return (run.plan.inWords, run.statistics.documentsExamined)
    }

    @Test("$text inside $or is read from its index, other branches from theirs, and each document is found once")
    func union() async throws {
        try await withDatastore { store in
            try await fill(store)
            let selectors: [(JSONObject, (Int) -> Bool)] = [
                (["$or": [["$text": "gull0"], ["km": ["$lt": 50]]]], { matches("gull0", $0) || $0 < 50 }),
                (
                    ["$or": [["km": ["$gte": 590]], ["$text": "tide1"], ["km": 4]]],
                    { $0 >= 590 || matches("tide1", $0) || $0 == 4 }
                ),
                (["$or": [["$text": "nothing"], ["km": ["$mod": [100, 3]]]]], { $0 % 100 == 3 }),
                (
                    [
                        "km": ["$gt": 100],
                        "$or": [["$text": "gull0", "km": ["$lt": 300]], ["km": ["$in": [50, 400]]]],
                    ],
                    { $0 > 100 && (matches("gull0", $0) && $0 < 300 || $0 == 400) }
                ),
            ]
            for isIndexed in [false, true] {
                if isIndexed {
                    try await store.ensureIndex(["km"], named: "km")
                    try await store.catchUpAll()
                }
                for (selector, isWanted) in selectors {
                    let wanted = (0..<Self.count).filter(isWanted).map { "d\(1_000 + $0)" }
                    #expect(try await store.ids(selector, limit: 7).sorted() == wanted)
                    #expect(try await store.ids(selector, sort: [.descending("km")], limit: 50) == wanted.reversed())
                    #expect(try await store.count(selector) == wanted.count)
                    // The last selector has another narrowing field.
                    guard selector["km"] == nil else { continue }
                    let plan = try await run(selector, in: store).plan
                    #expect(plan.contains("Searches the text index words") == isIndexed, "\(plan)")
                }
            }
        }
    }

    @Test("A text search among few documents of another index gives the same results, and reads only those documents")
    func narrowed() async throws {
        try await withDatastore { store in
            try await fill(store)
            let selector: JSONObject = ["$text": "gull0", "km": ["$gte": 500, "$lt": 540]]
            let before = try await store.ids(selector, limit: 3)
            #expect(Set(before) == Set((500..<540).filter { matches("gull0", $0) }.map { "d\(1_000 + $0)" }))
            #expect(try await run(selector, in: store).examined > 40)
            try await store.ensureIndex(["km"], named: "km")
            try await store.catchUpAll()
            #expect(try await store.ids(selector, limit: 3) == before)
            #expect(try await store.ids(selector, sort: ["km"], limit: 3) == before.sorted())
            let (plan, examined) = try await run(selector, in: store)
            #expect(plan.contains("among the documents of the index km") && examined <= 10)
            // Documents that a partial index leaves out must be in the result, even if the query names the index.
            try await store.deleteIndex("km")
            try await store.ensureIndex(["km"], named: "even", where: ["even": true])
            try await store.catchUpAll()
            #expect(try await store.ids(selector, index: ["even"], limit: 3) == before)
        }
    }

    @Test("A query without $text may name a text index that has its fields, with and without another index")
    func named() async throws {
        try await withDatastore { store in
            try await fill(store)
            let selector: JSONObject = ["km": ["$gte": 500, "$lt": 540]]
            let wanted = (500..<540).map { "d\(1_000 + $0)" }
            try await store.ensureTextIndex(named: "all")
            for isIndexed in [false, true] {
                if isIndexed {
                    try await store.ensureIndex(["km"], named: "km")
                    try await store.catchUpAll()
                }
                try await store.catchUpAll()
                var query = FindQuery(selector: selector, limit: 7, index: ["all"])
                query.allowsFallback = false
                let plan = try await QueryRun(PreparedQuery(query), in: store).plan.inWords
                #expect(plan.contains("Reads all documents of the text index all"), "\(plan)")
                #expect(plan.contains("among the documents of the index km") == isIndexed, "\(plan)")
                #expect(try await store.ids(selector, index: ["all"], limit: 7).sorted() == wanted)
                let sorted = try await store.ids(selector, sort: [.descending("km")], index: ["all"], limit: 7)
                #expect(sorted == wanted.reversed())
            }
            // The index does not have the field, so it is not used.
            var query = FindQuery(selector: selector, index: ["words"])
            query.allowsFallback = false
            await #expect(throws: StoreError.self) { try await store.find(query) }
        }
    }

    @Test("Pages of a narrowed search continue while documents change")
    func changes() async throws {
        try await withDatastore { store in
            try await fill(store)
            try await store.ensureIndex(["km"], named: "km")
            try await store.catchUpAll()
            var query = FindQuery(selector: ["$text": "gull0", "km": ["$lt": 100]], limit: 5)
            var seen: [String] = []
            for round in 0..<100 {
                let page = try await store.find(query)
                seen += page.documents.compactMap(\.id)
                if page.documents.count < query.limit { break }
                query.bookmark = page.bookmark
                var document = try store.document("d\(1_200 + round)")
                document.body["km"] = 10
                _ = try await store.update(document)
                var stays = try store.document("d\(1_000 + round * 2)")
                stays.body["touched"] = true
                _ = try await store.update(stays)
            }
            #expect(Set(seen).count == seen.count)
            let stayed = (0..<100).filter { matches("gull0", $0) }.map { "d\(1_000 + $0)" }
            #expect(Set(stayed).isSubset(of: seen))
        }
    }
}
