//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import EngineTesting
import GodwitJSON
import GodwitText
import TestKit
import Testing

@testable import GodwitQuery
@testable import GodwitStore

@Suite("An answer is one state")
struct OneStateTests {
    private static let count = 200
    private static let all = 10_000

    /// Queries whose plans differ. The documents have the members `n`, `m` and `note`.
    private static let queries: [(name: String, query: FindQuery)] = [
        ("rows", FindQuery(selector: ["n": ["$gte": 0]], limit: all)),
        ("backward", FindQuery(selector: ["n": ["$gte": 0]], sort: [.descending("n")], limit: all)),
        ("covered", FindQuery(selector: ["n": ["$gte": 0]], fields: ["_id", "n"], limit: all)),
        ("filtered", FindQuery(selector: ["n": ["$gte": 0], "m": ["$mod": [2, 0]]], limit: all)),
        ("pages", FindQuery(selector: ["n": ["$gte": 0]], limit: 90, skip: 30)),
        ("ids", FindQuery(selector: ["_id": ["$gt": "d"], "n": ["$lt": 500]], limit: all)),
        ("union", FindQuery(selector: ["$or": [["n": ["$lt": 400]], ["m": ["$gt": 300]]]], limit: all)),
        ("sorted in memory", FindQuery(selector: ["n": ["$gte": 0]], sort: ["m", "note"], limit: all)),
        ("text", FindQuery(selector: ["$text": "gull"], limit: all)),
        ("text and others", FindQuery(selector: ["$or": [["$text": "gull"], ["n": ["$lt": 200]]]], limit: all)),
    ]

    @Test("Keys that change between two slices neither hide a document nor show it twice", arguments: queries.indices)
    func find(_ number: Int) async throws {
        var limits = StoreLimits()
        limits.sliceRowsMax = 8
        let query = Self.queries[number].query
        try await withDatastore(limits: limits) { store in
            var generator = SeededGenerator(seed: UInt64(number))
            let documents = (0..<Self.count).map { Document(id: "d\($0)", body: Self.body(&generator)) }
            try await store.transact { transaction in
                for document in documents { _ = try transaction.create(document) }
            }
            for field in ["n", "m"] { try await store.defineIndex(field, fields: [.ascending(field)]) }
            try await store.ensureTextIndex(["note"], named: "words")
            try await store.catchUpAll()
            let expected = try await store.found(query) {}
            #expect(expected.count > 50)
            let seen = try await store.found(query) { try await Self.write(store, &generator) }
            #expect(seen == expected, "\(Self.queries[number].name)")
            #expect(store.database.files.snapshots.count == 0)
        }
    }

    private static func body(_ generator: inout SeededGenerator) -> JSONObject {
        [
            "n": .integer(Int64.random(in: 0..<1_000, using: &generator)),
            "m": .integer(Int64.random(in: 0..<1_000, using: &generator)),
            "note": Bool.random(using: &generator) ? "gull gull tide" : "tide gull",
        ]
    }

    /// Changes, deletes and creates some documents.
    private static func write(_ store: Datastore, _ generator: inout SeededGenerator) async throws {
        for _ in 0..<6 {
            let id = "d\(Int.random(in: 0..<count * 2, using: &generator))"
            let body = body(&generator)
            guard var document = try store.documents([id])[0] else {
                _ = try await store.create(Document(id: id, body: body))
                continue
            }
            if Int.random(in: 0..<5, using: &generator) == 0 {
                _ = try await store.delete(document)
            } else {
                document.body = body
                _ = try await store.update(document)
            }
        }
    }
}

extension Datastore {
    /// Returns the documents that a query finds, as JSON texts. Runs `between` after each slice.
    fileprivate func found(_ query: FindQuery, _ between: () async throws -> Void) async throws -> [String] {
        let run = try await QueryRun(PreparedQuery(query), in: self)
        var texts: [String] = []
        while true {
            var text = DocumentText()
            guard try await run.appendNext(to: &text, separator: "\n") > 0 else { return texts }
            texts += String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            try await between()
        }
    }
}
